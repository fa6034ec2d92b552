import 'reflect-metadata';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { WebSocket, WebSocketServer } from 'ws';
import { impliedPermissions, type Identity } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { identityHeader, IdentitySource, PinoLog, startApp, type Credentials, type RunningApp } from '@aos/platform';
import { Upstreams } from '../routing/upstreams.js';
import { serviceNames } from '../routing/services.js';
import { OpenStreams } from './open-streams.js';
import { GatewayProxy } from './gateway-proxy.js';

const keyOf = (name: string) => `svck_${name.padEnd(40, 'x')}`;
const standing = new Map<string, 'revoked' | 'demoted'>();

class KnownKeys extends IdentitySource {
  override identify({ authorization, requestId, ip }: Credentials): Promise<Identity | null> {
    const name = /^Bearer svck_([a-z]+?)x+$/.exec(authorization ?? '')?.[1];
    if (name === undefined || standing.get(name) === 'revoked') return Promise.resolve(null);
    const permissions = impliedPermissions(
      standing.get(name) === 'demoted' ? ['svc.resource.view'] : ['svc.job.execute', 'svc.resource.view'],
    );
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

@Module({ providers: [{ provide: IdentitySource, useClass: KnownKeys }], exports: [IdentitySource] })
class KeysModule {}

/** A service that echoes what it is told, and keeps what it was asked. */
class EchoService {
  readonly asked: IncomingMessage['headers'][] = [];
  readonly open = new Set<WebSocket>();
  readonly heard: string[] = [];
  /** Status and one header of its next answers. */
  readonly refusals: [status: string, header: string][] = [];
  /** What the gateway is given to say to a client whose key is revoked. */
  word: string | null = null;
  private readonly sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: 1_000_000,
    handleProtocols: (offered) => [...offered][0] ?? false,
  });
  private server: Server | null = null;
  url = '';

