import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { impliedPermissions, Refusal, StoreUnavailable, type Identity, type JsonObject } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import {
  CallerCommand,
  Routed,
  RoutedCommands,
  identityHeader,
  IdentitySource,
  PinoLog,
  startApp,
  type Credentials,
  type RunningApp,
} from '@aos/platform';
import { HttpCommandGateway } from '../routing/http-command-gateway.js';
import { Upstreams } from '../routing/upstreams.js';
import { serviceNames } from '../routing/services.js';
import { OpenStreams } from './open-streams.js';
import { GatewayProxy } from './gateway-proxy.js';

@Routed('sessions.note', { stream: 'session', input: { type: 'object' } })
class NoteInSession extends CallerCommand<JsonObject, JsonObject> {}

@Routed('roles.note', { stream: 'role', input: { type: 'object' } })
export class NoteInRole extends CallerCommand<JsonObject, JsonObject> {}

type Answering = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** A service that answers as the test says and keeps what it was asked. */
class FakeService {
  readonly asked: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  answering: Answering = (_request, _body, response) => {
    response.setHeader('content-type', 'application/json').end('{}');
  };
  private server: Server | null = null;
  url = '';

  async listen(): Promise<this> {
    const server = createServer((request, response) => {
      if (request.url === '/readyz') {
        response.end();
        return;
      }
      let body = '';
      request
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          body += chunk;
        })
        .on('end', () => {
          this.asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
          this.answering(request, body, response);
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

const keyOf = (name: string) => `svck_${name.padEnd(40, 'x')}`;
const revoked = new Set<string>();

class KnownKeys extends IdentitySource {
  override identify({ authorization, requestId, ip }: Credentials): Promise<Identity | null> {
    const name = /^Bearer svck_([a-z]+?)x+$/.exec(authorization ?? '')?.[1] ?? '';
    if (name === '' || revoked.has(name)) return Promise.resolve(null);
    return Promise.resolve({
      orgId: 'org_1',
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

@Module({ providers: [{ provide: IdentitySource, useClass: KnownKeys }], exports: [IdentitySource] })
class KeysModule {}

const clock = new ManualClock();
const services = [new FakeService(), new FakeService(), new FakeService()] as const;
const [first, second, streams] = services;
let app: RunningApp;
let upstreams: Upstreams;
let open: OpenStreams;
let accessChanged: jest.Mock<void, [string]>;
/** The most listeners for `close` that one answer had. */
let closeListenersMost = 0;

beforeAll(async () => {
  await Promise.all(services.map((service) => service.listen()));
  const gone = 'http://127.0.0.1:9';
  const addresses = {
    ...Object.fromEntries(serviceNames.map((name) => [name, [gone]])),
    'session-service': [first.url, second.url],
    'blueprint-service': [gone, first.url],
    'stream-service': [streams.url],
    'access-service': [first.url],
  };
  const log = PinoLog.create({ app: 'test', level: 'silent', pretty: false });
  accessChanged = jest.fn<void, [string]>();
  upstreams = new Upstreams(addresses, clock, { heartbeatSeconds: 15 });
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
      server.addHook('onRequest', (_request, reply, done) => {
        const { raw } = reply;
        raw.on('newListener', (event) => {
          if (event === 'close') closeListenersMost = Math.max(closeListenersMost, raw.listenerCount(event) + 1);
        });
        done();
      });
      new GatewayProxy(core, upstreams, open, accessChanged).register(server);
    },
  });
});
beforeEach(() => {
  for (const service of services) service.asked.length = 0;
});
afterAll(async () => {
  await open.close();
  await app.stop();
  await upstreams.close();
  await Promise.all(services.map((service) => service.close()));
});

const call = (
  method: string,
  path: string,
  { key = 'someone', headers = {}, body }: { key?: string; headers?: Record<string, string>; body?: string } = {},
) =>
  fetch(app.url + path, {
    method,
    headers: { authorization: `Bearer ${keyOf(key)}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });

const stream: Answering = (_request, _body, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
  response.write('event: a\ndata: {}\n\n');
};

describe('passing on', () => {
  it('puts a signed identity in place of the credential, and drops what only services say', async () => {
    await call('GET', '/v1/sessions?limit=3', {
      headers: {
        'x-svc-identity': 'forged',
        'x-svc-turn-id': 't',
        'x-forwarded-for': '1.2.3.4',
        'x-request-id': 'mine',
        cookie: 'a=b',
      },
    });
    const [asked] = [...first.asked, ...second.asked];
    expect(asked).toMatchObject({ method: 'GET', url: '/v1/sessions?limit=3' });
    expect(asked?.headers['x-request-id']).toBe('mine');
    for (const name of ['authorization', 'cookie', 'x-svc-turn-id', 'x-forwarded-for'])
      expect(asked?.headers[name]).toBeUndefined();
    const token = String(asked?.headers[identityHeader]);
    expect(app.core.identityTokens.verify(token, 'session-service')).toMatchObject({
      orgId: 'org_1',
      apiKeyId: 'cred_someone',
    });
    expect(app.core.identityTokens.verify(token, 'access-service')).toBeNull();
  });

  it('asks the copies in turn', async () => {
    for (let times = 0; times < 4; times += 1) await call('GET', '/v1/sessions');
    expect([first.asked.length, second.asked.length]).toEqual([2, 2]);
  });

  it('G29: leaves what a service says of ignored members to the service', async () => {
    const said: Answering = (_request, _body, response) => {
      response
        .writeHead(200, {
          'content-type': 'application/json',
          'x-svc-ignored': '/titel, query.agent',
          'x-svc-warning': 'a b',
        })
        .end('{}');
    };
    first.answering = said;
    second.answering = said;
    const { headers } = await call('PATCH', '/v1/sessions/ses_1?agent=a', {
      body: '{"titel":"a"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([headers.get('x-svc-ignored'), headers.get('x-svc-warning')]).toEqual(['/titel, query.agent', 'a b']);
  });

  it('passes bodies, statuses and headers through as they are', async () => {
    const said: Answering = (_request, body, response) => {
      response.writeHead(409, { 'content-type': 'application/json', 'x-own': '1' }).end(body);
    };
    first.answering = said;
    second.answering = said;
    const answer = await call('POST', '/v1/sessions', {
      body: '{"agent_id":"a"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, answer.headers.get('x-own'), await answer.text()]).toEqual([409, '1', '{"agent_id":"a"}']);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('goes to another copy when one cannot be connected to, also with a body; a service without any is 503 with Retry-After', async () => {
    for (let times = 0; times < 3; times += 1) {
      expect(
        (await call('POST', '/v1/agents', { body: '{}', headers: { 'content-type': 'application/json' } })).status,
      ).toBe(409);
      clock.advance(2_000);
    }
    const answer = await call('GET', '/v1/interactions');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toMatchObject({ error: { code: 'service_unavailable' } });
  });

  it('repeats a read that was broken off, and never a write', async () => {
    const broken: Answering = (request) => {
      request.socket.destroy();
    };
    first.answering = broken;
    second.answering = broken;
    expect((await call('GET', '/v1/sessions')).status).toBe(503);
    expect(first.asked.length + second.asked.length).toBe(2);
    expect(
      (await call('POST', '/v1/sessions', { body: '{}', headers: { 'content-type': 'application/json' } })).status,
    ).toBe(503);
    expect(first.asked.length + second.asked.length).toBe(3);
  });

  it.each([10, 64 * 1024, 64 * 1024 + 1, 1_000_000])('passes an answer of %i bytes on as it is', async (length) => {
    const text = 'ä'.repeat(length / 2).padEnd(length - Math.floor(length / 2), '.');
    first.answering = (_request, _body, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(text) });
      response.write(text.slice(0, 3));
      response.end(text.slice(3));
    };
    second.answering = first.answering;
    const answer = await call('GET', '/v1/sessions');
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(await answer.text()).toBe(text);
  });

  it.each([
    ['small', 'application/json', 10],
    ['large', 'application/json', 1_000_000],
    ['followed', 'text/event-stream', 10],
  ])('listens a few times for the end of an answer that is %s', async (_, type, length) => {
    first.answering = (_request, _body, response) => {
      response.writeHead(200, { 'content-type': type }).end('x'.repeat(length));
    };
    second.answering = first.answering;
    closeListenersMost = 0;
    const json = { 'content-type': 'application/json' };
    const answer = await call('POST', '/v1/sessions', { body: '{}', headers: json });
    expect((await answer.text()).length).toBe(length);
    expect([closeListenersMost > 0, closeListenersMost <= 5]).toEqual([true, true]); // Node warns from eleven on
  });

  it.each([100, 1_000_000])('breaks an answer of %i bytes off when its service breaks it off', async (length) => {
    first.answering = (request, _body, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': length });
      response.write('begun', () => request.socket.destroy());
    };
    second.answering = first.answering;
    await expect(call('GET', '/v1/sessions').then((answer) => answer.text())).rejects.toThrow();
  });

  it('tells its own process of a write that may have changed who may do what, answered or not', async () => {
    const write = () => call('POST', '/v1/roles', { body: '{}', headers: { 'content-type': 'application/json' } });
    const told = () => accessChanged.mock.calls.splice(0);
    told();
    first.answering = (_request, _body, response) => {
      expect(accessChanged).not.toHaveBeenCalled();
      response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
    };
    expect((await write()).status).toBe(201);
    expect(told()).toEqual([['org_1']]);
    first.answering = (request) => {
      request.socket.destroy();
    };
    expect((await write()).status).toBe(503);
    expect(told()).toEqual([['org_1']]);
    first.answering = (_request, _body, response) => {
      response.setHeader('content-type', 'application/json').end('{}');
    };
    second.answering = first.answering;
    await call('GET', '/v1/roles');
    await call('POST', '/v1/tokens', { body: '{}', headers: { 'content-type': 'application/json' } });
    await call('POST', '/v1/sessions', { body: '{}', headers: { 'content-type': 'application/json' } });
    expect(told()).toEqual([]);
  });

  it('refuses a body over the limit without asking a service', async () => {
    const answer = await call('POST', '/v1/sessions', {
      body: `"${'x'.repeat(1_100_000)}"`,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(413);
    expect(first.asked.length + second.asked.length).toBe(0);
  });
});

describe('streams', () => {
  const path = '/v1/sessions/ses_01m7zezgcq8qw8vdg786zh4tv6/stream';

  it('pass as they come, take a slot, and end at the service when the reader leaves', async () => {
    let left = false;
    streams.answering = (request, body, response) => {
      stream(request, body, response);
      response.on('close', () => {
        left = true;
      });
    };
    const reading = new AbortController();
    const answer = await fetch(app.url + path, {
      headers: { authorization: `Bearer ${keyOf('reader')}` },
      signal: reading.signal,
    });
    const chunk = await answer.body?.getReader().read();
    expect(Buffer.from(chunk?.value ?? []).toString()).toBe('event: a\ndata: {}\n\n');
    const refused = await call('GET', path, { key: 'reader' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    reading.abort();
    await eventually('the service noticing', () => left);
    await eventually('the slot being free', () => app.core.slots.open === 0 && open.count === 0);
  });

  it('are ended when their key is revoked: at once when told so, within a second when not', async () => {
    streams.answering = stream;
    for (const [name, tell] of [
      [
        'told',
        () => {
          open.recheck();
        },
      ],
      [
        'silent',
        () => {
          clock.advance(1_000);
        },
      ],
    ] as const) {
      const answer = await call('GET', path, { key: name });
      const reader = answer.body?.getReader();
      await reader?.read();
      revoked.add(name);
      tell();
      await expect(reader?.read()).rejects.toThrow();
    }
  });

  it('L16, T27: a thousand readers that leave while their streams are opened give their slots back', async () => {
    let isHeld = 0;
    streams.answering = (request, body, response) => {
      isHeld += 1;
      response.on('close', () => {
        isHeld -= 1;
      });
      if (request.url?.endsWith('late'))
        setImmediate(() => {
          stream(request, body, response);
        });
      else stream(request, body, response);
    };
    const { hostname, port } = new URL(app.url);
    const broken = (number: number) =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          const key = keyOf(`leaves${[...String(number)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('')}`);
          socket.write(
            `GET ${path}${number % 2 === 0 ? '?late' : ''} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
          );
          if (number % 3 === 0)
            socket.once('data', () => {
              socket.resetAndDestroy();
            });
          else
            setTimeout(() => {
              socket.resetAndDestroy();
            }, number % 10);
        });
        socket
          .on('error', () => undefined)
          .once('close', () => {
            resolve();
          });
      });
    for (let done = 0; done < 1_000; done += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => broken(done + index)));
    await eventually('the slots being free', () => app.core.slots.open === 0 && open.count === 0 && isHeld === 0);
  });

