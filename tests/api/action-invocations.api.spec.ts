import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import {
  ActionServer,
  type ActionScript,
  Client,
  allRows,
  callerWith,
  createAgent,
  eventually,
  invoke,
  person,
  script,
  settled,
  unique,
} from '../harness/index.js';

const api = Client.owner();
let server: ActionServer;

beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());

interface Result {
  status: 'active' | 'completed' | 'failed';
  job_id?: string;
  output?: Record<string, unknown>;
  error?: string;
}
interface Entry extends Record<string, unknown> {
  id: string;
  job_id: string;
  delivery_id: string;
  action_name: string;
  source: string;
  status: string;
}
interface Page {
  items: Entry[];
  has_more: boolean;
  next_cursor?: string;
}
interface Made {
  id: string;
  name: string;
  path: string;
  signing_secret: string;
}

/** An action at a path of its own. */
async function custom(answer: ActionScript, fields: object = {}, by: Client = api): Promise<Made> {
  const name = unique('act');
  const path = `/${name}`;
  const made = await by.post<Omit<Made, 'path'>>(
    '/v1/actions',
    { name, endpoint_url: server.at(path, answer), ...fields },
    201,
  );
  return { ...made, path };
}

const run = (name: string, body: object = {}, { by = api, key }: { by?: Client; key?: string } = {}) =>
  by.call<Result>('POST', `/v1/actions/${name}/invoke`, {
    body,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  });
const records = (query: Record<string, string | number>, by: Client = api) =>
  by.get<Page>('/v1/action-invocations', query);

/** A person with a role of exactly these permissions. */
async function holderOf(...permissions: string[]): Promise<Client> {
  const role = await api.post<{ id: string }>('/v1/roles', { name: unique('role'), permissions }, 201);
  const human = await api.post<{ id: string }>(
    '/v1/principals',
    { name: unique('person'), kind: 'human', role_ids: [role.id] },
    201,
  );
  const issued = await api.post<{ key: string }>('/v1/api-keys', { name: unique('key'), principal_id: human.id }, 201);
  return api.as(issued.key);
}

