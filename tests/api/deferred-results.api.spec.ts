import {
  ActionServer,
  type ActionRequest,
  type Agent,
  Client,
  type EventStream,
  type Frame,
  type TurnAck,
  allRows,
  cancelTurn,
  createAgent,
  eventually,
  invoke,
  reaches,
  readTurn,
  said,
  script,
  settled,
  unique,
  v1,
  v2,
} from '../harness/index.js';

const api = Client.owner();
let server: ActionServer;
beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());

interface Made {
  agent: Agent;
  name: string;
  path: string;
}
/** What an endpoint needs to bring a result. */
interface Callback {
  deliveryId: string;
  url: string;
  token: string;
}
const taken = { status: 202, headers: { 'x-svc-result': 'deferred' }, body: { queued: true } };

/** An action by blueprint, which alone marks one as long-running. */
async function action(
  fields: { annotations?: object; output_schema?: object; answer?: typeof taken | object } = {},
): Promise<Made> {
  const name = unique('later');
  const { annotations = { long_running: true }, answer = taken, ...more } = fields;
  const path = `/${name}`;
  const endpoint = server.at(path, () => answer);
  const declared = { key: 'a', name, type: 'http', endpoint, annotations, ...more };
  await api.post('/v1/blueprints/apply', { blueprint_key: name, resources: { actions: [declared] } }, 200);
  const selector = { selector_type: 'exact', selector: name };
  return { name, path, agent: await createAgent(api, { action_selectors: [selector] }) };
}
const calling = ({ agent, name }: Made): Promise<TurnAck> =>
  invoke(api, agent.id, script({ call: { name, input: { n: 1 } } }, { read: 'last_tool_result' }), {
    session: { mode: 'new' },
  });
function callbackOf({ headers }: ActionRequest): Callback {
  return {
    deliveryId: String(headers['x-svc-delivery-id']),
    url: String(headers['x-svc-callback-url']),
    token: String(headers['x-svc-callback-token']),
  };
}
async function sent({ path }: Made, count = 1): Promise<Callback> {
  const requests = await eventually('the request', () =>
    Promise.resolve(server.on(path).length >= count ? server.on(path) : null),
  );
  const last = requests?.at(-1);
  if (!last) throw new Error('nothing was sent');
  return callbackOf(last);
}
const bearer = (token: string): Client => api.as(token);
const result = ({ deliveryId, token }: Callback, body: object, status = 204) =>
  bearer(token).send('POST', `/v1/deliveries/${deliveryId}/result`, { body, expect: status });
const report = ({ deliveryId, token }: Callback, progress: object, status = 204) =>
  bearer(token).send('POST', `/v1/deliveries/${deliveryId}/progress`, { body: { progress }, expect: status });
const last = async (ack: TurnAck): Promise<string> => said((await allRows(api, ack.session_id)).at(-1));
const progressOf = ({ data }: Frame): unknown => data['progress'];
const shows = (stream: EventStream, step: unknown): Promise<Frame> =>
  stream.until(
    `progress ${String(step)}`,
    (frame) => (progressOf(frame) as { step?: unknown } | null)?.step === step,
    30_000,
  );
async function waiting(made: Made): Promise<{ ack: TurnAck; callback: Callback }> {
  const ack = await calling(made);
  const callback = await sent(made);
  await reaches(api, ack, 'waiting');
  return { ack, callback };
}

