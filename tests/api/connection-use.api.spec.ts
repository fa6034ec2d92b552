import { randomBytes } from 'node:crypto';
import {
  ActionServer,
  type ActionRequest,
  type ActionScript,
  type Agent,
  Client,
  allRows,
  createAgent,
  createSession,
  eventually,
  invoke,
  person,
  script,
  settled,
  startTurn,
  unique,
} from '../harness/index.js';

interface Connection {
  id: string;
  grants: { actions: object[] };
}
type Body = Record<string, unknown>;

const api = Client.owner();
let server: ActionServer;

beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());

const freshSecret = () => `canary-${randomBytes(12).toString('hex')}`;
const origin = () => new URL(server.at('/', () => ({}))).origin;

interface Made {
  name: string;
  path: string;
  provider: string;
  agent: Agent;
}

/** An action of a provider of its own, and an agent that may call it and has a rule for the provider. */
async function actionAndAgent(answer: ActionScript, rule: Body | null = {}): Promise<Made> {
  const name = unique('act');
  const provider = unique('prov').toLowerCase();
  const path = `/${name}`;
  await api.post('/v1/actions', { name, endpoint_url: server.at(path, answer), provider }, 201);
  const agent = await createAgent(api, {
    name: unique('connected'),
    action_selectors: [{ selector_type: 'exact', selector: name }],
    ...(rule && { integration_access: [{ provider, ...rule }] }),
  });
  return { name, path, provider, agent };
}

const connect = (provider: string, fields: Body = {}, client = api) =>
  client.post<Connection>(
    '/v1/connections',
    { name: unique('account'), kind: 'api_key', provider, owner: { kind: 'team' }, hosts: [origin()], ...fields },
    201,
  );
const grant = (id: string, principalIds: string[], client = api) =>
  client.put<Connection>(`/v1/connections/${id}/grants`, { principal_ids: principalIds, everyone: false });

/** Calls the action once in a turn of the client; gives the text that the model read. */
async function called({ agent, name }: Made, client = api): Promise<string> {
  const ack = await invoke(client, agent.id, script({ call: { name, input: {} } }, { say: 'done' }));
  expect(await settled(client, ack)).toMatchObject({ status: 'completed' });
  const [block] = (await allRows(client, ack.session_id)).flatMap(({ content }) =>
    content.filter(({ type }) => type === 'tool_result'),
  );
  return String(block?.content);
}

const sent = ({ path }: Made): ActionRequest[] => server.on(path);

