import type { EgressResponse, JsonObject } from '@aos/kernel';
import { actionBody, type ActionCall } from './action-request.decide.js';
import { readReply } from './action-reply.decide.js';
import { wholeReply } from './reply-body.js';
import { backoffMs, mayRetry, timeoutMsOf, type Tried } from './attempts.decide.js';

const call: ActionCall = {
  orgId: 'org_a',
  action: { id: 'act_a', name: 'mail.send' },
  actor: { principalId: 'agent_a', kind: 'agent' },
  origin: { kind: 'agent_tool_call', turnId: 'turn_a', sessionId: 'ses_a', toolCallId: 'toolu_a' },
  parameters: { to: 'ü' },
};
const reply = (body: string, contentType = 'application/json', status = 200, headers = {}): EgressResponse => ({
  status,
  headers: { 'content-type': contentType, ...headers },
  body: Buffer.from(body),
});
const envelope = (body: object, token = 'svc') =>
  readReply(reply(JSON.stringify(body), `application/vnd.${token}.action+json; charset=utf-8`), token);

describe('action requests', () => {
  const read = (format: 'legacy' | 'signed_context_v1', token = 'svc') => {
    const { contentType, body } = actionBody(format, token, call);
    return { contentType, body: JSON.parse(Buffer.from(body).toString('utf8')) as JsonObject };
  };

  it('R22: legacy is parameters alone', () => {
    expect(read('legacy')).toEqual({ contentType: 'application/json', body: { parameters: { to: 'ü' } } });
  });

  it('R22: the signed context says who calls what from where, under the token of the deployment', () => {
    const svc = {
      schema_version: 1,
      scope: { org_id: 'org_a' },
      action: { id: 'act_a', name: 'mail.send' },
      actor: { principal_id: 'agent_a', principal_type: 'agent', agent_id: 'agent_a' },
      origin: { kind: 'agent_tool_call', agent_turn_id: 'turn_a', session_id: 'ses_a', tool_call_id: 'toolu_a' },
    };
    expect(read('signed_context_v1')).toEqual({
      contentType: 'application/vnd.svc.action-invocation+json; version=1',
      body: { svc, parameters: { to: 'ü' } },
    });
    expect(read('signed_context_v1', 'acme')).toEqual({
      contentType: 'application/vnd.acme.action-invocation+json; version=1',
      body: { acme: svc, parameters: { to: 'ü' } },
    });
  });
});

