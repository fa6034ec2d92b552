import { Client, type Page, callerWith, createAgent, eventually, person } from '../harness/index.js';

interface Entry {
  key: string;
  user_id: string;
  kind: string;
  content: string;
  summary?: string;
  importance: number;
  pinned: boolean;
  entry_id: string;
  version: number;
}
interface Change {
  memory_key: string;
  operation: string;
  version: number;
  reason: string;
  memory_entry_id: string;
  user_id: string;
}
interface Changes {
  items: Change[];
  has_more: boolean;
  next_cursor: string;
}

const api = Client.owner();
const entries = (agentId: string) => `/v1/agents/${agentId}/memory/entries`;
const save = (agentId: string, key: string, body: Record<string, unknown>, status = 201) =>
  api.put<Entry>(`${entries(agentId)}/${key}`, body, status);
const list = (agentId: string, query: Record<string, string | number> = {}) =>
  api.get<Page<Entry>>(entries(agentId), query);
const changes = (agentId: string, query: Record<string, string | number> = {}) =>
  api.get<Changes>(`/v1/agents/${agentId}/memory/changes`, query);

describe('agent memory', () => {
  it('R35: entries are written whole, read, and deleted without complaint', async () => {
    const { id } = await createAgent(api);
    const made = await save(id, 'home', {
      content: 'Lives in Oslo',
      summary: 'city',
      importance: 80,
      metadata: { a: 1 },
    });
    expect(made).toMatchObject({
      key: 'home',
      user_id: '',
      kind: 'fact',
      importance: 80,
      pinned: false,
      version: 1,
      metadata: { a: 1 },
    });
    expect(made.entry_id).toMatch(/^mem_[0-9a-z]{20,}$/);
    expect(await api.get<Entry>(`${entries(id)}/home`)).toEqual(made);
    expect(
      await save(id, 'home', { content: 'Lives in Oslo', summary: 'city', importance: 80, metadata: { a: 1 } }, 200),
    ).toEqual(made);
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

  it("R36, rule R46: a person's partition is that person's alone; to all others it is not there, whether it holds anything or not", async () => {
    const { id } = await createAgent(api);
    const [ann, bob, admin] = [await person(api), await person(api), await person(api, 'Admin')];
    await save(id, 'k', { content: 'shared' });
    await ann.client.put(`${entries(id)}/k`, { content: 'of ann', user_id: ann.id }, 201);
    await ann.client.put(`${entries(id)}/gone`, { content: 'of ann', user_id: ann.id, kind: 'episode' }, 201);
    await ann.client.call('DELETE', `${entries(id)}/gone`, { query: { user_id: ann.id }, expect: 204 });
    await ann.client.put(`${entries(id)}/own`, { content: 'of ann', user_id: ann.id, kind: 'preference' }, 201);
    expect((await ann.client.get<Entry>(`${entries(id)}/k`)).content).toBe('shared');
    expect((await ann.client.get<Entry>(`${entries(id)}/k`, { user_id: ann.id })).content).toBe('of ann');
    const seenBy = async (client: Client) =>
      (await client.get<Page<Entry>>(entries(id))).items.map(({ content }) => content);
    expect(await seenBy(ann.client)).toEqual(['shared', 'of ann', 'of ann']);
    expect((await ann.client.get<Page<Entry>>(entries(id), { user_id: ann.id })).items).toHaveLength(2);
    expect(await ann.client.get(`/v1/agents/${id}/memory`)).toMatchObject({
      entry_count: 3,
      counts_by_kind: { fact: 2, preference: 1 },
    });
    for (const client of [bob.client, admin.client, api]) {
      expect(await seenBy(client)).toEqual(['shared']);
      expect((await client.get<Page<Entry>>(entries(id), { query: 'ann' })).items).toEqual([]);
      const summary = await client.get<{ counts_by_kind: object }>(`/v1/agents/${id}/memory`);
      expect(summary).toMatchObject({ entry_count: 1 });
      expect(summary.counts_by_kind).toEqual({ fact: 1 });
      await client.refused('not_found', 'GET', entries(id), { query: { user_id: ann.id } });
      for (const key of ['k', 'never']) {
        await client.refused('not_found', 'GET', `${entries(id)}/${key}`, { query: { user_id: ann.id } });
        await client.refused('not_found', 'PUT', `${entries(id)}/${key}`, { body: { content: 'x', user_id: ann.id } });
        await client.refused('not_found', 'DELETE', `${entries(id)}/${key}`, { query: { user_id: ann.id } });
      }
      const shown = await client.get<Changes>(`/v1/agents/${id}/memory/changes`, { limit: 1 });
      expect(shown).toMatchObject({ items: [{ memory_key: 'k', user_id: '' }], has_more: false });
      expect(await client.get<Changes>(`/v1/agents/${id}/memory/changes`, { after: shown.next_cursor })).toMatchObject({
        items: [],
        has_more: false,
      });
    }
    const hers = await ann.client.get<Changes>(`/v1/agents/${id}/memory/changes`, { limit: 100 });
    expect(hers.items.map(({ memory_key: key, operation }) => `${key} ${operation}`)).toEqual([
      'k created',
      'k created',
      'gone created',
      'gone deleted',
      'own created',
    ]);
  });

  it("rule R46: source events of a person's partition are seen by that person alone", async () => {
    const { id } = await createAgent(api);
    const [ann, admin] = [await person(api), await person(api, 'Admin')];
    await ann.client.put(`${entries(id)}/hers`, { content: 'of ann', user_id: ann.id }, 201);
    await save(id, 'shared', { content: 'of all' });
    const told = (client: Client) =>
      eventually('the event of the shared entry', async () => {
        const page = await client.get<Page<{ event: { agent_id: string; memory_key: string } }>>('/v1/events', {
          event_type: 'memory.entry.*',
          limit: 100,
          order: 'desc',
        });
        const keys = page.items.flatMap(({ event }) => (event.agent_id === id ? [event.memory_key] : []));
        return keys.includes('shared') && keys;
      });
    expect([await told(ann.client), await told(admin.client), await told(api)]).toEqual([
      ['hers', 'shared'],
      ['shared'],
      ['shared'],
    ]);
  });

  it('rule R46: an administrator erases a whole partition unseen, and the audit says so', async () => {
    const { id } = await createAgent(api);
    const [ann, bob, admin] = [await person(api), await person(api), await person(api, 'Admin')];
    const path = `/v1/agents/${id}/memory/partitions/${ann.id}`;
    await save(id, 'k', { content: 'shared' });
    for (const key of ['a', 'b'])
      await ann.client.put(`${entries(id)}/${key}`, { content: 'of ann', user_id: ann.id, pinned: true }, 201);
    await bob.client.put(`${entries(id)}/a`, { content: 'of bob', user_id: bob.id }, 201);
    await bob.client.refused('permission_denied', 'DELETE', path);
    expect((await admin.client.call('DELETE', path, { expect: 200 })).body).toEqual({
      agent_id: id,
      user_id: ann.id,
      erased_count: 2,
      has_more: false,
    });
    expect((await ann.client.get<Page<Entry>>(entries(id))).items.map(({ content }) => content)).toEqual(['shared']);
    expect((await bob.client.get<Page<Entry>>(entries(id))).items.map(({ content }) => content)).toEqual([
      'shared',
      'of bob',
    ]);
    expect((await admin.client.call('DELETE', path, { expect: 200 })).body).toMatchObject({ erased_count: 0 });
    const audited = await eventually('the audit', async () => {
      const { items } = await api.get<
        Page<{ action: string; actor: { principal_id: string }; resource: { id: string }; changed_fields: string[] }>
      >('/v1/audit', { limit: 100 });
      const found = items.filter(({ action, resource }) => action === 'memory.erased' && resource.id === id);
      return found.length === 2 && found;
    });
    expect(audited[0]).toMatchObject({ actor: { principal_id: admin.id }, changed_fields: [`memory/${ann.id}`] });
  });

  it('TE17: a person promotes an entry of theirs; its undoing is theirs alone, and brings back what stood there', async () => {
    const { id } = await createAgent(api);
    const [ann, bob] = [await person(api), await person(api)];
    const of = (key: string) => `${entries(id)}/${key}/promotion`;
    const promote = (key: string, replace?: boolean) =>
      ann.client.post<Entry>(of(key), { user_id: ann.id, ...(replace === undefined ? {} : { replace }) }, 200);
    const shared = (key: string) => api.get<Entry>(`${entries(id)}/${key}`);
    for (const key of ['new', 'taken', 'moved'])
      await ann.client.put(`${entries(id)}/${key}`, { content: `ann ${key}`, user_id: ann.id, importance: 70 }, 201);
    await save(id, 'taken', { content: 'of all' });

    for (const client of [bob.client, api]) {
      await client.refused('not_found', 'POST', of('new'), { body: { user_id: ann.id } });
      await client.refused('not_found', 'POST', of('never'), { body: { user_id: ann.id } });
    }
    await ann.client.refused('not_found', 'POST', of('never'), { body: { user_id: ann.id } });
    await ann.client.refused('not_found', 'POST', of('taken'), { body: { user_id: '' } });
    await api.refused('not_found', 'GET', `${entries(id)}/new`);

    expect(await promote('new')).toMatchObject({ key: 'new', user_id: '', content: 'ann new', importance: 70 });
    expect(await shared('new')).toMatchObject({ content: 'ann new', version: 1 });
    await ann.client.refused('already_exists', 'POST', of('taken'), { body: { user_id: ann.id } });
    expect(await promote('taken', true)).toMatchObject({ content: 'ann taken', version: 2 });

    for (const client of [bob.client, api]) await client.refused('not_found', 'DELETE', of('taken'));
    await ann.client.delete(of('taken'));
    expect(await shared('taken')).toMatchObject({ content: 'of all', version: 3 });
    await ann.client.refused('not_found', 'DELETE', of('taken'));
    await ann.client.delete(of('new'));
    await api.refused('not_found', 'GET', `${entries(id)}/new`);

    await promote('moved');
    await save(id, 'moved', { content: 'newer' }, 200);
    expect(await ann.client.refused('conflict', 'DELETE', of('moved'))).toEqual({ reason: 'changed' });
    expect(await shared('moved')).toMatchObject({ content: 'newer' });

    const { items } = await changes(id, { limit: 100 });
    expect(
      items.filter(({ memory_key: key }) => key !== 'moved').map((c) => [c.memory_key, c.operation, c.reason]),
    ).toEqual([
      ['taken', 'created', 'api'],
      ['new', 'created', 'promoted'],
      ['taken', 'updated', 'promoted'],
      ['taken', 'updated', 'promotion_reverted'],
      ['new', 'deleted', 'promotion_reverted'],
    ]);
    const audited = await eventually('the audit', async () => {
      const page = await api.get<Page<{ action: string; actor: { principal_id: string } }>>('/v1/audit', {
        actor_id: ann.id,
        limit: 100,
      });
      return page.items.length === 5 && page.items;
    });
    expect(audited.map(({ action }) => action).sort()).toEqual([
      'memory_entry.promoted',
      'memory_entry.promoted',
      'memory_entry.promoted',
      'memory_entry.promotion_reverted',
      'memory_entry.promotion_reverted',
    ]);
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
    await api.refused('memory_semantic_search_unavailable', 'GET', entries(id), {
      query: { query: 'tea', search_mode: 'semantic' },
    });
    const summary = await api.get<{ entry_count: number; counts_by_kind: Record<string, number>; updated_at?: string }>(
      `/v1/agents/${id}/memory`,
    );
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
    expect(all.items.map(({ operation, version, reason }) => [operation, version, reason])).toEqual([
      ['created', 1, 'api'],
      ['updated', 2, 'api'],
      ['deleted', 3, 'api'],
    ]);
    expect(JSON.stringify(all)).not.toContain('secret');
    const first = await changes(id, { limit: 1 });
    expect(first.has_more).toBe(true);
    const rest = await changes(id, { after: first.next_cursor, limit: 100 });
    expect(rest.items).toEqual(all.items.slice(1));
    expect(await changes(id, { after: rest.next_cursor })).toMatchObject({ items: [], has_more: false });
    await api.refused('invalid_cursor', 'GET', `/v1/agents/${id}/memory/changes`, { query: { after: 'nonsense' } });
    const other = await createAgent(api);
    await api.refused('invalid_cursor', 'GET', `/v1/agents/${other.id}/memory/changes`, {
      query: { after: first.next_cursor },
    });
  });

  it('L11, L15: refuses what is too large, too deep or misnamed', async () => {
    const { id } = await createAgent(api);
    await api.refused('bad_request', 'PUT', `${entries(id)}/k`, {
      body: { content: 'x', metadata: { a: 'x'.repeat(17_000) } },
    });
    await api.refused('bad_request', 'PUT', `${entries(id)}/k`, {
      body: { content: 'x', metadata: { a: { a: { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } } } } },
    });
    await api.refused('bad_request', 'PUT', `${entries(id)}/k`, {
      body: { content: 'x'.repeat(16_385) },
      invalid: true,
    });
    await api.refused('bad_request', 'PUT', `${entries(id)}/k`, {
      body: { content: 'x', importance: 101 },
      invalid: true,
    });
    expect((await save(id, 'k', { content: 'x'.repeat(16_384) })).content).toHaveLength(16_384);
    expect((await save(id, 'k'.repeat(256), { content: 'x' })).key).toHaveLength(256);
    for (const key of ['k'.repeat(257), 'k'.repeat(400), 'a%20b']) {
      for (const method of ['GET', 'DELETE'])
        await api.refused('bad_request', method, `${entries(id)}/${key}`, { invalid: true });
      await api.refused('bad_request', 'PUT', `${entries(id)}/${key}`, { body: { content: 'x' }, invalid: true });
      await api.refused('not_found', 'DELETE', `${entries(id)}/${key}/promotion`, { invalid: true });
    }
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
      await Promise.all(
        keys
          .slice(from, from + 50)
          .map((key, offset) =>
            save(id, key, { content: key, importance: from + offset === 3 ? 1 : 50, pinned: from + offset === 0 }),
          ),
      );
    }
    await save(id, 'one-more', { content: 'x' });
    await api.refused('not_found', 'GET', `${entries(id)}/k3`);
    await api.get(`${entries(id)}/k0`);
    expect((await api.get<{ entry_count: number }>(`/v1/agents/${id}/memory`)).entry_count).toBe(500);
    const ann = await person(api);
    await ann.client.put(`${entries(id)}/others`, { content: 'x', user_id: ann.id }, 201);
    expect((await ann.client.get<Page<Entry>>(entries(id), { user_id: ann.id })).items).toHaveLength(1);
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
