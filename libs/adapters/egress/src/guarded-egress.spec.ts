import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EgressFailure, type EgressRequest } from '@aos/kernel';
import { ManualClock, bypassForms } from '@aos/kernel/testing';
import { type BlockedAddress, GuardedEgress, isPublicAddress, type Resolve } from './index.js';

interface Trap {
  server: Server;
  port: number;
  hits: string[];
  /** Connections, whether or not a request came. */
  connections: number;
  closed: Promise<void>;
}

async function startTrap(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Trap> {
  let closedOne: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    closedOne = resolve;
  });
  const server = createServer((request, response) => {
    trap.hits.push(request.url ?? '');
    answer(request, response);
  });
  server.on('connection', (socket) => {
    trap.connections += 1;
    socket.on('close', closedOne);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const trap: Trap = { server, port: (server.address() as AddressInfo).port, hits: [], connections: 0, closed };
  return trap;
}

/** Names that a test's own resolver knows. */
function names(table: Record<string, string[][]>): Resolve & { asked: string[] } {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    const turns = table[hostname];
    if (!turns) throw new Error(`unknown name ${hostname}`);
    const turn = turns[Math.min(asked.filter((name) => name === hostname).length, turns.length - 1)] ?? [];
    asked.push(hostname);
    return turn.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }));
  };
  return Object.assign(resolve, { asked });
}

const request = (url: string, changes: Partial<EgressRequest> = {}): EgressRequest => ({
  url,
  method: 'GET',
  headers: {},
  timeoutMs: 5000,
  responseBytesMax: 1024,
  ...changes,
});

async function failureOf(sent: Promise<unknown>): Promise<EgressFailure> {
  const outcome = await sent.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(outcome instanceof EgressFailure)) throw new Error(`expected an EgressFailure, got ${String(outcome)}`);
  return outcome;
}

