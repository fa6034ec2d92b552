import 'reflect-metadata';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fc from 'fast-check';
import { impliedPermissions } from '@aos/kernel';
import type { BrowserToken, Identity } from '@aos/kernel';
import { ManualClock, quickest } from '@aos/kernel/testing';
import { PinoLog } from '../../observability/index.js';
import type { Credentials } from '../server/authentication.js';
import { IdentitySource } from '../server/authentication.js';
import type { RunningApp } from '../app/start-app.js';
import { startApp } from '../app/start-app.js';
import { parsedAnswer, rawExchange } from '../testing.js';
import { EncodedJson, encodeFrame } from './frame.js';
import type { SseConnection, StreamEnd } from './sse-connection.js';
import { SseStreams } from './sse-streams.js';
import { StreamSlots } from './stream-slots.js';

const opened: SseConnection[] = [];
const ends: string[] = [];
/** Written right behind the start of each stream. */
const atOpening: string[] = [];
/** Written behind it, in the same turn of the loop. */
const inTheSameTurn: string[] = [];
/** Writes of the server's sockets. */
const writes = { count: 0 };

function countWrites(socket: Socket): void {
  for (const name of ['_write', '_writev'] as const) {
    const write = socket[name]?.bind(socket) as (...given: unknown[]) => void;
    Object.defineProperty(socket, name, {
      value: (...given: unknown[]) => {
        writes.count += 1;
        write(...given);
      },
    });
  }
}

@Controller()
class Streaming {
  constructor(private readonly streams: SseStreams) {}

  @Get('/v1/sessions/:session_id/transcript/stream')
  stream(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    countWrites(reply.raw.socket!);
    const connection = this.streams.start(request, reply, {
      ending: (reason: StreamEnd, ending) => {
        ending.frame({ event: 'stream.end', data: { event_type: 'stream.end', reason } });
      },
      closed: () => {
        ends.push('closed');
      },
    });
    for (const text of atOpening) connection.frame({ event: 'a', data: text });
    setImmediate(() => {
      for (const text of inTheSameTurn) connection.frame({ event: 'a', data: text });
    });
    opened.push(connection);
  }
}

class EverybodyKnown extends IdentitySource {
  override identify({ authorization, requestId, ip }: Credentials): Promise<Identity | null> {
    const name = authorization?.slice('Bearer '.length) ?? '';
    return Promise.resolve({
      orgId: name.startsWith('other') ? 'org_2' : 'org_1',
      principalId: `svc_${name}`,
      kind: 'service',
      apiKeyId: `cred_${name}`,
      permissions: impliedPermissions(['svc.resource.view']),
      roles: [],
      cap: null,
      requestId,
      ip,
      ...(name.startsWith('token') && { token: shortToken(name) }),
    });
  }
}

/** It ends 20 s from now, and reaches everything here. */
function shortToken(id: string): BrowserToken {
  return { id, verbs: new Set(['read']), expiresAt: clock.now() + 20_000, reach: { sessionIds: [] } };
}

@Module({ controllers: [Streaming], providers: [{ provide: IdentitySource, useClass: EverybodyKnown }] })
class StreamingModule {}

const clock = new ManualClock();
const lines: string[] = [];
const log = PinoLog.create({
  app: 't',
  level: 'info',
  pretty: false,
  destination: {
    write: (line: string) => {
      lines.push(line);
    },
  },
});
const sockets: Socket[] = [];
const apps: RunningApp[] = [];

const startStreaming = async (env: Record<string, string> = {}) => {
  const app = await startApp('test', [StreamingModule], {
    clock,
    log,
    graceMs: 200,
    env: { SVC_PORT: '0', SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-')), ...env },
  });
  apps.push(app);
  return app;
};
let standard: RunningApp;
beforeAll(async () => {
  standard = await startStreaming();
});
afterAll(() => Promise.all(apps.map((app) => app.stop())));
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await until(() => apps.every((app) => app.core.streams.open === 0), 'all closed');
  opened.length = 0;
  ends.length = 0;
});

