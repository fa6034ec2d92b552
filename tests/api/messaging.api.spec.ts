import { createHmac } from 'node:crypto';
import {
  type Agent,
  ActionServer,
  Client,
  type Page,
  allRows,
  anotherOwner,
  createAgent,
  eventually,
  person,
  script,
  scriptedModel,
  settled,
  startTurn,
  unique,
  timeFor,
} from '../harness/index.js';

interface Connection {
  id: string;
  signing_secret: string;
}
interface Binding {
  id: string;
  agent_id: string;
  enabled: boolean;
  created_at: string;
}
interface Taken {
  exchange_id: string;
  status: 'accepted' | 'ignored';
  reason?: string;
  turn_id?: string;
  deduped: boolean;
}
interface Session {
  id: string;
  agent_id: string;
  origin: string;
  owner: { kind: string };
  visibility: string;
  metadata: Record<string, unknown>;
  compaction_policy: { strategy: string };
}
interface Turn {
  id: string;
  session_id: string;
  status: string;
  channel_exchange_id?: string;
}
type Body = Record<string, unknown>;

const api = Client.owner();
let bridge: ActionServer;

beforeAll(async () => {
  bridge = await ActionServer.start();
});
afterAll(() => bridge.close());

/** A channel whose answers go to a path of the bridge. */
async function channel(fields: Body = {}, grants: Body = { everyone: true }): Promise<Connection & { path: string }> {
  const path = `/${unique('bridge')}`;
  const url = bridge.at(path, () => ({ status: 204, body: '' }));
  const made = await api.post<Connection>(
    '/v1/connections',
    {
      name: unique('channel'),
      kind: 'channel_webhook',
      owner: { kind: 'team' },
      hosts: [new URL(url).origin],
      url,
      ...fields,
    },
    201,
  );
  await api.put(`/v1/connections/${made.id}/grants`, { principal_ids: [], everyone: false, ...grants });
  return { ...made, path };
}

const agentOf = (fields: Body = {}): Promise<Agent> =>
  createAgent(api, { name: unique('channel'), visibility: 'organization', ...fields });
const bindingsOf = (agentId: string) => `/v1/agents/${agentId}/messaging-bindings`;
const bind = (agent: Agent, connection: Connection, fields: Body = {}, client = api) =>
  client.put<Binding>(
    bindingsOf(agent.id),
    { provider: 'slack', integration_id: connection.id, enabled: true, ...fields },
    200,
  );
const message = (connection: Connection, fields: Body = {}): Body => ({
  id: unique('m'),
  provider: 'slack',
  integration_id: connection.id,
  channel: { id: 'D1', kind: 'dm' },
  sender: { id: 'U1', name: 'Ann' },
  text: 'Hello',
  ...fields,
});
const send = (connection: Connection, fields: Body = {}, client = api) =>
  client.post<Taken>('/v1/inbound/messages', message(connection, fields), 202);
async function personWith(role_ids: string[]): Promise<Client> {
  const body = { name: unique('person'), kind: 'human', role_ids };
  const { id } = await api.post<{ id: string }>('/v1/principals', body, 201);
  return api.as((await api.post<{ key: string }>('/v1/api-keys', { name: unique('key'), principal_id: id }, 201)).key);
}
const turnOf = async (taken: Taken, sessionId: string): Promise<Turn> => {
  const { items } = await api.get<Page<Turn>>(`/v1/sessions/${sessionId}/turns`);
  const found = items.find(({ id }) => id === taken.turn_id);
  if (!found) throw new Error(`${taken.turn_id} is not in ${sessionId}`);
  return found;
};
const sessionsOf = async (connection: Connection): Promise<Session[]> =>
  (await api.get<Page<Session>>('/v1/sessions', { integration_id: connection.id, provider: 'slack' })).items;
const replies = (path: string, count: number) =>
  eventually(`${count} replies`, () => Promise.resolve(bridge.on(path).length >= count ? bridge.on(path) : null));

