import 'reflect-metadata';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { impliedPermissions, type Identity } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { PinoLog } from '../../observability/index.js';
import type { Credentials } from './authentication.js';
import { IdentitySource } from './authentication.js';
import { bodyCost } from './body-budget.js';
import { parsedAnswer } from '../testing.js';
import { startApp, type RunningApp } from '../app/start-app.js';

const mib = 1024 * 1024;

/** Keys are named `<organization><letter>`, such as `onea`. */
const keyOf = (name: string) => `svck_${name.padEnd(40, 'x')}`;

class KnownKeys extends IdentitySource {
  override identify({ authorization, requestId, ip }: Credentials): Promise<Identity | null> {
    const name = /^Bearer svck_([a-z]+?)x+$/.exec(authorization ?? '')?.[1] ?? '';
    if (name === '') return Promise.resolve(null);
    return Promise.resolve({
      orgId: `org_${name.slice(0, -1)}`,
      principalId: `svc_${name}`,
      kind: 'service',
      apiKeyId: `cred_${name}`,
      permissions: impliedPermissions(['svc.org.admin']),
      roles: [],
      cap: null,
      requestId,
      ip,
    });
  }
}

@Controller()
class Fakes {
  @Post('/v1/agents') create(@Body() body: object) {
    return { body };
  }
  @Post('/v1/sessions/:session_id/turns') turn(@Body() body: object) {
    return { size: JSON.stringify(body).length };
  }
}

@Module({
  controllers: [Fakes],
  providers: [{ provide: IdentitySource, useClass: KnownKeys }],
  exports: [IdentitySource],
})
class FakeModule {}

const lines: string[] = [];
const clock = new ManualClock();
const sockets: Socket[] = [];
let app: RunningApp;

beforeAll(async () => {
  const log = PinoLog.create({
    app: 'test',
    level: 'debug',
    pretty: false,
    destination: {
      write: (line: string) => {
        lines.push(line);
      },
    },
  });
  app = await startApp('test', [FakeModule], {
    clock,
    log,
    graceMs: 200,
    bodies: { perKey: 8 * mib, perOrg: 12 * mib, perProcess: 20 * mib },
    env: {
      SVC_PORT: '0',
      SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-')),
      SVC_RATE_LIMIT_KEY_RPM: '60',
      SVC_RATE_LIMIT_ORG_RPM: '0',
    },
  });
});
beforeEach(() => {
  clock.advance(120_000);
  lines.length = 0;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually('nothing being received', async () => (await receiving()) === 0);
});
afterAll(() => app.stop());