describe('action replies', () => {
  it('R24: JSON is the output, anything but an object is wrapped', () => {
    const output = (body: string, contentType?: string) => readReply(reply(body, contentType), 'svc');
    expect(output('{"a":1}')).toEqual({ output: { a: 1 }, context: [], warning: null });
    for (const value of ['[1]', '7', '"x"', 'null'])
      expect(output(value)).toMatchObject({ output: { output: JSON.parse(value) as unknown } });
    for (const empty of ['', '\ufeff']) expect(output(empty)).toMatchObject({ output: {} });
    expect(output('\ufeff{"a":1}')).toMatchObject({ output: { a: 1 } });
    expect(output('\ufeffplain', 'text/plain')).toMatchObject({ output: { output: 'plain' } });
    expect(output('plain words', 'text/plain')).toMatchObject({ output: { output: 'plain words' } });
    expect(output('{broken')).toHaveProperty('unreadable');
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(output(nested(64))).toHaveProperty('output');
    expect(output(nested(65))).toHaveProperty('unreadable');
    for (const body of ['{"a":[1e400]}', '-1e999', '{"__proto__":{"a":1}}', '{"\\u005f_proto__":1}'])
      expect(output(body)).toHaveProperty('unreadable');
    expect(output('1e400', 'text/plain')).toMatchObject({ output: { output: '1e400' } });
    expect(output(nested(65), 'text/plain')).toMatchObject({ output: { output: nested(65) } });
  });

  it('TE80: of a reply with progress the last line is the output, however its bytes are cut', async () => {
    const read = async (text: string, pieceBytes: number, status = 200) => {
      const seen: JsonObject[] = [];
      const bytes = Buffer.from(text);
      async function* body() {
        for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
      }
      const whole = await wholeReply(
        { status, headers: { 'content-type': 'application/x-ndjson; charset=utf-8' }, body: body() },
        (progress) => {
          seen.push(progress);
        },
      );
      return { seen, reply: readReply(whole, 'svc'), text: Buffer.from(whole.body).toString() };
    };
    const text =
      '{"progress":{"at":"ü"}}\r\n\n{"progress":7}\nnonsense\n{"progress":{"at":"€"}}\n{"output":{"ok":"€"}}\n';
    for (const pieceBytes of [1, 2, 7, 1000]) {
      expect(await read(text, pieceBytes)).toMatchObject({
        seen: [{ at: 'ü' }, { at: '€' }],
        reply: { output: { ok: '€' }, context: [], warning: null },
      });
    }
    expect((await read('\ufeff{"output":[1]}', 2)).reply).toMatchObject({ output: { output: [1] } });
    expect((await read('{"output":[1]}', 5)).reply).toMatchObject({ output: { output: [1] } });
    for (const broken of ['', '{"progress":{}}\n', '{"output":1}\n{"progress":{}}', '{"a":1}', '{"output":'])
      expect((await read(broken, 9)).reply).toHaveProperty('unreadable');
    expect(await read('{"progress":{"at":1}}\nbad', 9, 500)).toMatchObject({
      seen: [],
      text: '{"progress":{"at":1}}\nbad',
    });
  });

  it('T31: an envelope brings output and context', () => {
    expect(envelope({ output: [1], context: [{ name: 'board', content: 'red' }] })).toMatchObject({
      output: { output: [1] },
      context: [{ name: 'board', content: 'red' }],
      warning: null,
    });
    expect(envelope({})).toEqual({ output: {}, context: [], warning: null });
    expect(readReply(reply('{"output":{"a":1},"context":[]}'), 'svc')).toMatchObject({
      output: { output: { a: 1 }, context: [] },
    });
  });

  it.each([
    [{ a: 1 }],
    [[{ name: 'Board', content: 'x' }]],
    [[{ name: 'a', content: '' }]],
    [[{ name: 'a', content: 'x'.repeat(8193) }]],
    [
      [
        { name: 'a', content: '1' },
        { name: 'a', content: '2' },
      ],
    ],
    [Array.from({ length: 9 }, (_, index) => ({ name: `n${index}`, content: 'x' }))],
    [['a', 'b', 'c'].map((name) => ({ name, content: 'x'.repeat(8000) }))],
  ])('T31: context over its limits is left out, the output stays', (context) => {
    expect(envelope({ output: { ok: true }, context })).toMatchObject({
      output: { ok: true },
      context: [],
      warning: expect.any(String) as string,
    });
  });
});

describe('tries', () => {
  const answered = (status: number, headers = {}): Tried => ({ reply: reply('', 'text/plain', status, headers) });
  const fell = (reason: 'timeout' | 'unreachable' | 'endpoint_blocked' | 'redirect', connected: boolean): Tried => ({
    failure: { reason, connected, message: '' },
  });

  it('R24: repeats what is safe to repeat, and what never connected', () => {
    for (const status of [408, 425, 429, 500, 503]) {
      expect([
        mayRetry(answered(status), {}),
        mayRetry(answered(status), { idempotent: true }),
        mayRetry(answered(status), { read_only: true }),
      ]).toEqual([false, true, true]);
    }
    for (const status of [400, 404, 409, 302]) expect(mayRetry(answered(status), { idempotent: true })).toBe(false);
    expect([
      mayRetry(fell('unreachable', false), {}),
      mayRetry(fell('unreachable', true), {}),
      mayRetry(fell('timeout', true), { read_only: true }),
    ]).toEqual([true, false, true]);
    expect([
      mayRetry(fell('endpoint_blocked', false), { idempotent: true }),
      mayRetry(fell('redirect', true), { idempotent: true }),
    ]).toEqual([false, false]);
  });

  it('waits longer each time, spread, as the receiver asks, and never long', () => {
    expect([1, 2, 3].map((retry) => backoffMs(retry, answered(500), 1))).toEqual([500, 1000, 2000]);
    expect(backoffMs(1, answered(500), 0)).toBe(250);
    expect([
      backoffMs(1, answered(429, { 'retry-after': '3' }), 0),
      backoffMs(1, answered(429, { 'retry-after': '3600' }), 0),
    ]).toEqual([3000, 20_000]);
    expect([timeoutMsOf({}), timeoutMsOf({ long_running: true })]).toEqual([30_000, 120_000]);
  });
});