describe('messaging bindings', () => {
  it('TE12: an agent answers from an account of the team, as its binding says', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    const made = await api.put<Binding>(
      bindingsOf(agent.id),
      { provider: 'slack', integration_id: connection.id },
      200,
    );
    expect(made).toMatchObject({
      agent_id: agent.id,
      provider: 'slack',
      integration_id: connection.id,
      enabled: false,
      dms: true,
      mentions: true,
      all_messages: false,
      channels: [],
      dm_policy: 'open',
      sender_allow: [],
      reply_mode: 'auto',
    });
    const changed = await bind(agent, connection, { channels: ['C1'], sender_allow: ['U1'], dm_policy: 'allowlist' });
    expect(changed).toMatchObject({ id: made.id, created_at: made.created_at, enabled: true, channels: ['C1'] });
    expect(await api.get(bindingsOf(agent.id))).toEqual({ items: [changed] });
    await api.delete(`${bindingsOf(agent.id)}/${made.id}`);
    expect(await api.get(bindingsOf(agent.id))).toEqual({ items: [] });
    await api.refused('not_found', 'DELETE', `${bindingsOf(agent.id)}/${made.id}`);
    await api.refused('not_found', 'DELETE', `${bindingsOf(agent.id)}/nothing`);
  });

  it('TE12: one agent answers from one account; another takes its place only when asked to', async () => {
    const [first, second, connection] = [await agentOf(), await agentOf(), await channel()];
    const made = await bind(first, connection);
    const body = { provider: 'slack', integration_id: connection.id };
    const details = await api.refused('already_exists', 'PUT', bindingsOf(second.id), { body });
    expect(details).toEqual({ agent_id: first.id });
    const taken = await bind(second, connection, { replace_existing: true });
    expect(taken).toMatchObject({ id: made.id, agent_id: second.id });
    expect(await api.get(bindingsOf(first.id))).toEqual({ items: [] });
    await api.refused('not_found', 'DELETE', `${bindingsOf(first.id)}/${made.id}`);
    const [linear, slack] = [await bind(first, connection, { provider: 'linear' }), await bind(second, connection)];
    expect(linear.id).not.toBe(slack.id);
    await api.delete(`/v1/agents/${second.id}`);
    expect(await bind(first, connection)).toMatchObject({ id: made.id, agent_id: first.id });
  });

  it('TE12: what is out of reach is 404: of the agent, of the organization, of the connection', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    const body = { provider: 'slack', integration_id: connection.id };
    const ann = await person(api, 'Admin');
    const hidden = await createAgent(ann.client, { name: unique('hidden'), visibility: 'private' });
    await ann.client.refused('not_found', 'PUT', bindingsOf(hidden.id), { body });
    await api.refused('not_found', 'GET', bindingsOf(hidden.id));
    const other = anotherOwner(unique('Other'));
    await other.refused('not_found', 'PUT', bindingsOf(agent.id), { body });
    await other.refused('not_found', 'GET', bindingsOf(agent.id));
    const ungranted = await channel({}, { everyone: false });
    const own = await ann.client.post<Connection>(
      '/v1/connections',
      { name: unique('own'), kind: 'api_key', hosts: ['https://api.example.com'], secret: unique('a-secret') },
      201,
    );
    for (const integration_id of [ungranted.id, own.id, 'conn_00000000000000000000000000', 'slack-1'])
      await api.refused('not_found', 'PUT', bindingsOf(agent.id), { body: { ...body, integration_id } });
    await api.put(`/v1/connections/${ungranted.id}/grants`, { principal_ids: [agent.id], everyone: false });
    await bind(agent, ungranted);
  });

  it('TE12: an agent that the team owns is bound by an administrator or by software', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    const builders = { name: unique('builders'), description: 'd', permissions: ['svc.resource.build'] };
    const role = await api.post<{ id: string }>('/v1/roles', builders, 201);
    const builder = await personWith([role.id]);
    const body = { provider: 'slack', integration_id: connection.id };
    await builder.refused('permission_denied', 'PUT', bindingsOf(agent.id), { body });
    const made = await bind(agent, connection);
    await builder.refused('permission_denied', 'DELETE', `${bindingsOf(agent.id)}/${made.id}`);
    expect(await builder.get(bindingsOf(agent.id))).toMatchObject({ items: [{ id: made.id }] });
  });

  it('TE12: the model of a binding is that of the sessions that it opens', async () => {
    const [agent, connection, plain] = [await agentOf(), await channel(), await channel()];
    await bind(agent, connection, { model_route: { mode: 'managed', model: scriptedModel } });
    await bind(agent, plain);
    for (const account of [connection, plain]) await send(account);
    for (const { path } of [connection, plain]) await replies(path, 1);
    const [[session], [other]] = [await sessionsOf(connection), await sessionsOf(plain)];
    expect(session).toMatchObject({ model_override: scriptedModel });
    expect(other).not.toHaveProperty('model_override');
  });

  it('G29: a binding whose model of summaries is not in the catalog says so', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    const warning = async (summary_model: string) => {
      const compaction_policy = { strategy: 'auto', summary_model };
      const body = { provider: 'slack', integration_id: connection.id, compaction_policy };
      return (await api.call('PUT', bindingsOf(agent.id), { body })).headers.get('x-svc-warning');
    };
    expect([await warning('none'), await warning(scriptedModel)]).toEqual([
      'model_unavailable the%20model%20none%20of%20summaries%20is%20not%20in%20the%20catalog',
      null,
    ]);
  });

  it('TE16: a binding that cannot hold is refused', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    const refused = (fields: Body) =>
      api.refused('invalid_argument', 'PUT', bindingsOf(agent.id), {
        body: { provider: 'slack', integration_id: connection.id, ...fields },
      });
    expect(await refused({ provider: 'email' })).toMatchObject({ argument: 'integration_id' });
    expect(await refused({ model_route: { mode: 'managed', model: unique('none') } })).toMatchObject({
      argument: 'model_route',
    });
    expect(await refused({ sender_allow: ['x'.repeat(256)] })).toMatchObject({ argument: 'sender_allow' });
  });
});