  it('never keep a call waiting', async () => {
    streams.answering = stream;
    const readers = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        call('GET', path, {
          key: `many${'abcdefghij'.charAt(index % 10)}${String.fromCharCode(97 + Math.floor(index / 10))}`,
        }),
      ),
    );
    streams.answering = (_request, _body, response) => {
      response.setHeader('content-type', 'application/json').end('{}');
    };
    expect((await call('GET', '/v1/events')).status).toBe(200);
    for (const reader of readers) await reader.body?.cancel();
  });
});

describe('a door that closes', () => {
  const path = '/v1/sessions/ses_01m7zezgcq8qw8vdg786zh4tv6/stream';
  const readAll = async (answer: Response) => Buffer.from(await answer.arrayBuffer()).toString();

  it('ends streams between two frames with the word of their service, and passes calls on to their end', async () => {
    const closing = await startApp('gateway', [KeysModule], {
      clock,
      log: PinoLog.create({ app: 'test', level: 'silent', pretty: false }),
      graceMs: 3_000,
      checksBodies: false,
      env: {
        SVC_PORT: '0',
        SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'door-')),
        SVC_RATE_LIMIT_KEY_RPM: '0',
        SVC_RATE_LIMIT_ORG_RPM: '0',
      },
      routes: (server, core) => {
        const going = new OpenStreams(new KnownKeys(), clock, core.log);
        core.readiness.onStop(() => {
          going.rotate();
        });
        core.closers.push(() => going.close());
        new GatewayProxy(core, upstreams, going, () => undefined).register(server);
      },
    });
    const ask = (where: string) =>
      fetch(closing.url + where, { headers: { authorization: `Bearer ${keyOf('someone')}` } });
    const [closingFrame, torn] = ['event: stream.end\ndata: {"reason":"rotate"}\n\n', 'event: b\nda'];
    let finishFrame: () => void = () => undefined;
    const answers: (() => void)[] = [];
    streams.answering = (request, _body, response) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        ...(request.url?.includes('v2') ? { 'x-svc-farewell': Buffer.from(closingFrame).toString('base64') } : {}),
      });
      response.write('event: a\ndata: {}\n\n');
      if (!request.url?.includes('torn')) return;
      response.write(torn);
      finishFrame = () => {
        response.write('ta: {}\n\nevent: c\ndata: {}\n\n');
      };
    };
    first.answering = (_request, _body, response) => {
      answers.push(() => {
        response.setHeader('content-type', 'application/json').end('{}');
      });
    };
    second.answering = first.answering;
    const whole = await ask(`${path}?v2`);
    const cut = await ask(`${path}?v2&torn`);
    const silent = await ask(path);
    expect(whole.headers.get('x-svc-farewell')).toBeNull();
    const call = ask('/v1/sessions');
    await eventually('the call being under way', () => answers.length === 1);
    const stopped = closing.stop();
    expect(await readAll(whole)).toBe(`event: a\ndata: {}\n\n${closingFrame}`);
    expect(await readAll(silent)).toBe('event: a\ndata: {}\n\n');
    finishFrame();
    expect(await readAll(cut)).toBe(`event: a\ndata: {}\n\nevent: b\ndata: {}\n\n${closingFrame}`);
    expect((await fetch(`${closing.url}/readyz`)).status).toBe(503);
    expect((await ask(path)).status).toBe(503);
    const late = ask('/v1/sessions');
    await eventually('the late call being under way', () => answers.length === 2);
    for (const answer of answers) answer();
    expect([(await call).status, (await late).status]).toEqual([200, 200]);
    await stopped;
  });
});