  async listen(): Promise<this> {
    this.sockets.on('headers', (headers) => {
      if (this.word !== null) headers.push(`x-svc-farewell: ${Buffer.from(this.word).toString('base64')}`);
    });
    const server = createServer((_request, response) => {
      response.writeHead(404).end();
    });
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.asked.push(request.headers);
      const [status, header] = this.refusals.shift() ?? [];
      if (status !== undefined) {
        socket.end(
          `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${header}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
        );
        return;
      }
      this.sockets.handleUpgrade(request, socket, head, (open) => {
        this.open.add(open);
        open.on('close', () => {
          this.open.delete(open);
        });
        open.on('message', (data) => {
          this.heard.push((data as Buffer).toString());
          open.send(data as Buffer);
        });
        open.send('welcome');
      });
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    this.server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.terminate();
    this.server?.closeAllConnections();
    await new Promise<void>((done) => {
      if (this.server)
        this.server.close(() => {
          done();
        });
      else done();
    });
  }
}

const clock = new ManualClock();
const service = new EchoService();
let app: RunningApp;
let upstreams: Upstreams;
let open: OpenStreams;

beforeAll(async () => {
  await service.listen();
  const gone = 'http://127.0.0.1:9';
  upstreams = new Upstreams(
    {
      ...Object.fromEntries(serviceNames.map((name) => [name, [gone]])),
      'session-service': [gone, service.url, `${service.url}/`],
    },
    clock,
    { heartbeatSeconds: 15 },
  );
  const log = PinoLog.create({ app: 'test', level: 'silent', pretty: false });
  open = new OpenStreams(new KnownKeys(), clock, log);
  app = await startApp('gateway', [KeysModule], {
    clock,
    log,
    graceMs: 200,
    checksBodies: false,
    env: {
      SVC_PORT: '0',
      SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'door-')),
      SVC_RATE_LIMIT_KEY_RPM: '0',
      SVC_RATE_LIMIT_ORG_RPM: '0',
      SVC_STREAMS_PER_KEY: '1',
    },
    routes: (server, core) => {
      new GatewayProxy(core, upstreams, open, () => undefined).register(server);
    },
  });
});
beforeEach(() => {
  service.asked.length = 0;
  service.refusals.length = 0;
  service.word = null;
});
afterAll(async () => {
  await open.close();
  await app.stop();
  await upstreams.close();
  await service.close();
});

const connect = (
  name: string,
  protocols: string[] = [],
  headers: Record<string, string> = { authorization: `Bearer ${keyOf(name)}` },
) => new WebSocket(`${app.url.replace('http', 'ws')}/v1/workers/socket`, protocols, { headers });

/** Opens; gives a way to read message by message. */
async function opened(socket: WebSocket): Promise<{ next(): Promise<string> }> {
  const heard: string[] = [];
  socket.on('message', (data) => {
    heard.push((data as Buffer).toString());
  });
  await once(socket, 'open');
  return {
    next: async () => {
      await eventually('a message', () => heard.length > 0);
      return heard.shift() ?? '';
    },
  };
}

async function refusal(socket: WebSocket): Promise<IncomingMessage> {
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  response.resume();
  return response;
}

const allGone = () =>
  eventually(
    'every slot to be free',
    () => app.core.slots.open === 0 && open.count === 0 && app.core.inFlight.count === 0 && service.open.size === 0,
  );

describe('sockets through the door', () => {
  it('carry a signed identity in place of the credential, and pass both ways', async () => {
    const socket = connect('some', ['svc.worker.v1', `bearer.${keyOf('some')}`], {
      'x-svc-identity': 'forged',
      'x-request-id': 'mine',
      cookie: 'a=b',
    });
    const messages = await opened(socket);
    expect(socket.protocol).toBe('svc.worker.v1');
    expect(await messages.next()).toBe('welcome');
    const long = 'ä'.repeat(300_000);
    socket.send(long);
    expect(await messages.next()).toBe(long);
    const [asked] = service.asked;
    expect(asked).toMatchObject({ 'x-request-id': 'mine', 'sec-websocket-protocol': 'svc.worker.v1' });
    for (const name of ['authorization', 'cookie']) expect(asked?.[name]).toBeUndefined();
    expect(app.core.identityTokens.verify(String(asked?.[identityHeader]), 'session-service')).toMatchObject({
      principalId: 'wrk_some',
      apiKeyId: 'cred_some',
    });
    expect([app.core.slots.open, open.count]).toEqual([1, 1]);
    expect((await refusal(connect('some'))).statusCode).toBe(429);
    socket.close();
    await allGone();
  });

  it('are refused by the door before the service is asked', async () => {
    for (const [socket, status] of [
      [connect('x', [], {}), 401],
      [connect('x', [], { authorization: 'Bearer nonsense' }), 401],
    ] as const)
      expect((await refusal(socket)).statusCode).toBe(status);
    standing.set('lowly', 'demoted');
    expect((await refusal(connect('lowly'))).statusCode).toBe(403);
    expect(service.asked).toEqual([]);
    await allGone();
  });

  it("give the service's refusal as it is", async () => {
    service.refusals.push(['429 Too Many Requests', 'retry-after: 5']);
    const { statusCode, headers } = await refusal(connect('some'));
    expect([statusCode, headers['retry-after'], headers['x-request-id']]).toEqual([
      429,
      '5',
      expect.stringMatching(/^req_/),
    ]);
    await allGone();
  });

  it('ask another replica when one came to the identity too late or only starts (rule G25)', async () => {
    const late: [string, string] = ['401 Unauthorized', 'www-authenticate: Bearer'];
    const starting: [string, string] = ['503 Service Unavailable', 'x-svc-starting: true'];
    for (const refused of [late, starting]) {
      service.refusals.push(refused);
      const socket = connect('some');
      await opened(socket);
      socket.close();
      await allGone();
    }
    for (const refused of [late, starting]) {
      service.refusals.push(refused, refused);
      const { statusCode, headers } = await refusal(connect('some'));
      expect([statusCode, headers['retry-after'], headers['www-authenticate'], headers['x-svc-starting']]).toEqual([
        503,
        '1',
        undefined,
        undefined,
      ]);
      await allGone();
    }
  });

  it('end on one side when the other leaves', async () => {
    const socket = connect('some');
    await opened(socket);
    const gone = once(socket, 'close');
    for (const one of service.open) one.close(1012, 'later');
    expect(((await gone) as [number])[0]).toBe(1012);
    await allGone();
    const other = connect('some');
    await opened(other);
    other.terminate();
    await allGone();
  });

  it('are ended when their key is revoked or loses what it was opened with', async () => {
    for (const [name, becomes] of [
      ['gone', 'revoked'],
      ['less', 'demoted'],
    ] as const) {
      const socket = connect(name);
      socket.on('error', () => undefined);
      await opened(socket);
      const ended = once(socket, 'close');
      standing.set(name, becomes);
      clock.advance(1_000);
      await ended;
    }
    await allGone();
  });

  it('are told first when their key is revoked and the service has a word for it; nothing they say reaches it any more', async () => {
    const word = JSON.stringify({ type: 'error', error: { code: 'invalid_actor', message: 'x'.repeat(200) } });
    service.word = word;
    const socket = connect('told');
    socket.once('upgrade', ({ headers }: IncomingMessage) => {
      expect(headers).not.toHaveProperty('x-svc-farewell');
    });
    const messages = await opened(socket);
    expect(await messages.next()).toBe('welcome');
    const ended = once(socket, 'close');
    socket.send('early');
    expect(await messages.next()).toBe('early');
    socket.on('message', () => {
      socket.send('late');
    });
    standing.set('told', 'revoked');
    clock.advance(1_000);
    expect(await messages.next()).toBe(word);
    const [code, reason] = (await ended) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([1008, 'revoked']);
    await allGone();
    expect(service.heard.filter((text) => text === 'early' || text === 'late')).toEqual(['early']);
  });

  it('are cut off a second later when they do not leave by themselves', async () => {
    service.word = '{}';
    const socket = connect('stays');
    socket.on('error', () => undefined);
    await opened(socket);
    socket.pause();
    standing.set('stays', 'revoked');
    clock.advance(1_000);
    await eventually('the door waiting for it', () => clock.nextTimerAt !== null);
    await eventually('it being gone', () => {
      clock.advance(250);
      return app.core.slots.open === 0;
    });
    socket.terminate();
    await allGone();
  });
});