describe('direct invocation of an http action', () => {
  it("R22, R23, R24: is signed under its delivery id, says that nobody's tool call it is, and gives the output", async () => {
    const made = await custom(() => ({ body: { sent: true } }), { invocation_format: 'signed_context_v1' });
    const { status, body } = await run(made.name, { input: { to: 'ü' } });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        status: 'completed',
        job_id: expect.stringMatching(/^job_[0-9a-z]{20,}$/) as string,
        output: { sent: true },
      },
    });
    const [request] = server.on(made.path);
    const svc = request?.body.svc as Record<string, Record<string, unknown>>;
    expect(svc).toMatchObject({
      schema_version: 1,
      action: { id: made.id, name: made.name },
      origin: { kind: 'direct_action_invoke' },
      actor: { principal_type: 'system' },
    });
    expect(svc.actor).not.toHaveProperty('agent_id');
    expect(svc.origin).not.toHaveProperty('session_id');
    expect(request?.body.parameters).toEqual({ to: 'ü' });
    const headers = request?.headers ?? {};
    expect(headers['idempotency-key']).toBe(headers['x-svc-delivery-id']);
    const key = Buffer.from(made.signing_secret.slice('whsec_'.length), 'base64url');
    const signed = Buffer.concat([
      Buffer.from(`v1.${String(headers['x-svc-delivery-id'])}.${String(headers['x-svc-timestamp'])}.`),
      request?.raw ?? Buffer.alloc(0),
    ]);
    expect(headers['x-svc-signature']).toBe(`sha256=${createHmac('sha256', key).update(signed).digest('hex')}`);
    expect(await records({ job_id: String(body.job_id) })).toEqual({
      has_more: false,
      items: [
        expect.objectContaining({
          job_id: body.job_id,
          action_id: made.id,
          action_name: made.name,
          definition_scope: 'custom',
          invocation_format: 'signed_context_v1',
          schema_version: 1,
          actor_principal_type: 'system',
          delivery_id: headers['x-svc-delivery-id'],
          secret_version: 1,
          http_status: 200,
          source: 'direct_action_invoke',
          parameters: { to: 'ü' },
          status: 'success',
          retry_count: 0,
          output_summary: { bytes: 13, preview: '{"sent":true}', truncated: false },
        }),
      ],
    });
  });

  it('an answer that is an error is a failed invocation, told with its code', async () => {
    const refusing = await custom(() => ({ status: 422, body: { why: 'no' } }));
    const { body } = await run(refusing.name);
    expect(body).toEqual({ status: 'failed', job_id: body.job_id, error: 'http_status: the endpoint answered 422' });
    expect((await records({ action_name: refusing.name })).items).toMatchObject([
      { status: 'failed', http_status: 422, error_type: 'http_status', error_message: 'the endpoint answered 422' },
    ]);
  });

  it('R24: what is safe is tried again under one delivery id, and the record counts it', async () => {
    const flaky = await custom(
      (_request, earlier) => (earlier === 0 ? { status: 503, headers: { 'retry-after': '0' } } : { body: {} }),
      { annotations: { idempotent: true } },
    );
    expect((await run(flaky.name)).body.status).toBe('completed');
    expect(new Set(server.on(flaky.path).map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(1);
    expect((await records({ action_id: flaky.id })).items).toMatchObject([{ retry_count: 1, status: 'success' }]);
  });

  it('input that does not fit never leaves and leaves no record; output that does not fit is a failure', async () => {
    const schema = (member: string) => ({
      type: 'object',
      properties: { [member]: { type: 'number' } },
      required: [member],
    });
    const made = await custom(() => ({ body: { n: 'text' } }), {
      input_schema: schema('x'),
      output_schema: schema('n'),
    });
    const details = await api.refused('bad_request', 'POST', `/v1/actions/${made.name}/invoke`, {
      body: { input: { x: 'a' } },
    });
    expect(details).toMatchObject({ issues: [{ path: '/input/x' }] });
    await api.refused('bad_request', 'POST', `/v1/actions/${made.name}/invoke`, { body: {} });
    expect(server.on(made.path)).toHaveLength(0);
    expect((await records({ action_name: made.name })).items).toEqual([]);
    expect((await run(made.name, { input: { x: 1 } })).body).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^invalid_reply: /) as string,
    });
  });

  it('T31: context in a reply has no session to go to; the output stays', async () => {
    const made = await custom(() => ({
      contentType: 'application/vnd.svc.action+json',
      body: { output: { n: 1 }, context: [{ name: 'board', content: 'blue' }] },
    }));
    expect((await run(made.name)).body.output).toEqual({ n: 1 });
  });

  it('L18: a large output comes whole, and its record is short', async () => {
    const made = await custom(() => ({ body: { s: 'y'.repeat(1_500_000) } }));
    expect(String((await run(made.name)).body.output?.s)).toHaveLength(1_500_000);
    const [entry] = (await records({ action_name: made.name })).items;
    expect(entry?.output_summary).toMatchObject({ bytes: 1_500_008, truncated: true });
    expect(JSON.stringify(entry).length).toBeLessThan(4000);
  });

  it('a large input is sent whole, and its record shows how it begins', async () => {
    const made = await custom(() => ({}));
    await run(made.name, { input: { s: 'z'.repeat(100_000) } });
    expect((server.on(made.path)[0]?.body.parameters as { s: string }).s).toHaveLength(100_000);
    expect((await records({ action_name: made.name })).items[0]?.parameters).toMatchObject({
      truncated: true,
      bytes: 100_008,
    });
  });

  it('L7: who does not want to wait gets 202, and the result under its key or in its record', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const made = await custom(() => ({ after: gate, body: { late: true } }));
    const key = unique('key');
    const first = await run(made.name, { timeout_seconds: 1 }, { key });
    expect(first).toMatchObject({ status: 202, body: { status: 'active', job_id: expect.any(String) as string } });
    expect((await records({ job_id: String(first.body.job_id) })).items).toEqual([]);
    open();
    const again = await run(made.name, { timeout_seconds: 30 }, { key });
    expect(again).toMatchObject({
      status: 200,
      body: { status: 'completed', job_id: first.body.job_id, output: { late: true } },
    });
    expect((await records({ job_id: String(first.body.job_id) })).items).toHaveLength(1);
    expect(server.on(made.path)).toHaveLength(1);
    for (const timeout of [0, 121, 1.5])
      await api.refused('bad_request', 'POST', `/v1/actions/${made.name}/invoke`, {
        body: { timeout_seconds: timeout },
        invalid: true,
      });
  });

  it('dry_run: checks and sends nothing, for read-only actions', async () => {
    const made = await custom(() => ({}), {
      annotations: { read_only: true },
      input_schema: { type: 'object', required: ['x'] },
    });
    expect(await run(made.name, { input: { x: 1 }, dry_run: true })).toMatchObject({
      status: 200,
      body: { status: 'completed' },
    });
    await api.refused('bad_request', 'POST', `/v1/actions/${made.name}/invoke`, { body: { input: {}, dry_run: true } });
    expect(server.on(made.path)).toHaveLength(0);
    expect((await records({ action_name: made.name })).items).toEqual([]);
    const writing = await custom(() => ({}));
    expect(
      await api.refused('invalid_argument', 'POST', `/v1/actions/${writing.name}/invoke`, { body: { dry_run: true } }),
    ).toEqual({ argument: 'dry_run' });
  });
});