async function receiving(): Promise<number> {
  const text = await app.core.metrics.text();
  return Number(/^\w*http_bodies_receiving_bytes (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
}

/** Sends the head of a request, and then nothing; `answer` is what comes back. */
function begun(
  key: string,
  length: number | 'chunked',
  path = '/v1/agents',
  id = 'begun',
): { socket: Socket; answer: Promise<ReturnType<typeof parsedAnswer>> } {
  const { hostname, port } = new URL(app.url);
  const announced = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  const socket = connect(Number(port), hostname, () => {
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nx-request-id: ${id}\r\nauthorization: Bearer ${keyOf(key)}\r\ncontent-type: application/json\r\n${announced}\r\n\r\n`,
    );
  });
  socket.on('error', () => undefined);
  sockets.push(socket);
  const answer = once(socket, 'data').then(([chunk]) => parsedAnswer(String(chunk)));
  return { socket, answer };
}

const held = (bytes: number) => eventually(`${bytes} bytes being received`, async () => (await receiving()) === bytes);
const outcome = async ({ answer }: { answer: Promise<ReturnType<typeof parsedAnswer>> }) => {
  const { status, headers, body } = await answer;
  const { error } = JSON.parse(body) as { error: { code: string; details?: { scope?: string } } };
  return [status, error.code, error.details?.scope, headers['retry-after']];
};

const turns = '/v1/sessions/s/turns';
const minimal = JSON.stringify({ name: 'a' });
const called = (key: string, body: string, path = '/v1/agents') =>
  fetch(app.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOf(key)}`, 'content-type': 'application/json' },
    body,
  });

describe('bodies that are being received (rule L21)', () => {
  it('rule L21: are bounded by key, organization and process before they are read, so that one organization leaves room for another', async () => {
    begun('onea', 4 * mib, turns);
    begun('onea', 4 * mib, turns);
    await held(8 * mib);
    expect(await outcome(begun('onea', 100))).toEqual([429, 'rate_limit_exceeded', 'key', '1']);
    begun('oneb', 4 * mib, turns);
    await held(12 * mib);
    expect(await outcome(begun('oneb', 100))).toEqual([429, 'rate_limit_exceeded', 'org', '1']);
    expect((await called('twoa', minimal)).status).toBe(201);
    begun('twoa', 4 * mib, turns);
    begun('twob', 4 * mib, turns);
    await held(20 * mib);
    expect(await outcome(begun('threea', 100))).toEqual([503, 'service_unavailable', undefined, '1']);
  });

  it('rule L21: give their bytes back when they are received, broken off, or refused', async () => {
    const whole = begun('onea', Buffer.byteLength(minimal));
    await held(Buffer.byteLength(minimal));
    whole.socket.write(minimal);
    expect((await whole.answer).status).toBe(201);
    await held(0);
    const wrong = begun('onea', 3);
    await held(3);
    wrong.socket.write('{x}');
    expect((await wrong.answer).status).toBe(400);
    await held(0);
    const left = begun('onea', mib);
    await held(mib);
    left.socket.resetAndDestroy();
    await held(0);
    expect((await called('onea', minimal)).status).toBe(201);
  });

  it('rule L21: count the limit of their operation when no length is announced, and nothing when they are over it', async () => {
    begun('onea', 'chunked');
    await held(mib);
    expect((await begun('onea', 5 * mib).answer).status).toBe(413);
    expect(await receiving()).toBe(mib);
    expect(await outcome(begun('onea', 'chunked', turns))).toEqual([429, 'rate_limit_exceeded', 'key', '1']);
  });

  it('that are broken off are no errors in the log', async () => {
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      const { socket } = begun('onea', 500, '/v1/agents', 'broken');
      await held(500);
      socket.write('{');
      socket[leave]();
      await held(0);
    }
    const logged = () =>
      lines
        .map((text) => JSON.parse(text) as { level: string; msg: string; request_id?: string })
        .filter(({ request_id: id }) => id === 'broken');
    await eventually('a line for each', () => logged().filter(({ msg }) => msg === 'body broken off').length === 2);
    expect(logged().filter(({ level }) => level !== 'debug' && level !== 'info')).toEqual([]);
  });
});

describe('the weight of bodies (rule L1)', () => {
  it('rule L1: a body counts once more for each started MiB beyond the first', async () => {
    expect([0, 1, mib, mib + 1, 2 * mib, 2 * mib + 1].map(bodyCost)).toEqual([1, 1, 1, 2, 2, 3]);
    const remaining = async (answer: Promise<Response>) => Number((await answer).headers.get('x-ratelimit-remaining'));
    const text = (bytes: number) => JSON.stringify({ input: { content: [{ type: 'text', text: 'x'.repeat(bytes) }] } });
    expect(await remaining(called('onea', minimal))).toBe(59);
    expect(await remaining(called('onea', text(1.5 * mib), turns))).toBe(57);
    expect(await remaining(called('onea', minimal))).toBe(56);
  });

  it('rule L1: without an announced length it is met by the next request', async () => {
    const body = JSON.stringify({ input: { content: [{ type: 'text', text: 'x'.repeat(1.5 * mib) }] } });
    const { socket, answer } = begun('bigb', 'chunked', turns);
    await held(8 * mib);
    socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect((await answer).status).toBe(200);
    expect((await called('bigb', minimal)).headers.get('x-ratelimit-remaining')).toBe('57');
  });
});
