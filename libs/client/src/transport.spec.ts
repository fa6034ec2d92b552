import { AgentService } from './agent-service.js';
import { ApiError } from './api-error.js';
import { is } from './error-codes.js';
import type { Fetch } from './transport.js';

interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
}

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json(
    { error: { code, message: `it is ${code}`, details: { limit: 3 } } },
    { status, headers: { 'x-request-id': 'req-1', ...headers } },
  );
const cut = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('socket hang up') }));

/** A client whose requests are answered by these, one after another, and the requests it sent. */
function client(...answers: (() => Response | Promise<Response>)[]): { svc: AgentService; sent: Sent[] } {
  const { sent, fetch } = recorded(...answers);
  return { svc: new AgentService({ baseUrl: 'http://service/', key: 'svck_1', fetch }), sent };
}

/** A fetch that gives these answers, one after another, and the requests that it was asked for. */
function recorded(...answers: (() => Response | Promise<Response>)[]): { fetch: Fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, init) => {
    const { method = 'GET', headers, body } = init;
    sent.push({ url, method, headers: headers as Sent['headers'], body: body ? JSON.parse(String(body)) : undefined });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (!answer) throw new Error('no answer was planned');
    return answer();
  };
  return { fetch, sent };
}

describe('a call', () => {
  it('has the path, query, key and body of its operation, and gives the JSON of the answer', async () => {
    const { svc, sent } = client(() => Response.json({ id: 'agent_1' }, { status: 201 }));
    await expect(svc.agents.create({ name: 'guide', model: 'svc-scripted-1' })).resolves.toEqual({ id: 'agent_1' });
    await svc.nudges.cancel('ses/1', 'nudge_1');
    await svc.blueprints.delete('b 1', { namespace: 'n', delete_retained: true });
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST http://service/v1/agents',
      'POST http://service/v1/sessions/ses%2F1/nudges/nudge_1/cancel',
      'DELETE http://service/v1/blueprints/b%201?namespace=n&delete_retained=true',
    ]);
    expect(sent[0]).toMatchObject({ headers: { authorization: 'Bearer svck_1' }, body: { name: 'guide' } });
  });

  it.each(['', '.', '..'])('is not sent with the id %p, which would address another path', async (id) => {
    const { svc, sent } = client(() => Response.json({}));
    await expect(svc.agents.delete(id)).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  it('waits without an end where its timeout is longer than a timer can be', async () => {
    const fetch: Fetch = (_url, { signal }) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new TypeError('aborted')));
        setTimeout(() => resolve(Response.json({})), 30);
      });
    const svc = new AgentService({ baseUrl: 'http://service', fetch, timeoutMs: Infinity });
    await expect(svc.agents.get('agent_1')).resolves.toEqual({});
    await expect(svc.agents.get('agent_1', { timeoutMs: 2 ** 32 })).resolves.toEqual({});
  });

  it('reaches everything else by method and path', async () => {
    const { svc, sent } = client(
      () => Response.json({ ok: true }),
      () => new Response('metrics 1', { headers: { 'content-type': 'text/plain' } }),
    );
    await expect(svc.request('get', '/v1/any', { query: { ids: ['a', 'b'], none: '' } })).resolves.toEqual({
      ok: true,
    });
    await expect(svc.request('GET', '/metrics')).resolves.toBe('metrics 1');
    expect(sent[0]?.url).toBe('http://service/v1/any?ids=a&ids=b');
  });
});

describe('a key', () => {
  it.each(['svck_1\nsvck_2', 'svck_\u20ac', 'svck 1'])(
    'that is none (%j) is refused without being said or sent',
    async (key) => {
      const { sent, fetch } = recorded();
      const svc = new AgentService({ baseUrl: 'http://service', key: () => key, fetch });
      const error: unknown = await svc.me.get().catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'unauthorized', status: 401 });
      expect(String(error)).not.toContain('svck');
      expect(sent).toEqual([]);
    },
  );
});

