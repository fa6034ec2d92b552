import 'reflect-metadata';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocket } from 'ws';
import { impliedPermissions, type Identity } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { PinoLog } from '../../observability/index.js';
import { IdentitySource, type Credentials } from '../server/authentication.js';
import { startApp, type RunningApp } from '../app/start-app.js';
import { parsedAnswer, rawExchange } from '../testing.js';
import type { SocketConnection } from './socket-connection.js';
import { Sockets } from './sockets.js';
import { bearerFromProtocols } from '../server/upgrades.js';

const keyOf = (name: string) => `svck_${name.padEnd(40, 'x')}`;
const connections: SocketConnection[] = [];
const heard: string[] = [];
const ends: string[] = [];
let answering: (connection: SocketConnection, text: string) => Promise<void> = (connection, text) => {
  connection.send({ echo: text });
  return Promise.resolve();
};

class KnownKeys extends IdentitySource {
  override identify({ authorization, requestId, ip }: Credentials): Promise<Identity | null> {
    const name = /^Bearer svck_([a-z]+?)x+$/.exec(authorization ?? '')?.[1];
    if (name === undefined) return Promise.resolve(null);
    const permissions = impliedPermissions(name === 'viewer' ? ['svc.resource.view'] : ['svc.job.execute']);
    return Promise.resolve({
      orgId: 'org_1',
      principalId: `wrk_${name}`,
      kind: 'worker',
      apiKeyId: `cred_${name}`,
      permissions,
      roles: [],
      cap: null,
      requestId,
      ip,
    });
  }
}

@Controller()
class EchoController {
  constructor(private readonly sockets: Sockets) {}

  @Get('/v1/workers/socket')
  open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.sockets.accept(request, reply, { protocol: 'svc.worker.v1', messageBytesMax: 1000 }, (connection) => {
      connections.push(connection);
      return {
        message: async (text) => {
          heard.push(text);
          await answering(connection, text);
        },
        closed: () => {
          ends.push('closed');
        },
        ending: (reason) => {
          connection.send({ ending: reason });
        },
      };
    });
  }
}

@Module({
  controllers: [EchoController],
  providers: [{ provide: IdentitySource, useClass: KnownKeys }],
  exports: [IdentitySource],
})
class EchoModule {}

const clock = new ManualClock();
let app: RunningApp;

async function start(): Promise<RunningApp> {
  return startApp('embedded', [EchoModule], {
    clock,
    log: PinoLog.create({ app: 'test', level: 'silent', pretty: false }),
    graceMs: 200,
    env: {
      SVC_PORT: '0',
      SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'sockets-')),
      SVC_RATE_LIMIT_KEY_RPM: '0',
      SVC_RATE_LIMIT_ORG_RPM: '0',
      SVC_STREAMS_PER_KEY: '2',
    },
  });
}

beforeAll(async () => {
  app = await start();
});
beforeEach(() => {
  connections.length = 0;
  heard.length = 0;
  ends.length = 0;
});
afterAll(() => app.stop());

