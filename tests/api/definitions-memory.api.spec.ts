import { Client, type Page, callerWith, createAgent, person } from '../harness/index.js';

interface Entry { key: string; user_id: string; kind: string; content: string; summary?: string; importance: number; pinned: boolean; entry_id: string; version: number }
interface Change { memory_key: string; operation: string; version: number; reason: string; memory_entry_id: string; user_id: string }
interface Changes { items: Change[]; has_more: boolean; next_cursor: string }

const api = Client.owner();
const entries = (agentId: string) => `/v1/agents/${agentId}/memory/entries`;
const save = (agentId: string, key: string, body: Record<string, unknown>, status = 201) => api.put<Entry>(`${entries(agentId)}/${key}`, body, status);
const list = (agentId: string, query: Record<string, string | number> = {}) => api.get<Page<Entry>>(entries(agentId), query);
const changes = (agentId: string, query: Record<string, string | number> = {}) => api.get<Changes>(`/v1/agents/${agentId}/memory/changes`, query);

describe('agent memory', () => {
  it('R35: entries are written whole, read, and deleted without complaint', async () => {
    const { id } = await createAgent(api);
    const made = await save(id, 'home', { content: 'Lives in Oslo', summary: 'city', importance: 80, metadata: { a: 1 } });
    expect(made).toMatchObject({ key: 'home', user_id: '', kind: 'fact', importance: 80, pinned: false, version: 1, metadata: { a: 1 } });
    expect(made.entry_id).toMatch(/^mem_[0-9a-z]{20,}$/);
    expect(await api.get<Entry>(`${entries(id)}/home`)).toEqual(made);
    expect(await save(id, 'home', { content: 'Lives in Oslo', summary: 'city', importance: 80, metadata: { a: 1 } }, 200)).toEqual(made);
    const next = await save(id, 'home', { content: 'Lives in Bergen', kind: 'preference' }, 200);
    expect(next).toMatchObject({ entry_id: made.entry_id, version: 2, kind: 'preference' });
    expect(next).not.toHaveProperty('summary');
    await api.delete(`${entries(id)}/home`);
    await api.delete(`${entries(id)}/home`);
    await api.refused('not_found', 'GET', `${entries(id)}/home`);
    const again = await save(id, 'home', { content: 'x' });
    expect(again.version).toBe(1);
    expect(again.entry_id).not.toBe(made.entry_id);
  });

  it('R36: partitions are apart', async () => {
    const { id } = await createAgent(api);
    await save(id, 'k', { content: 'shared' });
    await save(id, 'k', { content: 'of ann', user_id: 'user_ann' });
    expect((await api.get<Entry>(`${entries(id)}/k`)).content).toBe('shared');
    expect((await api.get<Entry>(`${entries(id)}/k`, { user_id: 'user_ann' })).content).toBe('of ann');
    expect((await list(id)).items).toHaveLength(2);
    expect((await list(id, { user_id: 'user_ann' })).items.map(({ content }) => content)).toEqual(['of ann']);
    await api.delete(`${entries(id)}/k`);
    expect((await list(id)).items.map(({ content }) => content)).toEqual(['of ann']);
  });

  it('lists by kind, searches by beginnings of words, pages, and sums up', async () => {
    const { id } = await createAgent(api);
    await save(id, 'a', { content: 'Likes green tea', kind: 'preference' });
    await save(id, 'b', { content: 'Works on tractors' });
    await save(id, 'c', { content: 'Tea time is four' });
    const keys = async (query: Record<string, string | number>) => (await list(id, query)).items.map(({ key }) => key);
    expect(await keys({ query: 'TEA' })).toEqual(['a', 'c']);
    expect(await keys({ query: 'tea gre' })).toEqual(['a']);
    expect(await keys({ kind: 'fact' })).toEqual(['b', 'c']);
    const first = await list(id, { limit: 2 });
    expect(first.has_more).toBe(true);
    expect((await list(id, { limit: 2, cursor: first.next_cursor ?? '' })).items.map(({ key }) => key)).toEqual(['c']);
    await api.refused('memory_semantic_search_unavailable', 'GET', entries(id), { query: { query: 'tea', search_mode: 'semantic' } });
    const summary = await api.get<{ entry_count: number; counts_by_kind: Record<string, number>; updated_at?: string }>(`/v1/agents/${id}/memory`);
    expect(summary).toMatchObject({ agent_id: id, entry_count: 3, counts_by_kind: { preference: 1, fact: 2 } });
    expect(summary.updated_at).toBeDefined();
  });

  it('R37: the feed tells every change in order, without content, and always where to go on', async () => {
    const { id } = await createAgent(api);
    const empty = await changes(id);
    expect(empty).toMatchObject({ items: [], has_more: false });
    await save(id, 'a', { content: 'secret one' });
    await save(id, 'a', { content: 'secret two' }, 200);
    await api.delete(`${entries(id)}/a`);
    const all = await changes(id, { after: empty.next_cursor });
    expect(all.items.map(({ operation, version, reason }) => [operation, version, reason])).toEqual([['created', 1, 'api'], ['updated', 2, 'api'], ['deleted', 3, 'api']]);
    expect(JSON.stringify(all)).not.toContain('secret');
    const first = await changes(id, { limit: 1 });
    expect(first.has_more).toBe(true);
    const rest = await changes(id, { after: first.next_cursor, limit: 100 });
    expect(rest.items).toEqual(all.items.slice(1));
    expect(await changes(id, { after: rest.next_cursor })).toMatchObject({ items: [], has_more: false });
    await api.refused('invalid_cursor', 'GET', `/v1/agents/${id}/memory/changes`, { query: { after: 'nonsense' } });
    const other = await createAgent(api);
    await api.refused('invalid_cursor', 'GET', `/v1/agents/${other.id}/memory/changes`, { query: { after: first.next_cursor } });
  });

  it('L11, L15: refuses what is too large, too deep or misnamed', async () => {
    const { id } = await createAgent(api);
    await api.refused('bad_request', 'PUT', `${entries(id)}/k`, { body: { content: 'x', metadata: { a: 'x'.repeat(17_000) } } });
    await api.refused('bad_request', 'PUT', `${entries(id)}/k`, { body: { content: 'x', metadata: { a: { a: { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } } } } } });
    await api.refused('bad_request', 'PUT', `${entries(id)}/k`, { body: { content: 'x'.repeat(16_385) }, invalid: true });
    await api.refused('bad_request', 'PUT', `${entries(id)}/k`, { body: { content: 'x', importance: 101 }, invalid: true });
    expect((await save(id, 'k', { content: 'x'.repeat(16_384) })).content).toHaveLength(16_384);
  });

  it('G13: the memory of an agent out of reach is not there; viewers read only', async () => {
    const [ann, bob] = [await person(api, 'Admin'), await person(api, 'User')];
    const mine = await ann.client.post<{ id: string }>('/v1/agents', { name: `mine-${ann.id}`.slice(0, 60) }, 201);
    await bob.client.refused('not_found', 'GET', entries(mine.id));
    await bob.client.refused('not_found', 'PUT', `${entries(mine.id)}/k`, { body: { content: 'x' } });
    await bob.client.refused('not_found', 'GET', `/v1/agents/${mine.id}/memory/changes`);
    const { id } = await createAgent(api);
    const viewer = await callerWith(api, 'Viewer');
    await viewer.refused('permission_denied', 'PUT', `${entries(id)}/k`, { body: { content: 'x' } });
    expect((await viewer.get<Page<Entry>>(entries(id))).items).toEqual([]);
  });

  it('L15: above the soft cap the least important, oldest, unpinned entries leave', async () => {
    const { id } = await createAgent(api);
    const keys = Array.from({ length: 500 }, (_, index) => `k${index}`);
    for (let from = 0; from < keys.length; from += 50) {
      await Promise.all(keys.slice(from, from + 50).map((key, offset) => save(id, key, { content: key, importance: from + offset === 3 ? 1 : 50, pinned: from + offset === 0 })));
    }
    await save(id, 'one-more', { content: 'x' });
    await api.refused('not_found', 'GET', `${entries(id)}/k3`);
    await api.get(`${entries(id)}/k0`);
    expect((await api.get<{ entry_count: number }>(`/v1/agents/${id}/memory`)).entry_count).toBe(500);
    await save(id, 'others', { content: 'x', user_id: 'user_x' });
    expect((await list(id, { user_id: 'user_x' })).items).toHaveLength(1);
    let cursor = '';
    const evicted: Change[] = [];
    for (let more = true; more;) {
      const page = await changes(id, { limit: 100, ...(cursor ? { after: cursor } : {}) });
      evicted.push(...page.items.filter(({ reason }) => reason === 'soft_cap'));
      [cursor, more] = [page.next_cursor, page.has_more];
    }
    expect(evicted.map(({ memory_key }) => memory_key)).toEqual(['k3']);
  });
});