describe('TE81: results that an endpoint brings itself', () => {
  it('a call that was taken waits for its result, which is taken once', async () => {
    const made = await action();
    const { ack, callback } = await waiting(made);
    expect(callback.url).toMatch(new RegExp(`^https?://[^/]+/v1/deliveries/${callback.deliveryId}/result$`));
    expect(await readTurn(api, ack)).toMatchObject({ status: 'waiting', wait: { event_type: 'action.completed' } });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_none, index) =>
        bearer(callback.token).send('POST', `/v1/deliveries/${callback.deliveryId}/result`, {
          body: { output: { attempt: index } },
        }),
      ),
    );
    expect(answers.every(({ status }) => status === 204 || status === 404)).toBe(true);
    expect(answers.some(({ status }) => status === 204)).toBe(true);
    expect(await settled(api, ack)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
    const text = await last(ack);
    expect(text).toMatch(/^\{"attempt":[0-5]\}$/);
    await result(callback, { output: { attempt: 'late' } }, 404);
    expect(await last(ack)).toBe(text);
    expect(server.on(made.path)).toHaveLength(1);
    const { items } = await api.get<{ items: { status: string; delivery_id: string; http_status?: number }[] }>(
      '/v1/action-invocations',
      { action_name: made.name },
    );
    expect(items).toMatchObject([{ status: 'success', http_status: 202 }]);
  });

  it('a repeat while the turn goes on changes nothing', async () => {
    const made = await action();
    const other = await action();
    const selectors = [made.name, other.name].map((selector) => ({ selector_type: 'exact', selector }));
    const agent = await createAgent(api, { action_selectors: selectors });
    const steps = [{ calls: [made, other].map(({ name }) => ({ name, input: {} })) }, { say: 'done' }];
    const ack = await invoke(api, agent.id, script(...steps), { session: { mode: 'new' } });
    const [first, second] = [await sent(made), await sent(other)];
    await reaches(api, ack, 'waiting');
    await result(first, { output: { n: 1 } });
    await result(first, { output: { n: 'again' } });
    await result(first, { error: 'no' });
    await result({ ...first, token: second.token }, { output: {} }, 404);
    await result(second, { output: 'plain' });
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    const blocks = (await allRows(api, ack.session_id)).flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_result'),
    );
    expect(blocks).toMatchObject([{ content: '{"n":1}' }, { content: '{"output":"plain"}' }]);
  });

  it('an error and an output that does not fit its schema fail the call', async () => {
    const made = await action();
    const first = await waiting(made);
    await result(first.callback, { error: 'the printer burns' });
    expect(await settled(api, first.ack)).toMatchObject({ status: 'completed' });
    expect(await last(first.ack)).toBe('{"error":{"code":"action_failed","message":"the printer burns"}}');
    const strict = await action({ output_schema: { type: 'object', required: ['id'] } });
    const second = await waiting(strict);
    await result(second.callback, { output: {} });
    await settled(api, second.ack);
    expect(await last(second.ack)).toContain('invalid_reply');
  });

  it('what is no result of this call is refused and changes nothing', async () => {
    const made = await action();
    const { ack, callback } = await waiting(made);
    const stranger = await waiting(await action());
    for (const token of ['', 'x', api.key ?? '', `${callback.token}x`, stranger.callback.token])
      await result({ ...callback, token }, { output: {} }, 404);
    await result({ ...callback, deliveryId: stranger.callback.deliveryId }, { output: {} }, 404);
    await report({ ...callback, token: 'x' }, { step: 1 }, 404);
    const path = `/v1/deliveries/${callback.deliveryId}/result`;
    const client = bearer(callback.token);
    for (const body of [{}, { output: 1, error: 'x' }, { error: '' }, { error: 'x'.repeat(4097) }, { more: 1 }])
      await client.refused('bad_request', 'POST', path, { body, invalid: true });
    await client.refused('bad_request', 'POST', path, { body: { error: 'ü'.repeat(4096) } });
    await client.refused('payload_too_large', 'POST', path, { body: { output: 'x'.repeat(1024 * 1024) } });
    await client.refused('bad_request', 'POST', `/v1/deliveries/${callback.deliveryId}/progress`, {
      body: { progress: { step: 'x'.repeat(4096) } },
    });
    expect(await readTurn(api, ack)).toMatchObject({ status: 'waiting' });
    await cancelTurn(api, ack);
    await result(callback, { output: {} }, 404);
    await report(callback, { step: 1 }, 404);
    await cancelTurn(api, stranger.ack);
  });

  it('without the header 202 is the result; a call that is not long-running, and one outside a turn, has no callback', async () => {
    const plain = await action({ answer: { status: 202, body: { queued: true } } });
    const ack = await calling(plain);
    await settled(api, ack);
    expect(await last(ack)).toBe('{"queued":true}');
    const short = await action({ annotations: {} });
    const shortAck = await calling(short);
    await settled(api, shortAck);
    expect(await last(shortAck)).toBe('{"queued":true}');
    const direct = await action();
    await api.post(`/v1/actions/${direct.name}/invoke`, { input: {}, wait_seconds: 10 });
    await sent(direct);
    for (const { path } of [short, direct])
      for (const { headers } of server.on(path))
        expect([headers['x-svc-callback-url'], headers['x-svc-callback-token']]).toEqual([undefined, undefined]);
  });

  it('a result that comes before the answer counts; a nudge with wake ends the wait', async () => {
    const path = `/${unique('early')}`;
    let answer: () => void = () => undefined;
    const endpoint = server.at(path, () => ({
      ...taken,
      after: new Promise<void>((resolve) => {
        answer = resolve;
      }),
    }));
    const name = unique('early');
    const declared = { key: 'a', name, type: 'http', endpoint, annotations: { long_running: true } };
    await api.post('/v1/blueprints/apply', { blueprint_key: name, resources: { actions: [declared] } }, 200);
    const agent = await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: name }] });
    const ack = await calling({ agent, name, path });
    await result(await sent({ agent, name, path }), { output: { early: true } });
    answer();
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    expect(await last(ack)).toBe('{"early":true}');

    const { ack: woken, callback } = await waiting(await action());
    await api.post(`/v1/sessions/${woken.session_id}/nudges`, { content: 'go on', wake: true }, 202);
    expect(await settled(api, woken)).toMatchObject({ status: 'completed' });
    await result(callback, { output: {} }, 404);
  });

  it('TE80: its progress reaches both streams and late joiners, at most 4 a second, and null ends it', async () => {
    const { ack, callback } = await waiting(await action());
    const [second, first] = [await v2(api, ack.session_id), await v1(api, ack.session_id)];
    await report(callback, { step: 1 });
    expect(await shows(second, 1)).toMatchObject({ event: 'message.block.patch', data: { status: 'running' } });
    expect(await shows(first, 1)).toMatchObject({ event: 'tool.call', data: { progress: { step: 1 } } });
    const late = await v2(api, ack.session_id);
    await shows(late, 1);
    const from = performance.now();
    await Promise.all(Array.from({ length: 40 }, (_none, step) => report(callback, { step: 10 + step })));
    await report(callback, { step: 'newest' });
    await shows(second, 'newest');
    const seconds = (performance.now() - from) / 1000;
    const flood = second
      .of('message.block.patch')
      .map((frame) => (progressOf(frame) as { step?: unknown } | undefined)?.step)
      .filter((step) => step !== undefined && step !== 1);
    // each replica that takes reports shows so many
    expect(flood.length).toBeLessThanOrEqual((Math.ceil(seconds * 4) + 1) * 2);
    await result(callback, { output: { done: true } });
    for (const stream of [first, second, late]) await stream.over();
    expect(second.of('message.block.patch').map(progressOf).at(-1)).toBeNull();
    expect(JSON.stringify(await allRows(api, ack.session_id))).not.toContain('newest');
  });

  it('TE22: a result is filtered for the secret that the call was sent with, also when the account has another one', async () => {
    const made = await action();
    const provider = unique('prov').toLowerCase();
    await api.patch(`/v1/actions/${made.name}`, { provider });
    await api.patch(`/v1/agents/${made.agent.id}`, { integration_access: [{ provider }] });
    const [short, long] = [unique('a-secret'), unique('a-secret').padEnd(5_000, 'x')];
    const hosts = [new URL(server.at('/', () => ({}))).origin];
    const account = { name: 'x', kind: 'api_key', provider, owner: { kind: 'team' }, hosts, secret: short };
    const { id } = await api.post<{ id: string }>('/v1/connections', account, 201);
    await api.put(`/v1/connections/${id}/grants`, { principal_ids: [made.agent.id], everyone: false });
    const rotate = (secret: string) => api.post(`/v1/connections/${id}/rotate`, { secret }, 200);
    const echoed = async (change: () => Promise<unknown>) => {
      const earlier = server.on(made.path).length;
      const ack = await calling(made);
      const callback = await sent(made, earlier + 1);
      await reaches(api, ack, 'waiting');
      const { authorization } = server.on(made.path).at(-1)?.headers ?? {};
      await change();
      await result(callback, { output: { authorization } });
      await settled(api, ack);
      return last(ack);
    };
    expect(await echoed(() => rotate(long))).toBe('{"authorization":"[redacted]"}');
    expect(await echoed(() => Promise.resolve())).toBe('{"authorization":"[redacted]"}');
    const failed = await echoed(() => rotate(short));
    expect(failed).toContain('secret_changed');
    expect(failed).not.toContain(long);
    expect(await echoed(() => api.patch(`/v1/actions/${made.name}`, { provider: null }))).toBe(
      '{"authorization":"[redacted]"}',
    );
  });
});