const address = () => `${app.url.replace('http', 'ws')}/v1/workers/socket`;
const withKey = (name: string) => ({ headers: { authorization: `Bearer ${keyOf(name)}` } });
const handshake = (headers: string, path = '/v1/workers/socket') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}\r\n`;

async function opened(socket: WebSocket): Promise<WebSocket> {
  await once(socket, 'open');
  return socket;
}

async function nextMessage(socket: WebSocket): Promise<unknown> {
  const [data] = (await once(socket, 'message')) as [Buffer];
  return JSON.parse(data.toString()) as unknown;
}

async function closed(socket: WebSocket): Promise<number> {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}

const allGone = () =>
  eventually(
    'every slot to be free',
    () => app.core.slots.open === 0 && app.core.sockets.open === 0 && app.core.inFlight.count === 0,
  );

describe('WebSockets', () => {
  it('pass the door like every request: credential by header or as a subprotocol, then permission', async () => {
    const byHeader = await opened(new WebSocket(address(), [], withKey('some')));
    expect(byHeader.protocol).toBe('');
    const bySubprotocol = await opened(new WebSocket(address(), ['svc.worker.v1', `bearer.${keyOf('some')}`]));
    expect(bySubprotocol.protocol).toBe('svc.worker.v1');
    for (const socket of [byHeader, bySubprotocol]) {
      const answer = nextMessage(socket);
      socket.send('{"a":1}');
      expect(await answer).toEqual({ echo: '{"a":1}' });
    }
    expect(connections.map(({ identity }) => identity.apiKeyId)).toEqual(['cred_some', 'cred_some']);
    for (const socket of [byHeader, bySubprotocol]) socket.close();
    await allGone();
    expect(ends).toEqual(['closed', 'closed']);
  });

  it('are refused as plain HTTP, and the connection ends', async () => {
    for (const [headers, status, code] of [
      ['', 401, 'unauthorized'],
      [`Authorization: Bearer ${keyOf('viewer')}\r\n`, 403, 'permission_denied'],
      [`Sec-WebSocket-Protocol: bearer.nonsense\r\n`, 401, 'unauthorized'],
    ] as const) {
      const { status: got, headers: said, body } = parsedAnswer(await rawExchange(app.url, handshake(headers)));
      expect([got, (JSON.parse(body) as { error: { code: string } }).error.code]).toEqual([status, code]);
      expect(said['x-request-id']).toMatch(/^req_/);
      expect(said['connection']).toBe('close');
    }
    await allGone();
  });

  it('are refused in the one shape of errors where the handshake is none', async () => {
    const authorized = `Authorization: Bearer ${keyOf('some')}\r\n`;
    const good = handshake(authorized);
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    for (const bad of [
      good.replace(key, ''),
      good.replace(key, 'Sec-WebSocket-Key: short\r\n'),
      good.replace('Sec-WebSocket-Version: 13', 'Sec-WebSocket-Version: 7'),
      handshake(`${authorized}Sec-WebSocket-Protocol: a,,b\r\n`),
      handshake(`${authorized}Sec-WebSocket-Protocol: a, b, a\r\n`),
    ]) {
      const { status, headers, body } = parsedAnswer(await rawExchange(app.url, bad));
      expect([status, (JSON.parse(body) as { error: { code: string } }).error.code]).toEqual([400, 'bad_request']);
      expect(headers['x-request-id']).toMatch(/^req_/);
      expect(headers['sec-websocket-version']).toBe(bad.includes('Version: 7') ? '13, 8' : undefined);
    }
    expect(connections).toEqual([]);
    await allGone();
  });

  it('a request that asks for none finds nothing, and an upgrade elsewhere is passed over', async () => {
    const plain = await fetch(`${app.url}/v1/workers/socket`, {
      headers: { authorization: `Bearer ${keyOf('some')}` },
    });
    expect(plain.status).toBe(404);
    expect(
      parsedAnswer(await rawExchange(app.url, handshake('Connection: close\r\n', '/healthz'), { closeAfterMs: 300 }))
        .status,
    ).toBe(200);
    await allGone();
  });

  it('take slots like streams (L16)', async () => {
    const open = await Promise.all([1, 2].map(() => opened(new WebSocket(address(), [], withKey('greedy')))));
    const { status, headers } = parsedAnswer(
      await rawExchange(app.url, handshake(`Authorization: Bearer ${keyOf('greedy')}\r\n`)),
    );
    expect([status, headers['retry-after']]).toEqual([429, '5']);
    for (const socket of open) socket.close();
    await allGone();
  });

  it('are handled one message after another, and read no faster than that', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    answering = () => held;
    const socket = await opened(new WebSocket(address(), [], withKey('some')));
    for (let n = 0; n < 500; n += 1) socket.send(`{"n":${n}}`);
    await eventually('the first', () => heard.length === 1);
    release();
    await eventually('all in order', () => heard.length === 500);
    expect(heard).toEqual(Array.from({ length: 500 }, (_, n) => `{"n":${n}}`));
    answering = (connection, text) => {
      connection.send({ echo: text });
      return Promise.resolve();
    };
    socket.close();
    await allGone();
  });

  it('end on bytes, on messages over the limit, and on a fault of ours', async () => {
    for (const [send, code] of [
      [
        (socket: WebSocket) => {
          socket.send(new Uint8Array([1]));
        },
        1003,
      ],
      [
        (socket: WebSocket) => {
          socket.send('x'.repeat(1001));
        },
        1009,
      ],
    ] as const) {
      const socket = await opened(new WebSocket(address(), [], withKey('some')));
      const code1 = closed(socket);
      send(socket);
      expect(await code1).toBe(code);
    }
    answering = () => Promise.reject(new Error('a fault'));
    const socket = await opened(new WebSocket(address(), [], withKey('some')));
    const code = closed(socket);
    socket.send('{}');
    expect(await code).toBe(1011);
    answering = (connection, text) => {
      connection.send({ echo: text });
      return Promise.resolve();
    };
    await allGone();
  });

  it('end with a word when their key is revoked', async () => {
    const [kept, revoked] = (await Promise.all(
      ['kept', 'gone'].map((name) => opened(new WebSocket(address(), [], withKey(name)))),
    )) as [WebSocket, WebSocket];
    expect([...app.core.sockets.openKeys().keys()].sort()).toEqual(['cred_gone', 'cred_kept']);
    const [word, code] = [nextMessage(revoked), closed(revoked)];
    app.core.sockets.closeKey('cred_gone');
    expect([await word, await code]).toEqual([{ ending: 'revoked' }, 1008]);
    expect(kept.readyState).toBe(WebSocket.OPEN);
    kept.close();
    await allGone();
  });

  it('end when the process stops: told first, then closed, whoever stays', async () => {
    const other = await start();
    const socket = await opened(
      new WebSocket(`${other.url.replace('http', 'ws')}/v1/workers/socket`, [], withKey('some')),
    );
    const [word, code] = [nextMessage(socket), closed(socket)];
    const stopping = other.stop();
    expect(await word).toEqual({ ending: 'shutdown' });
    clock.advance(1_000);
    expect(await code).toBe(1012);
    await stopping;
  });
});

it('section 14: a key offered as a subprotocol is the credential, unless a header is, and is not offered on', () => {
  const lifted = (headers: Record<string, string>) => {
    bearerFromProtocols(headers);
    return headers;
  };
  expect(lifted({ 'sec-websocket-protocol': 'svc.worker.v1, bearer.k' })).toEqual({
    'sec-websocket-protocol': 'svc.worker.v1',
    authorization: 'Bearer k',
  });
  expect(lifted({ 'sec-websocket-protocol': 'bearer.k' })).toEqual({ authorization: 'Bearer k' });
  expect(lifted({ 'sec-websocket-protocol': 'bearer.k', authorization: 'Bearer own' })).toEqual({
    authorization: 'Bearer own',
  });
  expect(lifted({ 'sec-websocket-protocol': 'svc.worker.v1' })).toEqual({ 'sec-websocket-protocol': 'svc.worker.v1' });
});