describe('the guarded way out', () => {
  let trap: Trap;
  const clock = new ManualClock();
  const blocked: BlockedAddress[] = [];
  const egress = (allow: string[], resolve?: Resolve) =>
    new GuardedEgress({ clock, allow, onBlocked: (event) => blocked.push(event), ...(resolve ? { resolve } : {}) });
  let answer: (request: IncomingMessage, response: ServerResponse) => void;

  beforeEach(async () => {
    blocked.length = 0;
    answer = (_request, response) => response.end('fine');
    trap = await startTrap((incoming, response) => answer(incoming, response));
  });
  afterEach(() => {
    trap.server.closeAllConnections();
    trap.server.close();
  });
  const at = (host: string) => `http://${host}:${trap.port}/x?y=1`;

  it('reaches an address that the operator allows, with its own headers and the identity encoding', async () => {
    let seen: IncomingMessage['headers'] = {};
    let sent = '';
    answer = (incoming, response) => {
      seen = incoming.headers;
      incoming.on('data', (chunk) => {
        sent += String(chunk);
      });
      incoming.on('end', () => response.writeHead(201, { 'X-Two': ['a', 'b'] }).end('made'));
    };
    const response = await egress([`127.0.0.1:${trap.port}`]).send(
      request(at('127.0.0.1'), {
        method: 'POST',
        headers: { 'X-One': '1', Host: 'elsewhere', 'Accept-Encoding': 'gzip', 'Content-Length': '3' },
        body: Buffer.from('{"a":1}'),
      }),
    );
    expect({ ...response, body: Buffer.from(response.body).toString() }).toMatchObject({
      status: 201,
      body: 'made',
      headers: { 'x-two': 'a, b' },
    });
    expect(seen).toMatchObject({
      'x-one': '1',
      host: `127.0.0.1:${trap.port}`,
      'accept-encoding': 'identity',
      'content-length': '7',
    });
    expect(sent).toBe('{"a":1}');
    expect(trap.hits).toEqual(['/x?y=1']);
  });

  it.each(bypassForms)('refuses %s when a URL is saved and when it is called, without a hit', async (host) => {
    const guarded = egress([]);
    for (const url of [`http://${host}:${trap.port}/`, `http://${host}:8080/`, `http://${host}/`, `https://${host}/`]) {
      expect(guarded.refusal(url)).not.toBeNull();
      const failure = await failureOf(guarded.send(request(url)));
      expect(['endpoint_blocked', 'invalid_url']).toContain(failure.reason);
      expect(failure.connected).toBe(false);
    }
    expect(trap.connections).toBe(0);
  });

  it.each([
    ['ftp://example.com/', 'scheme must be http or https'],
    ['file:///etc/passwd', 'scheme must be http or https'],
    ['gopher://example.com/', 'scheme must be http or https'],
    ['//example.com', 'not a URL'],
    ['http://', 'not a URL'],
    ['https://u:p@example.com/', 'must not carry a user name or password'],
    ['http://example.com:22/', 'port is not allowed'],
    ['http://example.com:6379/', 'port is not allowed'],
    [`http://example.com/${'a'.repeat(2048)}`, 'longer than 2048 characters'],
  ])('refuses %s', (url, reason) => expect(egress([]).refusal(url)).toContain(reason));

  it.each([
    ['http://127.1:8080/x', '127.1:8080'],
    ['http://2130706433/', '2130706433:80'],
    ['https://[::1]', '[::1]:443'],
    ['http://LocalHost:8080?x', 'LocalHost:8080'],
    ['http://example.com:22/', 'example.com:22'],
  ])('names the setting and the pair of %s as it was written; the pair lets it pass', (url, pair) => {
    expect(egress([]).refusal(url)?.split(': ')[1]).toBe(`SVC_EGRESS_ALLOW does not name ${pair}`);
    expect(egress([pair]).refusal(url)).toBeNull();
  });

  it.each([
    'https://example.com/hook',
    'http://example.com:8080/',
    'https://93.184.215.14/',
    'https://[2606:4700::1111]:8443/',
  ])('takes %s', (url) => {
    expect(egress([]).refusal(url)).toBeNull();
  });

  it('blocks a name with one private address among public ones, and tells the operator only', async () => {
    const failure = await failureOf(
      egress([], names({ 'mixed.example': [['93.184.215.14', '127.0.0.1']] })).send(
        request('http://mixed.example:8080/'),
      ),
    );
    expect(failure).toMatchObject({ reason: 'endpoint_blocked', connected: false });
    expect(failure.message).toBe('address is not public: SVC_EGRESS_ALLOW does not name mixed.example:8080');
    expect(blocked).toEqual([{ host: 'mixed.example', port: 8080, address: '127.0.0.1' }]);
  });

  it('resolves once: what a rebinding name says later is never asked for', async () => {
    const resolve = names({ 'rebind.example': [['127.0.0.2'], ['127.0.0.1']] });
    const failure = await failureOf(egress([], resolve).send(request('http://rebind.example:8080/')));
    expect(failure.reason).toBe('endpoint_blocked');
    const pinned = names({ 'pinned.example': [['127.0.0.1'], ['10.0.0.1']] });
    const response = await egress([`pinned.example:${trap.port}`], pinned).send(request(at('pinned.example')));
    expect(response.status).toBe(200);
    expect(pinned.asked).toEqual(['pinned.example']);
  });

  it('lets an allowed pair pass by host and port only', () => {
    const guarded = egress(['10.0.0.5:9000', '[::1]:9000', 'Hooks.Internal:9000']);
    expect(
      ['http://10.0.0.5:9000/', 'http://[::1]:9000/', 'http://hooks.internal:9000/'].map((url) => guarded.refusal(url)),
    ).toEqual([null, null, null]);
    expect(guarded.refusal('http://10.0.0.5:9001/')).not.toBeNull();
    expect(guarded.refusal('http://10.0.0.6:9000/')).not.toBeNull();
    expect(() => egress(['nonsense', 'http://a:1', 'fine:80', 'b:0'])).toThrow('nonsense, http://a:1, b:0');
  });

  it('follows no redirect', async () => {
    answer = (incoming, response) =>
      response.writeHead(incoming.url === '/x?y=1' ? 302 : 200, { location: '/inside' }).end();
    const failure = await failureOf(egress([`127.0.0.1:${trap.port}`]).send(request(at('127.0.0.1'))));
    expect(failure).toMatchObject({ reason: 'redirect', connected: true });
    expect(trap.hits).toEqual(['/x?y=1']);
  });

  it.each([true, false])('stops an answer that grows too large (length announced: %s)', async (announced) => {
    answer = (_request, response) => {
      if (announced) response.setHeader('content-length', 4096);
      response.write(Buffer.alloc(2000));
      if (!announced) response.end(Buffer.alloc(2096));
    };
    const failure = await failureOf(egress([`127.0.0.1:${trap.port}`]).send(request(at('127.0.0.1'))));
    expect(failure).toMatchObject({ reason: 'response_too_large', connected: true });
    await trap.closed;
  });

  it('bounds the whole exchange in time, also one that trickles', async () => {
    answer = (_request, response) => {
      response.write('a');
      clock.advance(6000);
    };
    const failure = await failureOf(egress([`127.0.0.1:${trap.port}`]).send(request(at('127.0.0.1'))));
    expect(failure).toMatchObject({ reason: 'timeout', connected: true });
    await trap.closed;
  });

  it('bounds a name server that never answers', async () => {
    const sent = egress([], () => new Promise(() => undefined)).send(request('http://slow.example/'));
    clock.advance(5000);
    expect(await failureOf(sent)).toMatchObject({ reason: 'timeout', connected: false });
  });

  it('gives up at once when the caller does', async () => {
    const caller = new AbortController();
    answer = () => caller.abort();
    const failure = await failureOf(
      egress([`127.0.0.1:${trap.port}`]).send(request(at('127.0.0.1'), { signal: caller.signal })),
    );
    expect(failure).toMatchObject({ reason: 'aborted', connected: true });
    await trap.closed;
    expect(
      await failureOf(egress([`127.0.0.1:${trap.port}`]).send(request(at('127.0.0.1'), { signal: caller.signal }))),
    ).toMatchObject({ reason: 'aborted', connected: false });
  });

  it('tells a connection that broke from one that never was', async () => {
    answer = (incoming) => incoming.socket.destroy();
    expect(await failureOf(egress([`127.0.0.1:${trap.port}`]).send(request(at('127.0.0.1'))))).toMatchObject({
      reason: 'unreachable',
      connected: true,
    });
    trap.server.closeAllConnections();
    await new Promise((resolve) => trap.server.close(resolve));
    expect(await failureOf(egress([`127.0.0.1:${trap.port}`]).send(request(at('127.0.0.1'))))).toMatchObject({
      reason: 'unreachable',
      connected: false,
    });
    expect(await failureOf(egress([]).send(request('http://no-such-name.invalid/')))).toMatchObject({
      reason: 'unreachable',
      connected: false,
    });
    expect(clock.pendingTimers).toBe(0);
  });

  it('refuses a header that would split the message', async () => {
    const failure = await failureOf(
      egress([`127.0.0.1:${trap.port}`]).send(request(at('127.0.0.1'), { headers: { 'X-A': 'b\r\nX-C: d' } })),
    );
    expect(failure.reason).toBe('invalid_url');
    expect(trap.hits).toEqual([]);
  });
});

describe('public addresses', () => {
  it.each(['1.1.1.1', '93.184.215.14', '2606:4700::1111', '::ffff:1.1.1.1'])('takes %s', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
  it.each([
    '',
    'x',
    '1.1.1.1%eth0',
    '198.18.0.1',
    '203.0.113.9',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    '::7f00:1',
    '224.0.0.1',
    'ff02::1',
  ])('refuses %s', (address) => expect(isPublicAddress(address)).toBe(false));
});