describe('idempotency (G18)', () => {
  it('a key repeated is answered as the first time and sent once, also at the same time', async () => {
    const made = await custom(() => ({ body: { n: 1 } }));
    const key = unique('key');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => run(made.name, { input: { a: 1, b: 2 } }, { key })),
    );
    answers.push(await run(made.name, { input: { b: 2, a: 1 } }, { key }));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(server.on(made.path)).toHaveLength(1);
    await run(made.name, { input: { a: 1, b: 2 } });
    await run(made.name, { input: { a: 1, b: 2 } }, { key: unique('key') });
    expect(server.on(made.path)).toHaveLength(3);
  });

  it('a key with another request is a conflict; of another caller it is another key', async () => {
    const made = await custom(() => ({}));
    const other = await custom(() => ({}));
    const key = unique('key');
    const { body } = await run(made.name, { input: { a: 1 } }, { key });
    const headers = { 'idempotency-key': key };
    expect(
      await api.refused('idempotency_conflict', 'POST', `/v1/actions/${made.name}/invoke`, {
        body: { input: { a: 2 } },
        headers,
      }),
    ).toEqual({ job_id: body.job_id });
    await api.refused('idempotency_conflict', 'POST', `/v1/actions/${other.name}/invoke`, {
      body: { input: { a: 1 } },
      headers,
    });
    const { client } = await person(api);
    expect((await run(made.name, { input: { a: 2 } }, { by: client, key })).body.job_id).not.toBe(body.job_id);
    await api.refused('bad_request', 'POST', `/v1/actions/${made.name}/invoke`, {
      body: {},
      headers: { 'idempotency-key': 'k'.repeat(256) },
    });
  });

  it('a repeat is answered though the action is gone', async () => {
    const made = await custom(() => ({ body: { n: 1 } }));
    const key = unique('key');
    const first = await run(made.name, {}, { key });
    await api.delete(`/v1/actions/${made.name}`);
    expect((await run(made.name, {}, { key })).body).toEqual(first.body);
    await api.refused('not_found', 'POST', `/v1/actions/${made.name}/invoke`, { body: {} });
  });
});

describe('who may invoke (A19, A24, G13)', () => {
  it('needs the exact execute permission, its family or all', async () => {
    const made = await custom(() => ({}));
    const permission = `actions.execute.custom.${made.name}`;
    for (const held of [permission, 'actions.execute.custom.*', 'actions.execute.*']) {
      expect((await run(made.name, {}, { by: await holderOf('svc.resource.view', held) })).status).toBe(200);
    }
    const without = [
      await holderOf('svc.resource.use', 'svc.resource.build', 'actions.execute.svc.*'),
      await callerWith(api, 'Viewer'),
    ];
    for (const by of without)
      expect(await by.refused('permission_denied', 'POST', `/v1/actions/${made.name}/invoke`, { body: {} })).toEqual({
        permission,
      });
    expect(server.on(made.path)).toHaveLength(3);
    await api.as(null).refused('unauthorized', 'POST', `/v1/actions/${made.name}/invoke`, { body: {} });
  });

  it('an action out of reach is as one that is not there, whatever is permitted', async () => {
    const ann = await person(api);
    const ben = await person(api);
    const hers = await custom(() => ({}), { visibility: 'private' }, ann.client);
    expect((await run(hers.name, {}, { by: ann.client })).status).toBe(200);
    await ben.client.refused('not_found', 'POST', `/v1/actions/${hers.name}/invoke`, { body: {} });
    await ben.client.refused('not_found', 'POST', `/v1/actions/${unique('none')}/invoke`, { body: {} });
    expect(server.on(hers.path)).toHaveLength(1);
  });
});