describe('messages of an account', () => {
  it('TE13, TE14, TE15: begin a turn of the organization, whose answer leaves signed under one id', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    await bind(agent, connection, { compaction_policy: { strategy: 'manual' } });
    const body = message(connection, { text: 'Hello there', channel: { id: 'D7', kind: 'dm', thread_id: 'T1' } });
    const taken = await api.post<Taken>('/v1/inbound/messages', body, 202);
    expect(taken).toMatchObject({ status: 'accepted', deduped: false });
    expect(taken.exchange_id).toMatch(/^exch_/);
    const again = await api.post<Taken>('/v1/inbound/messages', { ...body, text: 'Else' }, 202);
    expect(again).toEqual({ ...taken, deduped: true });
    const [reply] = await replies(connection.path, 1);
    expect(reply?.body).toEqual({
      exchange_id: taken.exchange_id,
      channel: body['channel'],
      in_reply_to: body['id'],
      text: 'You said: Hello there',
    });
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = reply?.headers ?? {};
    expect(id).toBe(taken.exchange_id);
    const key = Buffer.from(connection.signing_secret.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${String(id)}.${String(at)}.${reply?.raw.toString() ?? ''}`);
    expect(signature).toBe(`v1,${expected.digest('base64')}`);
    const [session, ...more] = await sessionsOf(connection);
    expect(more).toEqual([]);
    expect(session).toMatchObject({
      agent_id: agent.id,
      origin: 'messaging',
      owner: { kind: 'team' },
      visibility: 'organization',
      metadata: { provider: 'slack', integration_id: connection.id, channel_id: 'D7', thread_id: 'T1' },
      compaction_policy: { strategy: 'manual' },
    });
    expect(await turnOf(taken, session?.id ?? '')).toMatchObject({
      status: 'completed',
      channel_exchange_id: taken.exchange_id,
    });
    const rows = await allRows(api, session?.id ?? '');
    expect(rows[0]).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: 'Hello there' }],
      metadata: { channel_id: 'D7', thread_id: 'T1', sender: { id: 'U1', name: 'Ann' } },
    });
    expect(bridge.on(connection.path)).toHaveLength(1);
  });

  it('TE14: a thread has one session, and its turns queue behind what is open', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    await bind(agent, connection);
    const first = await send(connection, { text: 'tokens=5 every=100' });
    const [session] = await eventually('the session', async () => {
      const found = await sessionsOf(connection);
      return found.length > 0 ? found : null;
    });
    const [second, third] = [await send(connection, { text: 'two' }), await send(connection, { text: 'three' })];
    const thread = await send(connection, { text: 'elsewhere', channel: { id: 'D1', kind: 'dm', thread_id: 'T' } });
    const got = await replies(connection.path, 4);
    const inOrder = got.map(({ body }) => body['exchange_id']).filter((id) => id !== thread.exchange_id);
    expect(new Set(inOrder)).toEqual(new Set([first, second, third].map(({ exchange_id: id }) => id)));
    const { items } = await api.get<Page<Turn>>(`/v1/sessions/${session?.id ?? ''}/turns`);
    expect(items.map(({ id }) => id).sort()).toEqual([first, second, third].map(({ turn_id: id }) => id).sort());
    expect(await sessionsOf(connection)).toHaveLength(2);
  });

  it('T36: a turn that waits is not seen by those before it, and its message comes after their answers', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    await bind(agent, connection);
    const wait_ms = await timeFor(api, 6);
    const first = script({ wait_ms }, { call: { name: 'none', input: {} } }, { read: 'last_user' });
    const texts = [first, 'two', 'three'];
    for (const text of texts) await send(connection, { text });
    const got = await replies(connection.path, 3);
    const said = texts.map((text) => (text === first ? first : `You said: ${text}`));
    expect(got.map(({ body }) => body['text'])).toEqual(said);
    const [session] = await sessionsOf(connection);
    const rows = await allRows(api, session?.id ?? '');
    expect(rows.slice(0, 3).map(({ role }) => role)).toEqual(['user', 'user', 'user']);
  });

  it('TE14: a message takes no direct turn, and is kept up by none', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    await bind(agent, connection);
    await send(connection, { text: script({ wait_ms: await timeFor(api, 10) }, { say: 'done' }) });
    const [session] = await eventually('the session', async () => {
      const found = await sessionsOf(connection);
      return found.length > 0 ? found : null;
    });
    const id = session?.id ?? '';
    const direct = await startTurn(api, id, 'said directly');
    await api.refused('session_turn_active', 'POST', `/v1/sessions/${id}/turns`, {
      body: { content: [{ type: 'text', text: 'another one' }] },
    });
    expect(await send(connection, { text: 'a message' })).toMatchObject({ status: 'accepted' });
    const [, second] = await replies(connection.path, 2);
    expect(second?.body).toMatchObject({ text: 'You said: a message' });
    expect(await settled(api, direct)).toMatchObject({ status: 'completed' });
  });

  it("TE14: the turn is the organization's: it remembers for all and has no account of the person that it names", async () => {
    const [ann, connection, provider] = [await person(api), await channel(), unique('prov').toLowerCase()];
    const name = unique('act');
    const endpoint_url = bridge.at(`/${name}`, () => ({ body: { ok: true } }));
    await api.post('/v1/actions', { name, endpoint_url, provider }, 201);
    const agent = await agentOf({
      memory_enabled: true,
      action_selectors: ['svc.memory.remember', name].map((selector) => ({ selector_type: 'exact', selector })),
      integration_access: [{ provider, act_as_user: true }],
    });
    const account = {
      name,
      kind: 'api_key',
      provider,
      owner: { kind: 'person' },
      hosts: [new URL(endpoint_url).origin],
    };
    const own = { ...account, secret: unique('a-secret') };
    const { id } = await ann.client.post<Connection>('/v1/connections', own, 201);
    await ann.client.put(`/v1/connections/${id}/grants`, { principal_ids: [agent.id], everyone: false });
    await bind(agent, connection);
    const remembered = { call: { name: 'svc_memory_remember', input: { key: 'k', content: 'of the channel' } } };
    const text = script(remembered, { call: { name, input: {} } }, { read: 'last_tool_result' });
    await send(connection, { text, sender: { id: ann.id, name: 'Ann' } });
    const [reply] = await replies(connection.path, 1);
    expect(String(reply?.body['text'])).toContain('connection_not_granted');
    expect(bridge.on(`/${name}`)).toEqual([]);
    expect(await api.get(`/v1/agents/${agent.id}/memory/entries/k`)).toMatchObject({
      user_id: '',
      content: 'of the channel',
    });
    await ann.client.refused('not_found', 'GET', `/v1/agents/${agent.id}/memory/entries/k?user_id=${ann.id}`);
  });

  it('TE13: one id of two accounts is two messages', async () => {
    const [agent, one, other] = [await agentOf(), await channel(), await channel()];
    for (const connection of [one, other]) await bind(agent, connection);
    const id = unique('m');
    const taken = [await send(one, { id }), await send(other, { id })];
    expect(taken).toMatchObject([
      { status: 'accepted', deduped: false },
      { status: 'accepted', deduped: false },
    ]);
    expect(new Set(taken.map(({ exchange_id: exchange }) => exchange)).size).toBe(2);
    for (const { path } of [one, other]) await replies(path, 1);
  });

  it('TE13: says why no turn begins, and says it again', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    expect(await send(connection)).toMatchObject({ status: 'ignored', reason: 'no_binding' });
    await bind(agent, connection, { enabled: false });
    const body = message(connection);
    expect(await api.post('/v1/inbound/messages', body, 202)).toMatchObject({
      status: 'ignored',
      reason: 'not_enabled',
    });
    await bind(agent, connection, { dm_policy: 'allowlist', sender_allow: ['U2'], channels: ['C1'] });
    const kept = await api.post<Taken>('/v1/inbound/messages', body, 202);
    expect(kept).toMatchObject({ status: 'ignored', reason: 'not_enabled', deduped: true });
    const said = { channel: { id: 'C1', kind: 'channel' } };
    expect(await send(connection)).toMatchObject({ reason: 'sender_not_allowed' });
    expect(await send(connection, { sender: { id: 'U2', is_bot: true } })).toMatchObject({ reason: 'bot' });
    expect(await send(connection, said)).toMatchObject({ reason: 'not_mentioned' });
    expect(await send(connection, { channel: { id: 'C2', kind: 'channel' }, mentions_agent: true })).toMatchObject({
      reason: 'channel_not_listed',
    });
    expect(await send(connection, { ...said, mentions_agent: true })).toMatchObject({ status: 'accepted' });
    expect(await send(connection, { sender: { id: 'U2' } })).toMatchObject({ status: 'accepted' });
    await replies(connection.path, 2);
    await api.patch(`/v1/agents/${agent.id}`, { status: 'inactive' });
    expect(await send(connection, { sender: { id: 'U2' } })).toMatchObject({ reason: 'agent_unavailable' });
  });

  it('TE13: come with a key that the connection grants, else 404', async () => {
    const agent = await agentOf();
    const connection = await channel({}, { principal_ids: [agent.id] });
    await bind(agent, connection);
    const body = message(connection);
    const [stranger, granted] = [await person(api), await person(api)];
    await stranger.client.refused('not_found', 'POST', '/v1/inbound/messages', { body });
    await api.put(`/v1/connections/${connection.id}/grants`, {
      principal_ids: [agent.id, granted.id],
      everyone: false,
    });
    expect(await granted.client.post<Taken>('/v1/inbound/messages', body, 202)).toMatchObject({ status: 'accepted' });
    await anotherOwner(unique('Other')).refused('not_found', 'POST', '/v1/inbound/messages', { body });
    await stranger.client.refused('not_found', 'POST', '/v1/inbound/messages', { body });
    const long = message(connection, { text: 'ä'.repeat(16 * 1024 + 1) });
    expect(await granted.client.refused('payload_too_large', 'POST', '/v1/inbound/messages', { body: long })).toEqual({
      limit_bytes: 32 * 1024,
    });
    await granted.client.refused('bad_request', 'POST', '/v1/inbound/messages', {
      body: { ...message(connection), provider: 'email' },
      invalid: true,
    });
  });

  it('TE13, TE14: that come again at once are one exchange with one turn', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    await bind(agent, connection);
    const body = message(connection);
    const taken = await Promise.all(
      Array.from({ length: 8 }, () => api.post<Taken>('/v1/inbound/messages', body, 202)),
    );
    expect(new Set(taken.map(({ exchange_id: id }) => id)).size).toBe(1);
    expect(new Set(taken.map(({ turn_id: id }) => id)).size).toBe(1);
    expect(taken.filter(({ deduped }) => !deduped)).toHaveLength(1);
    await replies(connection.path, 1);
    const [session] = await sessionsOf(connection);
    expect((await api.get<Page<Turn>>(`/v1/sessions/${session?.id ?? ''}/turns`)).items).toHaveLength(1);
  });

  it('TE15: a failed turn sends nothing, and an answer that is not taken comes again under its id', async () => {
    const [agent, connection] = [await agentOf(), await channel()];
    bridge.at(connection.path, (_request, earlier) => ({ status: earlier === 0 ? 500 : 204, body: '' }));
    await bind(agent, connection);
    const failing = await send(connection, { text: script({ error: { type: 'invalid_request', message: 'no' } }) });
    const [session] = await sessionsOf(connection);
    await eventually('the end of the turn', async () => {
      const { status } = await turnOf(failing, session?.id ?? '');
      return status === 'failed' ? true : null;
    });
    const taken = await send(connection, { text: 'again' });
    const [first, second] = await eventually('the second try', () =>
      Promise.resolve(bridge.on(connection.path).length > 1 ? bridge.on(connection.path) : null),
    );
    expect(first?.body['exchange_id']).toBe(taken.exchange_id);
    expect(second?.raw).toEqual(first?.raw);
    expect(second?.headers['webhook-id']).toBe(taken.exchange_id);
  });
});