describe('an error', () => {
  it('has code, status, details and request id, and a guard of its own', async () => {
    const { svc } = client(() => refusal(409, 'nudge_queue_full'));
    const error: unknown = await svc.sessions.nudge('ses_1', { content: 'on' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'nudge_queue_full', status: 409, details: { limit: 3 }, requestId: 'req-1' });
    expect(is.nudgeQueueFull(error)).toBe(true);
    expect(is.notFound(error)).toBe(false);
    expect(ApiError.is(error, 'nudge_queue_full')).toBe(true);
  });

  it('of a proxy in between has the status and says what came', async () => {
    const { svc } = client(() => new Response('<html>no</html>', { status: 403 }));
    await expect(svc.me.get()).rejects.toMatchObject({ code: 'invalid_response', status: 403 });
    const { svc: other } = client(() => new Response('<html>ok</html>', { status: 200 }));
    await expect(other.me.get()).rejects.toMatchObject({ code: 'invalid_response', status: 200 });
  });
});

describe('a repeat', () => {
  it.each([
    ['429', () => refusal(429, 'rate_limit_exceeded', { 'retry-after': '0' })],
    ['503', () => refusal(503, 'service_unavailable', { 'retry-after': '0' })],
    ['a cut connection', cut],
    ['a body that breaks off', () => new Response(brokenBody(), { status: 200 })],
  ])('of a read follows %s', async (_what, trouble) => {
    const { svc, sent } = client(trouble, () => Response.json({ id: 'agent_1' }));
    await expect(svc.agents.get('agent_1')).resolves.toEqual({ id: 'agent_1' });
    expect(sent).toHaveLength(2);
  });

  it('of a write without a key is never made', async () => {
    for (const trouble of [cut, () => refusal(503, 'service_unavailable'), () => refusal(429, 'rate_limit_exceeded')]) {
      const { svc, sent } = client(trouble, () => Response.json({}));
      await expect(svc.agents.update('agent_1', { name: 'b' })).rejects.toBeInstanceOf(ApiError);
      await expect(svc.agents.delete('agent_1')).resolves.toBeDefined();
      expect(sent).toHaveLength(2);
    }
  });

  it('of an invocation has the key of the first attempt, which is made when none is given', async () => {
    const ack = () => Response.json({ turn_id: 'turn_1', session_id: 'ses_1' }, { status: 202 });
    const { svc, sent } = client(cut, cut, ack);
    await svc.agents.invoke({ agent_ref: { name: 'guide' }, input: { content: [{ type: 'text', text: 'hi' }] } });
    const keys = sent.map(({ headers, body }) => [
      headers['idempotency-key'],
      (body as { input: { idempotency_key: string } }).input.idempotency_key,
    ]);
    expect(new Set(keys.flat()).size).toBe(1);
    expect(keys).toHaveLength(3);
    expect(keys[0]?.[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('keeps the key that the caller gave', async () => {
    const { svc, sent } = client(() => Response.json({}, { status: 202 }));
    await svc.sessions.nudge('ses_1', { content: 'on', idempotency_key: 'mine' });
    await svc.actions.invoke('act', { input: {} }, { headers: { 'Idempotency-Key': 'also-mine' } });
    expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'also-mine']);
  });

  it('is never made of an invocation that always opens a session', async () => {
    const { svc, sent } = client(cut);
    const content = [{ type: 'text' as const, text: 'hi' }];
    await expect(
      svc.agents.invoke({ agent_ref: { name: 'guide' }, session: { mode: 'new' }, input: { content } }),
    ).rejects.toMatchObject({ code: 'connection_failed', status: 0 });
    expect(sent).toHaveLength(1);
  });

  it('ends after the fifth, and at once where the service asks for more than a minute', async () => {
    const { svc, sent } = client(() => refusal(429, 'rate_limit_exceeded', { 'retry-after': '61' }));
    await expect(svc.agents.get('agent_1')).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    expect(sent).toHaveLength(1);
    const fetch: Fetch = () => cut();
    let tries = 0;
    const counted = new AgentService({
      baseUrl: 'http://s',
      retries: 2,
      fetch: (url, init) => (tries++, fetch(url, init)),
    });
    await expect(counted.agents.get('agent_1')).rejects.toMatchObject({ code: 'connection_failed' });
    expect(tries).toBe(3);
  });
});

describe('time', () => {
  it('of an attempt ends it', async () => {
    const fetch: Fetch = (_url, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    const svc = new AgentService({ baseUrl: 'http://service', fetch, timeoutMs: 10, retries: 0 });
    await expect(svc.me.get()).rejects.toMatchObject({ code: 'timeout', status: 0 });
    const reason = new Error('no longer wanted');
    await expect(svc.me.get({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

function brokenBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"id": "ag'));
      controller.error(new Error('cut'));
    },
  });
}