const proposed = {
  agent_id: 'agent_x',
  instructions: 'x',
  per_occurrence_ceiling_milli: 0,
  daily_ceiling_milli: 0,
  schedule: { interval: '1h' },
};

describe('built-in actions', () => {
  it('R41: rows of tables, as the caller, written once for a key', async () => {
    const table = await api.post<{ id: string; name: string }>(
      '/v1/tables',
      {
        name: unique('t').replaceAll('-', '_'),
        schema: {
          identity_column: 'id',
          columns: [
            { name: 'id', type: 'string' },
            { name: 'n', type: 'number' },
          ],
        },
      },
      201,
    );
    const key = unique('key');
    const input = { table: table.name, data: { id: 'a', n: 1 } };
    const saved = await run('svc.table.save_row', { input }, { key });
    expect(saved.body).toMatchObject({ status: 'completed', output: { created: true, row: { version: 1 } } });
    expect((await run('svc.table.save_row', { input }, { key })).body).toEqual(saved.body);
    expect((await run('svc.table.get_row', { input: { table: table.id, identity: 'a' } })).body).toMatchObject({
      status: 'completed',
      output: { data: { id: 'a', n: 1 }, version: 1 },
    });
    expect((await run('svc.table.get_row', { input: { table: table.id, identity: 'z' } })).body).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^not_found: /) as string,
    });
    expect(
      (await records({ action_name: 'svc.table.save_row', job_id: String(saved.body.job_id) })).items,
    ).toMatchObject([{ definition_scope: 'platform', status: 'success', source: 'direct_action_invoke' }]);
    await api.refused('bad_request', 'POST', '/v1/actions/svc.table.get_row/invoke', { body: { input: {} } });
    expect(
      await (
        await callerWith(api, 'Viewer')
      ).refused('permission_denied', 'POST', '/v1/actions/svc.table.list/invoke', { body: {} }),
    ).toEqual({ permission: 'actions.execute.svc.table.list' });
  });

  it('R41: an interaction is answered by who was asked', async () => {
    const ann = await person(api);
    const asked = await api.post<{ id: string }>(
      '/v1/interactions',
      { kind: 'request_approval', title: 'Go?', target_user_ids: [ann.id] },
      201,
    );
    expect((await run('svc.interaction.get', { input: { interaction_id: asked.id } })).body).toMatchObject({
      output: { id: asked.id, status: 'pending' },
    });
    expect(
      (await run('svc.interaction.respond', { input: { interaction_id: asked.id, value: true } })).body,
    ).toMatchObject({ status: 'failed', error: expect.stringMatching(/^not_interaction_target: /) as string });
    expect(
      (await run('svc.interaction.respond', { input: { interaction_id: asked.id, value: true } }, { by: ann.client }))
        .body,
    ).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['svc.memory.remember', { key: 'k', content: 'x' }],
    ['svc.memory.recall', {}],
    ['svc.memory.forget', { key: 'k' }],
    ['svc.skill.invoke', { name: 'x' }],
    ['svc.routine.propose', { request: proposed }],
    ['svc.artifact.save', { name: 'x', text: 'x' }],
    ['svc.artifact.read', { artifact_id: 'art_x' }],
    ['svc.event.wait', { interaction_id: 'iact_x' }],
    ['svc.interaction.open', { kind: 'request_approval', title: 'Go?', target_user_ids: ['user_x'] }],
  ])('%s belongs to a session: an agent alone can call it', async (name, input) => {
    expect(await api.refused('action_not_ready', 'POST', `/v1/actions/${name}/invoke`, { body: { input } })).toEqual({
      readiness_reason: 'agent_owned_only',
    });
  });
});