describe('commands', () => {
  const identity: Identity = {
    orgId: 'org_1',
    principalId: 'agent_1',
    kind: 'agent',
    apiKeyId: null,
    permissions: new Set(),
    roles: [],
    cap: null,
    requestId: 'r1',
    ip: null,
  };
  const command = { name: 'sessions.note', payload: { a: 1 }, identity, deliveryId: 'd1' };
  const answers =
    (status: number, body: object): Answering =>
    (_request, _body, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
  const gateway = () => new HttpCommandGateway(new RoutedCommands(), upstreams, app.core.identityTokens);
  const bothAnswer = (answering: Answering) => {
    first.answering = answering;
    second.answering = answering;
  };

  it('reach their owner with the acting identity and the delivery id', async () => {
    bothAnswer(answers(200, { done: true }));
    expect(await gateway().send(command)).toEqual({ done: true });
    const [asked] = [...first.asked, ...second.asked];
    expect(asked).toMatchObject({
      method: 'POST',
      url: '/internal/commands/sessions.note',
      body: '{"delivery_id":"d1","payload":{"a":1}}',
    });
    expect(app.core.identityTokens.verify(String(asked?.headers[identityHeader]), 'session-service')).toEqual(identity);
  });

  it('throw the refusal of their owner, and StoreUnavailable for what may be tried again', async () => {
    bothAnswer(answers(409, { error: { code: 'conflict', message: 'taken', details: { field: 'name' } } }));
    await expect(gateway().send(command)).rejects.toEqual(new Refusal('conflict', { field: 'name' }, 'taken'));
    bothAnswer(answers(503, { error: { code: 'service_unavailable', message: 'no store' } }));
    await expect(gateway().send(command)).rejects.toThrow(StoreUnavailable);
    await expect(gateway().send({ ...command, name: 'roles.note' })).rejects.toThrow(StoreUnavailable);
    await expect(gateway().send({ ...command, name: 'unheard.of' })).rejects.toThrow('no service owns');
  });

  it('are calls when their handler is in this process', async () => {
    const handlers = new RoutedCommands();
    handlers.register(NoteInSession, ({ input }) => Promise.resolve({ got: input }));
    expect(await new HttpCommandGateway(handlers, upstreams, app.core.identityTokens).send(command)).toEqual({
      got: { a: 1 },
    });
    expect(() => handlers.register(NoteInSession, () => Promise.resolve({}))).toThrow('two handlers');
  });
});
