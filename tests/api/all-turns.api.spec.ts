import {
  type Agent,
  Client,
  type Page,
  type Turn,
  anotherOwner,
  callerWith,
  cancelTurn,
  converse,
  createAgent,
  endlessScript,
  invoke,
  person,
  reaches,
  script,
  settled,
  unique,
} from '../harness/index.js';

const api = Client.owner();
const failing = script({ fail: 'broken' });
const listed = async (client: Client, query: Record<string, string | string[]>): Promise<string[]> =>
  (await client.get<Page<Turn>>('/v1/turns', { limit: 100, ...query })).items.map(({ id }) => id);

describe('rule T35: turns of all sessions', () => {
  let agent: Agent;
  let done: string;
  let failed: string;
  let open: { session_id: string; turn_id: string };

  beforeAll(async () => {
    agent = await createAgent(api, { name: unique('all-turns') });
    done = (await converse(api, agent.id, 'one')).ack.turn_id;
    const broken = await converse(api, agent.id, failing);
    expect(broken.turn.status).toBe('failed');
    failed = broken.ack.turn_id;
    open = await invoke(api, agent.id, endlessScript);
    await reaches(api, open, 'running');
  });

  afterAll(() => cancelTurn(api, open));

  it('are listed newest first, each as it is now', async () => {
    const { items } = await api.get<Page<Turn>>('/v1/turns', { agent_id: agent.id });
    expect(items.map(({ id, status }) => [id, status])).toEqual([
      [open.turn_id, 'running'],
      [failed, 'failed'],
      [done, 'completed'],
    ]);
    expect(items[1]).toEqual(
      await api.get(`/v1/sessions/${String(items[1]?.session_id)}/turns/${String(items[1]?.id)}`),
    );
  });

  it('are found by status, which repeats, by agent and by the time they were created', async () => {
    const agent_id = agent.id;
    expect(await listed(api, { agent_id, status: 'failed' })).toEqual([failed]);
    expect(await listed(api, { agent_id, status: ['completed', 'running'] })).toEqual([open.turn_id, done]);
    expect(await listed(api, { agent_id, status: 'waiting' })).toEqual([]);
    expect(await listed(api, { status: 'failed' })).toContain(failed);
    const { items } = await api.get<Page<Turn>>('/v1/turns', { agent_id });
    const since = String(items[1]?.created_at);
    expect(await listed(api, { agent_id, since })).toEqual([open.turn_id, failed]);
    expect(await listed(api, { agent_id, since: '2120-01-01T00:00:00Z' })).toEqual([]);
    await api.refused('bad_request', 'GET', '/v1/turns', { query: { since: 'yesterday' }, invalid: true });
    await api.refused('bad_request', 'GET', '/v1/turns', { query: { status: 'lost' }, invalid: true });
  });

  it('come in pages whose cursor is good for the same filters alone', async () => {
    const query = { agent_id: agent.id, limit: 2, status: ['completed', 'failed', 'running'] };
    const first = await api.get<Page<Turn>>('/v1/turns', query);
    expect([first.items.map(({ id }) => id), first.has_more]).toEqual([[open.turn_id, failed], true]);
    const cursor = first.next_cursor ?? '';
    const statuses = [...query.status].reverse();
    const second = await api.get<Page<Turn>>('/v1/turns', { ...query, status: statuses, cursor });
    expect([second.items.map(({ id }) => id), second.has_more]).toEqual([[done], false]);
    await api.refused('invalid_cursor', 'GET', '/v1/turns', { query: { ...query, status: 'failed', cursor } });
    await api.refused('invalid_cursor', 'GET', '/v1/sessions', { query: { cursor } });
  });

  it("leave out what the list of sessions leaves out: others' private sessions, deleted ones, other organizations'", async () => {
    const ann = await person(api);
    const bob = await person(api);
    const { ack } = await converse(ann.client, agent.id, 'private');
    expect(await listed(ann.client, { agent_id: agent.id })).toContain(ack.turn_id);
    expect(await listed(bob.client, { agent_id: agent.id })).not.toContain(ack.turn_id);
    expect(await listed(bob.client, { agent_id: agent.id })).toContain(done);
    const hidden = await createAgent(ann.client, { name: unique('hidden'), visibility: 'private' });
    const { ack: unseen } = await converse(ann.client, hidden.id, 'of a private agent');
    expect(await listed(ann.client, { agent_id: hidden.id })).toEqual([unseen.turn_id]);
    expect(await listed(api, { agent_id: hidden.id })).toEqual([]);
    expect(await listed(anotherOwner(unique('Other')), {})).toEqual([]);
    await ann.client.delete(`/v1/sessions/${ack.session_id}`);
    expect(await listed(ann.client, { agent_id: agent.id })).not.toContain(ack.turn_id);
  });

  it('need view, and no more', async () => {
    const viewer = await callerWith(api, 'Viewer');
    expect(await listed(viewer, { agent_id: agent.id, status: 'failed' })).toEqual([failed]);
  });

  it('show a turn as soon as its end is answered', async () => {
    const ack = await invoke(api, agent.id, endlessScript);
    await cancelTurn(api, ack);
    expect(await listed(api, { agent_id: agent.id, status: 'cancelled' })).toEqual([ack.turn_id]);
    await settled(api, ack);
  });
});