async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline;) {
    if (isTrue()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
  throw new Error(`not in time: ${what}`);
}

function listen(app: RunningApp, key = 'a', { reads = true } = {}) {
  const { hostname, port } = new URL(app.url);
  const received = { text: '', isClosed: false };
  const socket = connect(Number(port), hostname, () => {
    socket.write(
      `GET /v1/sessions/ses_1/transcript/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: stream-1\r\n\r\n`,
    );
  });
  sockets.push(socket);
  if (reads) {
    socket.on('data', (chunk) => {
      received.text += chunk.toString('utf8');
      if (received.text.endsWith('\r\n0\r\n\r\n')) received.isClosed = true;
    });
  }
  if (!reads) socket.pause();
  socket.on('error', () => {
    received.isClosed = true;
  });
  socket.on('close', () => {
    received.isClosed = true;
  });
  return { received, socket };
}

describe('frames', () => {
  it('are id, event, one line of JSON, blank line', () => {
    expect(encodeFrame({ id: 'c1', event: 'message.upsert', data: { text: 'a\nb' } })).toBe(
      'id: c1\nevent: message.upsert\ndata: {"text":"a\\nb"}\n\n',
    );
    expect(encodeFrame({ event: 'x', data: new EncodedJson('{"a":1}') })).toBe('event: x\ndata: {"a":1}\n\n');
  });

  it('can hold no line end of anybody else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.anything({ withNullPrototype: false }), (name, data) => {
        const text = JSON.stringify(data) as string | undefined;
        if (/[\r\n\0]/.test(name) || name === '') {
          expect(() => encodeFrame({ id: name, event: name, data: 1 })).toThrow();
          return;
        }
        if (text === undefined) return;
        expect(encodeFrame({ id: name, event: name, data }).split(/\r\n|\r|\n/)).toEqual([
          `id: ${name}`,
          `event: ${name}`,
          `data: ${text}`,
          '',
          '',
        ]);
      }),
      { numRuns: 300 },
    );
    expect(() => encodeFrame({ event: 'x', data: new EncodedJson('{}\n\nevent: y') })).toThrow();
  });
});