describe('where endpoints may lead (S26, S27, S28)', () => {
  it('a name that leads to a blocked address ends as endpoint_blocked, and says nothing of the address', async () => {
    const name = hostname();
    const addresses = await lookup(name, { all: true });
    expect(
      addresses
        .map(({ address }) => address)
        .every((address) => /^(127\.|10\.|172\.|192\.168\.|169\.254\.|::1$|f[cde])/.test(address)),
    ).toBe(true);
    const made = await custom(() => ({}));
    await api.patch(`/v1/actions/${made.name}`, { endpoint_url: `http://${name}:8080/x` });
    const { body } = await run(made.name);
    const message = `the endpoint of the action may not be called: address is not public: SVC_EGRESS_ALLOW does not name ${name}:8080`;
    expect(body).toEqual({ status: 'failed', job_id: body.job_id, error: `endpoint_blocked: ${message}` });
    const [entry] = (await records({ action_name: made.name })).items;
    expect(entry).toMatchObject({ status: 'failed', error_type: 'endpoint_blocked', retry_count: 0 });
    for (const { address } of addresses) expect(JSON.stringify(entry)).not.toContain(address);
    const agent = await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: made.name }] });
    const ack = await invoke(api, agent.id, script({ call: { name: made.name, input: {} } }, { say: 'done' }));
    await settled(api, ack);
    const results = (await allRows(api, ack.session_id)).flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_result'),
    );
    expect(results.map(({ content }) => JSON.parse(String(content)) as unknown)).toEqual([
      { error: { code: 'endpoint_blocked', message } },
    ]);
  });
});

