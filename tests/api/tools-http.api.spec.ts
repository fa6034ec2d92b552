import { createHmac } from 'node:crypto';
import {
  ActionServer,
  type ActionScript,
  type Agent,
  Client,
  type TurnAck,
  allRows,
  cancelTurn,
  createAgent,
  eventually,
  invoke,
  person,
  reaches,
  script,
  settled,
  startTurn,
  unique,
  timeFor,
} from '../harness/index.js';

const api = Client.owner();
let server: ActionServer;

beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());

interface Made {
  agent: Agent;
  action: { id: string; name: string; signing_secret: string };
  path: string;
}

/** An action at a path of its own, and an agent that is granted it. */
async function custom(answer: ActionScript, fields: object = {}): Promise<Made> {
  const name = unique('act');
  const path = `/${name}`;
  const action = await api.post<Made['action']>(
    '/v1/actions',
    { name, endpoint_url: server.at(path, answer), ...fields },
    201,
  );
  const agent = await createAgent(api, {
    name: unique('http'),
    action_selectors: [{ selector_type: 'exact', selector: name }],
  });
  return { agent, action, path };
}

/** Calls the action once in a turn; gives the result, once the turn is final. */
async function called(
  { agent, action }: Made,
  input: object = {},
  steps: object[] = [],
): Promise<{ ack: TurnAck; error: boolean; text: string; json: Record<string, unknown> }> {
  const ack = await invoke(api, agent.id, script({ call: { name: action.name, input } }, ...steps, { say: 'done' }));
  expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
  const [block] = (await allRows(api, ack.session_id)).flatMap(({ content }) =>
    content.filter(({ type }) => type === 'tool_result'),
  );
  const text = String(block?.content);
  return {
    ack,
    error: block?.is_error === true,
    text,
    json: (/^[{]/.test(text) && !text.includes('\n[cut') ? JSON.parse(text) : {}) as Record<string, unknown>,
  };
}

describe('custom HTTP actions', () => {
  it('R22, R23, R24: a legacy call is signed and its JSON reply is the output', async () => {
    const made = await custom(() => ({ body: { sent: true } }));
    const { json, error } = await called(made, { to: 'ü' });
    expect({ json, error }).toEqual({ json: { sent: true }, error: false });
    const [request] = server.on(made.path);
    expect(request?.body).toEqual({ parameters: { to: 'ü' } });
    const headers = request?.headers ?? {};
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-svc-signature-version': 'v1',
      'x-svc-secret-version': '1',
    });
    expect(headers['idempotency-key']).toBe(headers['x-svc-delivery-id']);
    expect(headers).not.toHaveProperty('x-svc-event-type');
    expect(Math.abs(Date.now() / 1000 - Number(headers['x-svc-timestamp']))).toBeLessThan(300);
    const key = Buffer.from(made.action.signing_secret.slice('whsec_'.length), 'base64url');
    const signed = Buffer.concat([
      Buffer.from(`v1.${String(headers['x-svc-delivery-id'])}.${String(headers['x-svc-timestamp'])}.`),
      request?.raw ?? Buffer.alloc(0),
    ]);
    expect(headers['x-svc-signature']).toBe(`sha256=${createHmac('sha256', key).update(signed).digest('hex')}`);
  });

  it('R22: the signed context says who calls', async () => {
    const made = await custom(() => ({}), { invocation_format: 'signed_context_v1' });
    const { ack } = await called(made, { a: 1 });
    const [request] = server.on(made.path);
    expect(request?.headers['content-type']).toBe('application/vnd.svc.action-invocation+json; version=1');
    expect(request?.body).toMatchObject({
      parameters: { a: 1 },
      svc: {
        schema_version: 1,
        scope: { org_id: expect.any(String) as string },
        action: { id: made.action.id, name: made.action.name },
        actor: { principal_id: made.agent.id, principal_type: 'agent', agent_id: made.agent.id },
        origin: { kind: 'agent_tool_call', agent_turn_id: ack.turn_id, session_id: ack.session_id },
      },
    });
  });

  it('INV5, invariant 23: retries of one call bear one delivery id; only what is safe is repeated', async () => {
    const flaky: ActionScript = (_request, earlier) =>
      earlier === 0 ? { status: 503, headers: { 'retry-after': '0' } } : { body: { ok: true } };
    const safe = await custom(flaky, { annotations: { idempotent: true } });
    expect(await called(safe)).toMatchObject({ error: false, json: { ok: true } });
    const ids = server.on(safe.path).map(({ headers }) => headers['x-svc-delivery-id']);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    const unsafe = await custom(flaky);
    expect(await called(unsafe)).toMatchObject({
      error: true,
      json: { error: { code: 'http_status', details: { status: 503 } } },
    });
    expect(server.on(unsafe.path)).toHaveLength(1);
    const refusing = await custom(() => ({ status: 422, body: { why: 'no' } }), { annotations: { idempotent: true } });
    expect((await called(refusing)).json).toEqual({
      error: {
        code: 'http_status',
        message: 'the endpoint answered 422',
        details: { status: 422, body: '{"why":"no"}' },
      },
    });
    expect(server.on(refusing.path)).toHaveLength(1);
  });

  it('invariant 25: the same call in a turn after a cancelled one has an id of its own', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const made = await custom(() => ({ after: gate }));
    const ack = await invoke(api, made.agent.id, script({ call: { name: made.action.name, input: {} } }, { say: 'x' }));
    await eventually('the request', () => Promise.resolve(server.on(made.path).length === 1));
    await cancelTurn(api, ack);
    open();
    await called(made);
    const ids = server.on(made.path).map(({ headers }) => headers['x-svc-delivery-id']);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  it('input and output are held to their schemas; a bad input never leaves', async () => {
    const schema = (member: string) => ({
      type: 'object',
      properties: { [member]: { type: 'number' } },
      required: [member],
    });
    const made = await custom(() => ({ body: { n: 'text' } }), {
      input_schema: schema('x'),
      output_schema: schema('n'),
    });
    expect((await called(made, { x: 'a' })).json).toMatchObject({ error: { code: 'invalid_argument' } });
    expect(server.on(made.path)).toHaveLength(0);
    expect((await called(made, { x: 1 })).json).toMatchObject({ error: { code: 'invalid_reply' } });
  });

  it('T31: an envelope brings context, which the model has from the next call on', async () => {
    const made = await custom(() => ({
      contentType: 'application/vnd.svc.action+json',
      body: { output: { n: 1 }, context: [{ name: 'board', content: 'blue' }] },
    }));
    const { json, ack } = await called(made, {}, [{ read: 'context:app-board' }]);
    expect(json).toEqual({ n: 1 });
    const said = (await allRows(api, ack.session_id)).flatMap(({ content }) =>
      content.flatMap(({ text }) => text ?? []),
    );
    expect(said).toContain('blue');
    const spoilt = await custom(() => ({
      contentType: 'application/vnd.svc.action+json',
      body: { output: { n: 2 }, context: [{ name: 'NOT', content: 'x' }] },
    }));
    expect((await called(spoilt)).json).toEqual({ n: 2 });
  });

  it('S27: redirects are not followed, a reply is capped', async () => {
    const elsewhere = server.at('/elsewhere', () => ({}));
    const redirecting = await custom(() => ({ status: 302, headers: { location: elsewhere } }), {
      annotations: { idempotent: true },
    });
    expect((await called(redirecting)).error).toBe(true);
    expect(server.on('/elsewhere')).toHaveLength(0);
    const large = await custom(() => ({ body: JSON.stringify({ s: 'x'.repeat(9 * 1024 * 1024) }) }));
    expect((await called(large)).json).toMatchObject({ error: { code: 'response_too_large' } });
  });

  it('an endpoint that cannot be reached is an error that the model reads', async () => {
    const made = await custom(() => ({}));
    await api.patch(`/v1/actions/${made.action.name}`, { endpoint_url: 'https://nothing.invalid/x' });
    expect((await called(made)).json).toEqual({
      error: { code: 'unreachable', message: 'the endpoint could not be reached' },
    });
  });

  it.each([
    ['application/json', (deep: string) => deep],
    ['application/vnd.svc.action+json', (deep: string) => `{"output":${deep}}`],
    ['application/x-ndjson', (deep: string) => `{"progress":{"at":1}}\n{"output":${deep}}\n`],
  ])('R24: a reply of %s that is nested too deep fails its call, and not the turn', async (type, body) => {
    const made = await custom(() => ({
      headers: { 'content-type': type },
      body: body(`${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    }));
    expect((await called(made)).json).toMatchObject({ error: { code: 'invalid_reply' } });
  });

  it('L18: an output over 1 MiB is cut for the model', async () => {
    const made = await custom(() => ({ body: { s: 'y'.repeat(1_500_000) } }));
    const { text, error } = await called(made);
    expect(error).toBe(false);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text).toMatch(/\n\[cut: the output has 1500008 bytes and is kept whole as blob [0-9a-f]{64}\]$/);
  });

  it('T9: a turn waits only once the calls beside the wait are done; none of them is made again', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const made = await custom(() => ({ after: gate, body: { done: true } }));
    const target = await person(api);
    await api.patch(`/v1/agents/${made.agent.id}`, {
      action_selectors: ['svc.interaction.open', 'svc.event.wait', made.action.name].map((selector) => ({
        selector_type: 'exact',
        selector,
      })),
    });
    const first = await called(
      { ...made, action: { ...made.action, name: 'svc_interaction_open' } },
      { kind: 'request_approval', title: 'Go?', target_user_ids: [target.id] },
    );
    const interactionId = String(first.json.id);
    const calls = [
      { name: 'svc_event_wait', input: { interaction_id: interactionId } },
      { name: made.action.name, input: {} },
    ];
    const ack = await startTurn(api, first.ack.session_id, script({ calls }, { say: 'end' }));
    await eventually('the request', () => Promise.resolve(server.on(made.path).length === 1));
    open();
    await reaches(api, ack, 'waiting');
    await target.client.post(`/v1/interactions/${interactionId}/respond`, { value: true }, 200);
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    expect(server.on(made.path)).toHaveLength(1);
    const results = (await allRows(api, ack.session_id)).flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_result'),
    );
    expect(results.slice(-2).map(({ is_error: error }) => error)).toEqual([false, false]);
  });

  it('AUTH4, invariant 27: an action that is gone when the call is made gets no request', async () => {
    const made = await custom(() => ({}));
    const ack = await invoke(
      api,
      made.agent.id,
      script({ wait_ms: await timeFor(api, 4) }, { call: { name: made.action.name, input: {} } }, { say: 'x' }),
    );
    await api.delete(`/v1/actions/${made.action.name}`);
    await settled(api, ack);
    expect(server.on(made.path)).toHaveLength(0);
  });
});