describe('connections in use', () => {
  it('TE23: an action names a provider, and shows, changes and loses it', async () => {
    const { name, provider } = await actionAndAgent(() => ({}));
    expect(await api.get(`/v1/actions/${name}`)).toMatchObject({ provider });
    expect(await api.get(`/v1/catalog/actions/${name}`)).toMatchObject({ provider });
    expect(await api.patch(`/v1/actions/${name}`, { title: 'T' })).toMatchObject({ provider });
    expect(await api.patch(`/v1/actions/${name}`, { provider: 'other' })).toMatchObject({ provider: 'other' });
    expect(await api.patch(`/v1/actions/${name}`, { provider: null })).not.toHaveProperty('provider');
    await api.refused('bad_request', 'POST', '/v1/actions', {
      body: { name: unique('act'), endpoint_kind: 'worker', provider },
    });
  });

  it('TE21, TE23: a call goes out with the account that the agent has a rule for and a grant of', async () => {
    const made = await actionAndAgent(() => ({ body: { ok: true } }));
    const secret = freshSecret();
    expect(await called(made)).toContain('connection_not_granted');
    const { id } = await connect(made.provider, { secret, format: 'Bearer {secret}' });
    expect(await called(made)).toContain('connection_not_granted');
    await grant(id, [made.agent.id]);
    expect(sent(made)).toEqual([]);
    expect(await called(made)).toBe('{"ok":true}');
    const [request] = sent(made);
    expect(request?.headers.authorization).toBe(`Bearer ${secret}`);
    expect(request?.headers['x-svc-signature']).toMatch(/^sha256=/);
    expect(request?.path).not.toContain(secret);
    expect(request?.raw.toString('utf8')).not.toContain(secret);
    await grant(id, []);
    expect(await called(made)).toContain('connection_not_granted');
    expect(sent(made)).toHaveLength(1);
  });

  it('TE23: without a rule of the agent, and with two accounts that fit, nothing leaves', async () => {
    const unruled = await actionAndAgent(() => ({}), null);
    const { id } = await connect(unruled.provider, { secret: freshSecret() });
    await grant(id, [unruled.agent.id]);
    expect(await called(unruled)).toContain('connection_not_granted');
    const two = await actionAndAgent(() => ({}));
    const made = [
      await connect(two.provider, { secret: freshSecret() }),
      await connect(two.provider, { secret: freshSecret() }),
    ];
    for (const connection of made) await grant(connection.id, [two.agent.id]);
    expect(await called(two)).toContain('connection_ambiguous');
    expect([...sent(unruled), ...sent(two)]).toEqual([]);
    await api.delete(`/v1/connections/${made[0]?.id ?? ''}`);
    expect(await called(two)).toBe('{}');
  });

  it('TE21: a secret goes to the hosts of its connection only', async () => {
    const made = await actionAndAgent(() => ({}));
    const { id } = await connect(made.provider, { secret: freshSecret(), hosts: ['https://api.example.com'] });
    await grant(id, [made.agent.id]);
    expect(await called(made)).toContain('connection_host_mismatch');
    expect(sent(made)).toEqual([]);
  });

  it('TE21: a redirect of an endpoint is not followed: the secret goes nowhere else', async () => {
    const other = await ActionServer.start();
    try {
      const trap = other.at(`/${unique('trap')}`, () => ({}));
      for (const status of [302, 307]) {
        const made = await actionAndAgent(() => ({ status, headers: { location: trap }, body: '' }));
        const { id } = await connect(made.provider, { secret: freshSecret() });
        await grant(id, [made.agent.id]);
        expect(await called(made)).toContain('redirect');
      }
      expect(other.requests).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('TE20, TE27: rotate takes effect at the next call', async () => {
    const made = await actionAndAgent(() => ({}));
    const [before, after] = [freshSecret(), freshSecret()];
    const { id } = await connect(made.provider, { kind: 'headers', headers: { 'X-App': before, 'X-Two': before } });
    await grant(id, [made.agent.id]);
    await called(made);
    await api.post(`/v1/connections/${id}/rotate`, { headers: { 'X-App': after } }, 200);
    await called(made);
    expect(sent(made).map(({ headers }) => [headers['x-app'], headers['x-two']])).toEqual([
      [before, before],
      [after, undefined],
    ]);
  });

  it('TE22: an endpoint that echoes what it was sent tells no secret', async () => {
    const secret = freshSecret();
    const echoes: ActionScript[] = [
      ({ headers }) => ({ body: { plain: headers.authorization, inside: `have ${secret}`, [secret]: 1 } }),
      () => ({ status: 400, body: { error: `bad token ${secret}` } }),
      () => ({ status: 400, body: `bad token ${Buffer.from(secret).toString('base64')}`, contentType: 'text/plain' }),
      () => ({ body: `{"u": "${[...secret].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('')}"}` }),
      () => ({
        lines: (async function* () {
          yield await Promise.resolve({ progress: { said: secret } });
          yield { output: { said: secret } };
        })(),
      }),
    ];
    for (const echo of echoes) {
      const made = await actionAndAgent(echo);
      const { id } = await connect(made.provider, { kind: 'basic', username: 'shop', secret });
      await grant(id, [made.agent.id]);
      const text = await called(made);
      expect(text).toContain('[redacted]');
      for (const form of [
        secret,
        Buffer.from(secret).toString('base64'),
        Buffer.from(`shop:${secret}`).toString('base64'),
      ])
        expect(text).not.toContain(form);
      const records = JSON.stringify(await api.get('/v1/action-invocations', { limit: 100 }));
      expect(records).not.toContain(secret);
    }
  });

  it("TE24: act_as_user uses a person's own account, in that person's own turn", async () => {
    const made = await actionAndAgent(() => ({}), { act_as_user: true });
    const [ann, bob] = [await person(api), await person(api)];
    const secret = freshSecret();
    const own = await connect(made.provider, { secret, owner: { kind: 'person' } }, ann.client);
    expect(await called(made, ann.client)).toContain('connection_not_granted');
    const { grants } = await grant(own.id, [made.agent.id], ann.client);
    expect(grants.actions).toEqual([
      { principal_id: made.agent.id, name: made.name, endpoint_url: `${origin()}${made.path}` },
    ]);
    expect(await called(made, ann.client)).toBe('{}');
    expect(sent(made).map(({ headers }) => headers.authorization)).toEqual([secret]);
    for (const client of [bob.client, api]) expect(await called(made, client)).toContain('connection_not_granted');
    const shared = freshSecret();
    const teams = await connect(made.provider, { secret: shared });
    await grant(teams.id, [made.agent.id]);
    expect(await called(made, bob.client)).toBe('{}');
    expect(await called(made, ann.client)).toBe('{}');
    expect(sent(made).map(({ headers }) => headers.authorization)).toEqual([secret, shared, secret]);
    await api.patch(`/v1/agents/${made.agent.id}`, { integration_access: [{ provider: made.provider, pin: own.id }] });
    expect(await called(made, bob.client)).toContain('connection_not_granted');
    expect(await called(made, ann.client)).toBe('{}');
  });

  it('TE24: no person’s account is used once the turn absorbed a nudge of another person', async () => {
    let nudged: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (nudged = resolve));
    const made = await actionAndAgent((_request, earlier) => (earlier === 0 ? { after: waiting } : {}), {
      act_as_user: true,
    });
    const [ann, bob] = [await person(api), await person(api)];
    const own = await connect(made.provider, { secret: freshSecret(), owner: { kind: 'person' } }, ann.client);
    await grant(own.id, [made.agent.id], ann.client);
    const session = await createSession(ann.client, made.agent.id, { mode: 'new', visibility: 'organization' });
    const call = { call: { name: made.name, input: {} } };
    const ack = await startTurn(ann.client, session.id, script(call, call, { say: 'done' }));
    await eventually('the first call', () => Promise.resolve(sent(made).length === 1));
    await bob.client.post(`/v1/sessions/${session.id}/nudges`, { content: 'as I say' }, 202);
    nudged();
    expect(await settled(ann.client, ack)).toMatchObject({ status: 'completed' });
    const results = (await allRows(ann.client, session.id)).flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_result'),
    );
    expect(results.map(({ content }) => String(content))).toEqual([
      '{}',
      expect.stringContaining('connection_not_granted'),
    ]);
    expect(sent(made)).toHaveLength(1);
  });

  it('TE23: what a builder repoints after a grant is not covered by it', async () => {
    const made = await actionAndAgent(() => ({}), { act_as_user: true });
    const ann = await person(api);
    const own = await connect(made.provider, { secret: freshSecret(), owner: { kind: 'person' } }, ann.client);
    await grant(own.id, [made.agent.id], ann.client);
    const moved = `/${unique('moved')}`;
    await api.patch(`/v1/actions/${made.name}`, { endpoint_url: server.at(moved, () => ({})) });
    expect(await called(made, ann.client)).toContain('connection_not_granted');
    expect([...sent(made), ...server.on(moved)]).toEqual([]);
    await grant(own.id, [made.agent.id], ann.client);
    expect(await called(made, ann.client)).toBe('{}');
    expect(server.on(moved)).toHaveLength(1);
  });

  it('TE23: what the agent may call since a grant is not covered by it', async () => {
    const made = await actionAndAgent(() => ({}), { act_as_user: true });
    const ann = await person(api);
    const own = await connect(made.provider, { secret: freshSecret(), owner: { kind: 'person' } }, ann.client);
    await grant(own.id, [made.agent.id], ann.client);
    const added = { ...made, name: unique('added') };
    const path = `/${added.name}`;
    const endpoint_url = server.at(path, () => ({}));
    await api.post('/v1/actions', { name: added.name, endpoint_url, provider: made.provider }, 201);
    const selectors = [made.name, added.name].map((selector) => ({ selector_type: 'exact', selector }));
    await api.patch(`/v1/agents/${made.agent.id}`, { action_selectors: selectors });
    expect(await called(added, ann.client)).toContain('connection_not_granted');
    expect(server.on(path)).toEqual([]);
    expect(await called(made, ann.client)).toBe('{}');
    const { grants } = await grant(own.id, [made.agent.id], ann.client);
    expect(grants.actions).toHaveLength(2);
    expect(await called(added, ann.client)).toBe('{}');
  });

  it('TE23: a blueprint names no account, and leaves the rules of its agent', async () => {
    const key = unique('accounts');
    const agent = { key: 'a', name: key, description: 'one' };
    const applied = (fields: Body) => ({ blueprint_key: key, resources: { agents: [{ ...agent, ...fields }] } });
    const path = '/v1/blueprints/apply';
    const rules = [{ provider: 'tracker' }];
    for (const resources of [
      { agents: [{ ...agent, integration_access: rules }] },
      { connections: [{ key: 'c', name: key }] },
    ])
      await api.refused('bad_request', 'POST', path, { body: { blueprint_key: key, resources }, invalid: true });
    await api.post(path, applied({}), 200);
    const { items } = await api.get<{ items: Agent[] }>('/v1/agents', { name: key });
    const id = items[0]?.id ?? '';
    await api.patch(`/v1/agents/${id}`, { integration_access: rules });
    await api.post(path, applied({ description: 'two' }), 200);
    expect(await api.get(`/v1/agents/${id}`)).toMatchObject({ description: 'two', integration_access: rules });
  });

  it.each([
    ['disabled', (path: string) => api.patch(path, { state: 'disabled' })],
    [
      'gone',
      async (path: string) => {
        const used = await api.refused('principal_in_use', 'DELETE', path);
        await api.delete(`/v1/api-keys/${String(used.resource_id)}`);
        await api.delete(path);
      },
    ],
  ])('TE27: the account of a person who is %s is used by no one', async (_how, leave) => {
    const made = await actionAndAgent(() => ({}));
    const [ann, bob] = [await person(api), await person(api, 'Admin')];
    const own = await connect(made.provider, { secret: freshSecret(), owner: { kind: 'person' } }, ann.client);
    await grant(own.id, [bob.id], ann.client);
    const direct = async () =>
      (await bob.client.send('POST', `/v1/actions/${made.name}/invoke`, { body: { input: {} } })).text;
    expect(await direct()).toContain('completed');
    await leave(`/v1/principals/${ann.id}`);
    expect(await direct()).toContain('connection_not_granted');
    expect(sent(made)).toHaveLength(1);
  });

  it("TE10: with another owner of the agent no person's account is used, until that person grants it again", async () => {
    const made = await actionAndAgent(() => ({}), { act_as_user: true });
    const [ann, bob] = [await person(api, 'Admin'), await person(api)];
    const [secret, shared] = [freshSecret(), freshSecret()];
    const own = await connect(made.provider, { secret, owner: { kind: 'person' } }, bob.client);
    await grant(own.id, [made.agent.id], bob.client);
    expect(await called(made, bob.client)).toBe('{}');
    const path = `/v1/resources/agent/${made.agent.id}/ownership`;
    await ann.client.patch(path, { owner: { kind: 'person', id: ann.id } });
    for (const pin of [undefined, own.id]) {
      const rule = { provider: made.provider, act_as_user: true, ...(pin && { pin }) };
      await ann.client.patch(`/v1/agents/${made.agent.id}`, { integration_access: [rule] });
      expect(await called(made, bob.client)).toContain('connection_not_granted');
    }
    expect(sent(made)).toHaveLength(1);
    const rule = { provider: made.provider, act_as_user: true };
    await ann.client.patch(`/v1/agents/${made.agent.id}`, { integration_access: [rule] });
    const teams = await connect(made.provider, { secret: shared });
    await grant(teams.id, [made.agent.id]);
    expect(await called(made, ann.client)).toBe('{}');
    await grant(own.id, [made.agent.id], bob.client);
    expect(await called(made, bob.client)).toBe('{}');
    expect(sent(made).map(({ headers }) => headers.authorization)).toEqual([secret, shared, secret]);
  });

  it("TE24: a direct invocation takes the caller's own account, or one that grants the caller", async () => {
    const made = await actionAndAgent(() => ({}));
    const ann = await person(api, 'Admin');
    const direct = async (client: Client) =>
      (await client.send('POST', `/v1/actions/${made.name}/invoke`, { body: { input: {} } })).text;
    const [secret, shared] = [freshSecret(), freshSecret()];
    const teams = await connect(made.provider, { secret: shared });
    expect(await direct(ann.client)).toContain('connection_not_granted');
    await grant(teams.id, [ann.id]);
    expect(await direct(ann.client)).toContain('completed');
    await connect(made.provider, { secret, owner: { kind: 'person' } }, ann.client);
    expect(await direct(ann.client)).toContain('completed');
    expect(sent(made).map(({ headers }) => headers.authorization)).toEqual([shared, secret]);
  });
});