describe('records', () => {
  it('a tool call of an agent has one, with its turn', async () => {
    const made = await custom(() => ({ body: { n: 1 } }));
    const agent = await createAgent(api, {
      action_selectors: [made.name, 'svc.table.list'].map((selector) => ({ selector_type: 'exact', selector })),
    });
    const ack = await invoke(
      api,
      agent.id,
      script(
        {
          calls: [
            { name: made.name, input: { a: 1 } },
            { name: 'svc_table_list', input: { limit: 1 } },
          ],
        },
        { say: 'done' },
      ),
    );
    await settled(api, ack);
    const { items } = await records({ correlation_id: ack.turn_id });
    const common = {
      source: 'agent_tool_call',
      status: 'success',
      agent_id: agent.id,
      actor_principal_id: agent.id,
      actor_principal_type: 'agent',
      agent_turn_id: ack.turn_id,
      session_id: ack.session_id,
      tool_call_id: expect.any(String) as string,
    };
    expect(items.map(({ action_name: name }) => name).sort()).toEqual([made.name, 'svc.table.list'].sort());
    const custom1 = items.find(({ action_name: name }) => name === made.name);
    expect(custom1).toMatchObject({
      ...common,
      delivery_id: server.on(made.path)[0]?.headers['x-svc-delivery-id'],
      action_id: made.id,
      http_status: 200,
    });
    expect(items.find(({ action_name: name }) => name === 'svc.table.list')).toMatchObject({
      ...common,
      definition_scope: 'platform',
      parameters: { limit: 1 },
    });
    expect(await records({ delivery_id: String(custom1?.delivery_id) })).toMatchObject({
      items: [{ id: custom1?.id }],
      has_more: false,
    });
  });

  it('T31: what of a reply is left out is told', async () => {
    const made = await custom(() => ({
      contentType: 'application/vnd.svc.action+json',
      body: { output: { n: 2 }, context: [{ name: 'NOT', content: 'x' }] },
    }));
    await run(made.name);
    expect((await records({ action_name: made.name })).items).toMatchObject([
      { status: 'success', output_summary: { warnings: [expect.stringContaining('context')] } },
    ]);
  });

  it('G1, G5: newest first, page by page, by filters', async () => {
    const made = await custom((_request, earlier) => (earlier === 2 ? { status: 400 } : { body: {} }));
    const jobs: string[] = [];
    for (let n = 0; n < 5; n += 1) jobs.unshift(String((await run(made.name, { input: { n } })).body.job_id));
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page: Page = await records({
        action_name: made.name,
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(page.items.length).toBeLessThanOrEqual(2);
      found.push(...page.items.map(({ job_id: job }) => job));
      cursor = page.next_cursor;
      expect(page.has_more).toBe(cursor !== undefined);
    } while (cursor !== undefined);
    expect(found).toEqual(jobs);
    const count = async (query: Record<string, string | number>) =>
      (await records({ action_name: made.name, ...query })).items.length;
    expect([
      await count({ status: 'success' }),
      await count({ status: 'failed' }),
      await count({ status: 'cancelled' }),
    ]).toEqual([4, 1, 0]);
    expect([
      await count({ definition_scope: 'custom' }),
      await count({ definition_scope: 'platform' }),
      await count({ environment_id: 'x' }),
    ]).toEqual([5, 0, 0]);
    await api.post(`/v1/actions/${made.name}/secret/rotate`, undefined, 200);
    await run(made.name);
    expect([await count({ secret_version: 1 }), await count({ secret_version: 2 })]).toEqual([5, 1]);
    const first = await records({ action_name: made.name, limit: 2 });
    await api.refused('invalid_cursor', 'GET', '/v1/action-invocations', {
      query: { action_name: 'another', cursor: first.next_cursor },
    });
    await api.refused('bad_request', 'GET', '/v1/action-invocations', { query: { limit: 101 }, invalid: true });
    await api.refused('bad_request', 'GET', '/v1/action-invocations', {
      query: { definition_scope: 'mine' },
      invalid: true,
    });
  });

  it("A28: a person's own are theirs and the administrators'; those of software everybody's who sees the action", async () => {
    const ann = await person(api);
    const ben = await person(api);
    const made = await custom(() => ({}));
    await run(made.name, {}, { by: ann.client });
    const lengths = async () =>
      Promise.all(
        [ann.client, ben.client, api].map(async (by) => (await records({ action_name: made.name }, by)).items.length),
      );
    expect(await lengths()).toEqual([1, 0, 1]);
    await run(made.name);
    expect(await lengths()).toEqual([2, 1, 2]);
    const agent = await createAgent(ann.client, {
      visibility: 'private',
      action_selectors: [{ selector_type: 'exact', selector: made.name }],
    });
    await settled(
      ann.client,
      await invoke(ann.client, agent.id, script({ call: { name: made.name, input: {} } }, { say: 'x' })),
      30_000,
    );
    expect((await lengths()).slice(0, 2)).toEqual([3, 1]);
    const none = await holderOf('actions.execute.*');
    expect(await none.refused('permission_denied', 'GET', '/v1/action-invocations')).toEqual({
      permission: 'svc.resource.view',
    });
  });
});

describe('the tools of an agent', () => {
  it('are those within its own reach: selectors name more than it may call', async () => {
    const ann = await person(api);
    const hers = await custom(() => ({}), { visibility: 'private' }, ann.client);
    const shared = await custom(() => ({}));
    const selectors = [
      { selector_type: 'exact', selector: hers.name },
      { selector_type: 'exact', selector: shared.name },
    ];
    const names = async (by: Client, id: string) =>
      (await by.get<{ tools: { name: string }[] }>(`/v1/agents/${id}/tools`)).tools.map(({ name }) => name).sort();
    const teams = await createAgent(api, { action_selectors: selectors });
    expect(await names(api, teams.id)).toEqual([shared.name]);
    const own = await createAgent(ann.client, { action_selectors: selectors });
    expect(await names(ann.client, own.id)).toEqual([hers.name, shared.name].sort());
    const ben = await person(api);
    const { tools } = await ben.client.get<{ tools: { name: string; endpoint_url?: string }[] }>(
      `/v1/agents/${own.id}/tools`,
    );
    expect(tools.find(({ name }) => name === hers.name)).not.toHaveProperty('endpoint_url');
    const { tools: all } = await api.get<{ tools: { name: string }[] }>(
      `/v1/agents/${(await createAgent(api, { action_selectors: [{ selector_type: 'wildcard', selector: '*' }] })).id}/tools`,
    );
    expect(all.map(({ name }) => name)).not.toContain(hers.name);
    await eventually('a call of what is out of reach is refused', async () => {
      const ack = await invoke(api, teams.id, script({ call: { name: hers.name, input: {} } }, { say: 'x' }));
      await settled(api, ack);
      return server.on(hers.path).length === 0;
    });
  });
});