describe('streams', () => {
  it('open with the headers of the contract and carry frames', async () => {
    const app = standard;
    const { received } = listen(app);
    await until(() => opened.length === 1, 'opened');
    expect(opened[0]?.frame({ id: '1', event: 'a', data: { n: 1 } })).toBe(true);
    await until(() => received.text.includes('data: {"n":1}'), 'frame');
    const { status, headers } = parsedAnswer(received.text);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': 'stream-1',
      'x-ratelimit-scope': 'key',
    });
  });

  it('get a comment every heartbeat, and an end with rotate at their age', async () => {
    const app = await startStreaming({ SVC_STREAM_HEARTBEAT_SECONDS: '5', SVC_STREAM_ROTATE_SECONDS: '12' });
    const { received } = listen(app);
    await until(() => opened.length === 1, 'opened');
    clock.advance(11_000);
    await until(() => received.text.split(': keep-alive\n\n').length >= 3, 'two heartbeats');
    clock.advance(2_000);
    await until(() => received.isClosed && ends.length > 0, 'rotated');
    expect(received.text).toContain('"reason":"rotate"');
    expect(ends).toEqual(['closed']);
    expect(clock.pendingTimers).toBeLessThanOrEqual(1);
  });

  it('rule TP13: send what was written in one tick in one write, the headers with the first frames', async () => {
    atOpening.push('one', 'two');
    inTheSameTurn.push('behind');
    writes.count = 0;
    const { received } = listen(standard);
    await until(() => received.text.includes('data: "behind"'), 'first frames');
    for (const list of [atOpening, inTheSameTurn]) list.length = 0;
    expect([writes.count, parsedAnswer(received.text).status]).toEqual([1, 200]);
    for (const text of ['three', 'four', 'five']) opened[0]?.frame({ event: 'a', data: text });
    await until(() => received.text.includes('data: "five"'), 'next frames');
    expect(writes.count).toBe(2);
    opened[0]?.frame({ event: 'a', data: 'last' });
    opened[0]?.end();
    await until(() => received.isClosed, 'ended');
    expect(writes.count).toBe(3);
    expect(received.text.match(/data: "\w+"/g)).toEqual(
      ['one', 'two', 'behind', 'three', 'four', 'five', 'last'].map((text) => `data: "${text}"`),
    );
  });

  it('rule TP13: send the headers without frames too, and no more than 64 KiB at once', async () => {
    writes.count = 0;
    const { received } = listen(standard);
    await until(() => received.text.includes('text/event-stream'), 'headers');
    expect(writes.count).toBe(1);
    const frame = encodeFrame({ event: 'a', data: 'x'.repeat(20_000) });
    for (let count = 0; count < 4; count += 1) opened[0]?.write(frame);
    expect(writes.count).toBe(2);
    await until(() => received.text.split('event: a').length === 5, 'frames');
    expect(writes.count).toBe(3);
  });

  it('push back when the client does not read, queue nothing, and go on when it does', async () => {
    const app = standard;
    const { received, socket } = listen(app, 'a', { reads: false });
    await until(() => opened.length === 1, 'opened');
    const connection = opened[0] as SseConnection;
    const frame = encodeFrame({ event: 'a', data: 'x'.repeat(64 * 1024) });
    let written = 0;
    while (connection.write(frame) && written < 1_000) written += 1;
    expect(connection.isReady).toBe(false);
    expect(written).toBeLessThan(1_000);
    let isDrained = false;
    const drained = connection.drained().then(() => {
      isDrained = true;
    });
    expect(isDrained).toBe(false);
    socket.on('data', (chunk) => {
      received.text += chunk.toString('latin1');
    });
    socket.resume();
    await drained;
    expect(connection.isReady).toBe(true);
    socket.destroy();
    await until(() => !connection.isOpen, 'closed by the client');
    await connection.drained();
    expect(app.core.streams.open).toBe(0);
  });

  it('are capped per key, organization and process, and give their slot back', async () => {
    const app = await startStreaming({
      SVC_STREAMS_PER_KEY: '1',
      SVC_STREAMS_PER_ORG: '2',
      SVC_STREAMS_PER_PROCESS: '3',
    });
    const first = listen(app, 'a');
    await until(() => opened.length === 1, 'first');
    const refused = async (key: string) => {
      const answer = parsedAnswer(
        await rawExchange(
          app.url,
          `GET /v1/sessions/s/transcript/stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`,
        ),
      );
      const { error } = JSON.parse(answer.body) as { error: { code: string; details: { scope: string } } };
      return [answer.status, error.code, error.details.scope, answer.headers['retry-after']];
    };
    expect(await refused('a')).toEqual([429, 'rate_limit_exceeded', 'key', '5']);
    listen(app, 'b');
    await until(() => opened.length === 2, 'second');
    expect(await refused('c')).toEqual([429, 'rate_limit_exceeded', 'org', '5']);
    listen(app, 'otherd');
    await until(() => opened.length === 3, 'third');
    expect(await refused('othere')).toEqual([429, 'rate_limit_exceeded', 'process', '5']);
    first.socket.destroy();
    await until(() => app.core.slots.open === 2, 'slot back');
    listen(app, 'a');
    await until(() => opened.length === 4, 'again');
  });

  it('close when their key is revoked, and no others', async () => {
    const app = standard;
    const mine = listen(app, 'a');
    const other = listen(app, 'b');
    await until(() => opened.length === 2, 'opened');
    app.core.streams.closeKey('cred_a');
    await until(() => mine.received.isClosed, 'revoked');
    expect(other.received.isClosed).toBe(false);
    app.core.streams.closePrincipal('org_1', 'svc_b');
    await until(() => other.received.isClosed, 'principal');
  });

  it('rule A39: that a browser token opened end with it, within a second, and no others of its key', async () => {
    const ofToken = listen(standard, 'token');
    const ofKey = listen(standard, 'a');
    await until(() => opened.length === 2, 'opened');
    for (let second = 0; second < 19; second += 1) clock.advance(1_000);
    expect([ofToken.received.isClosed, opened.every(({ isOpen }) => isOpen)]).toEqual([false, true]);
    clock.advance(1_000);
    await until(() => ofToken.received.isClosed, 'ended');
    expect(ofToken.received.text).toContain('"reason":"revoked"');
    expect(ofKey.received.isClosed).toBe(false);
  });

  it('are ended by a stop, which does not wait for them', async () => {
    const took = await quickest(1_500, async () => {
      const app = await startStreaming();
      const before = opened.length;
      const { received } = listen(app);
      await until(() => opened.length > before, 'opened');
      const startedAt = performance.now();
      await app.stop();
      await until(() => received.isClosed, 'ended');
      expect(received.text).toContain('"reason":"shutdown"');
      return performance.now() - startedAt;
    });
    expect(took).toBeLessThan(1_500);
  });
});

describe('slots', () => {
  it('know no limit of 0, and a slot returns once', () => {
    const slots = new StreamSlots({ perKey: 0, perOrg: 0, perProcess: 0 });
    const release = Array.from({ length: 10 }, () => slots.take({ orgId: 'o', principalId: 'p', apiKeyId: null }));
    release[0]?.();
    release[0]?.();
    expect(slots.open).toBe(9);
  });
});
