import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@aos/kernel/testing';
import { GuardedEgress, NameResolver } from './index.js';
import { SystemNames, fullNames, hostsAddresses, searchIn } from './system-names.js';

type Kind = 'A' | 'AAAA';
const kinds: Readonly<Record<number, Kind>> = { 1: 'A', 28: 'AAAA' };

/**
 * A name server on this machine. `answer`: addresses, no address (`none`), no such name (`unknown`), or nothing at all
 * (`hangs`).
 */
class NameServer {
  readonly asked: string[] = [];
  private waiting: { isMet: () => boolean; tell: () => void }[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly answer: (name: string, kind: Kind) => string[] | 'none' | 'unknown' | 'hangs',
  ) {
    socket.on('message', (message, from) => {
      this.received(message, from);
    });
  }

  static async start(answer: NameServer['answer']): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, answer);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /** Different names that were asked for so far. */
  get names(): string[] {
    return [...new Set(this.asked)];
  }

  async until(isMet: () => boolean): Promise<void> {
    if (!isMet())
      await new Promise<void>((tell) => {
        this.waiting.push({ isMet, tell });
      });
  }

  close(): void {
    this.socket.close();
  }

  private received(message: Buffer, from: RemoteInfo): void {
    const labels: string[] = [];
    let at = 12;
    for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
      labels.push(message.toString('ascii', at + 1, at + 1 + length));
      at += length + 1;
    }
    const kind = kinds[message.readUInt16BE(at + 1)];
    const question = message.subarray(12, at + 5);
    const name = labels.join('.').toLowerCase();
    this.asked.push(name);
    this.waiting = this.waiting.filter(({ isMet, tell }) => {
      if (isMet()) tell();
      return !isMet();
    });
    const found = kind ? this.answer(name, kind) : 'none';
    if (found === 'hangs') return;
    const addresses = typeof found === 'string' ? [] : found;
    const header = Buffer.from(message.subarray(0, 12));
    header.writeUInt16BE(found === 'unknown' ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    const records = addresses.map((address) => {
      const data =
        kind === 'A'
          ? Buffer.from(address.split('.').map(Number))
          : Buffer.from(
              address
                .split(':')
                .map((part) => part.padStart(4, '0'))
                .join(''),
              'hex',
            );
      const head = Buffer.from([0xc0, 12, 0, kind === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length]);
      return Buffer.concat([head, data]);
    });
    this.socket.send(Buffer.concat([header, question, ...records]), from.port, from.address);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'names-'));
const files = { hosts: join(folder, 'hosts'), resolvConf: join(folder, 'resolv.conf') };
writeFileSync(files.hosts, '127.0.0.1 localhost\n10.1.1.1 kept kept.example # own\n');
writeFileSync(files.resolvConf, 'nameserver 192.0.2.1\nsearch svc.cluster.test cluster.test\noptions ndots:2\n');
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const clock = new ManualClock();
let server: NameServer;
const hanging = /^hangs/;

beforeAll(async () => {
  server = await NameServer.start((name, kind) => {
    if (hanging.test(name)) return 'hangs';
    if (name === 'dual.host.example')
      return kind === 'A' ? ['93.184.215.14', '93.184.215.15'] : ['2606:4700:0:0:0:0:0:1111'];
    if (name === 'four.host.example') return kind === 'A' ? ['93.184.215.16'] : 'none';
    if (name === 'half.host.example') return kind === 'A' ? ['93.184.215.17'] : 'unknown';
    if (name === 'db.cluster.test') return kind === 'A' ? ['10.2.2.2'] : 'none';
    if (name === 'local.host.example') return kind === 'A' ? ['127.0.0.1'] : 'none';
    return 'unknown';
  });
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  server.asked.length = 0;
});

const newResolver = () => new NameResolver({ clock, servers: [server.address], names: new SystemNames(files) });
const how = (orgId = 'org_1', signal = new AbortController().signal) => ({ orgId, signal });
const addresses = (found: { address: string }[]) => found.map(({ address }) => address);

describe('names of the outside (control S27)', () => {
  it('are resolved in both families, and one family is enough', async () => {
    const resolver = newResolver();
    expect(new Set(addresses(await resolver.resolve('dual.host.example', how())))).toEqual(
      new Set(['93.184.215.14', '2606:4700::1111', '93.184.215.15']),
    );
    expect(await resolver.resolve('four.host.example', how())).toEqual([{ address: '93.184.215.16', family: 4 }]);
    expect(addresses(await resolver.resolve('half.host.example', how()))).toEqual(['93.184.215.17']);
  });

  it('are taken from the hosts file first, and localhost needs none', async () => {
    const resolver = newResolver();
    expect(addresses(await resolver.resolve('kept.example', how()))).toEqual(['10.1.1.1']);
    expect(addresses(await resolver.resolve('KEPT', how()))).toEqual(['10.1.1.1']);
    expect(addresses(await resolver.resolve('localhost.', how()))).toEqual(['127.0.0.1']);
    expect(addresses(await resolver.resolve('a.localhost', how()))).toEqual(['127.0.0.1', '::1']);
    expect(server.asked).toEqual([]);
  });

  it('follow the search list, and stand for themselves with enough dots or one at the end', async () => {
    const resolver = newResolver();
    expect(addresses(await resolver.resolve('db', how()))).toEqual(['10.2.2.2']);
    expect(server.names).toEqual(['db.svc.cluster.test', 'db.cluster.test']);
    await expect(resolver.resolve('db.', how())).rejects.toThrow('has no address');
    expect(server.names).toContain('db');
    server.asked.length = 0;
    await resolver.resolve('four.host.example', how());
    expect(server.names).toEqual(['four.host.example']);
  });

  it('that are not there are not asked for again at once', async () => {
    const resolver = newResolver();
    await expect(resolver.resolve('no.such.example', how())).rejects.toThrow('has no address');
    const count = server.asked.length;
    expect(count).toBeGreaterThan(0);
    await expect(resolver.resolve('no.such.example', how('org_2'))).rejects.toThrow('a moment ago');
    expect(server.asked.length).toBe(count);
    clock.advance(5_000);
    await expect(resolver.resolve('no.such.example', how())).rejects.toThrow('has no address');
    expect(server.asked.length).toBeGreaterThan(count);
  });

  it('that hang end with their caller, or with the time of one look-up', async () => {
    const resolver = newResolver();
    const caller = new AbortController();
    const given = resolver.resolve('hangs.a.example', how('org_1', caller.signal));
    await server.until(() => server.asked.includes('hangs.a.example'));
    caller.abort(new Error('given up'));
    await expect(given).rejects.toThrow('given up');
    const late = resolver.resolve('hangs.b.example', how());
    await server.until(() => server.asked.includes('hangs.b.example'));
    clock.advance(10_000);
    await expect(late).rejects.toThrow('has no address');
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('names of two organizations under load (control S27)', () => {
  it('forty hanging names of one hold up its own others only, and each is cut off with its caller', async () => {
    const resolver = newResolver();
    const callers = Array.from({ length: 40 }, () => new AbortController());
    const held = callers.map(({ signal }, index) =>
      resolver.resolve(`hangs${index}.host.example`, how('org_1', signal)).catch((error: Error) => error.message),
    );
    await server.until(() => server.names.length === 8);
    expect(addresses(await resolver.resolve('four.host.example', how('org_2')))).toEqual(['93.184.215.16']);
    expect(server.names.filter((name) => hanging.test(name))).toHaveLength(8);
    const mine = resolver.resolve('four.host.example', how('org_1'));
    for (const caller of callers) caller.abort(new Error('given up'));
    expect(new Set(await Promise.all(held))).toEqual(new Set(['given up']));
    expect(addresses(await mine)).toEqual(['93.184.215.16']);
  });

  it('calls of the other organization go out while names hang', async () => {
    const trap: Server = createServer((_request, response) => response.end('fine'));
    trap.listen(0, '127.0.0.1');
    await once(trap, 'listening');
    const { port } = trap.address() as AddressInfo;
    const resolver = newResolver();
    const egress = new GuardedEgress({
      clock,
      allow: [`local.host.example:${port}`],
      resolve: (name, whose) => resolver.resolve(name, whose),
    });
    const call = (orgId: string, url: string, signal?: AbortSignal) =>
      egress.send({
        url,
        orgId,
        method: 'GET',
        headers: {},
        timeoutMs: 5_000,
        responseBytesMax: 1_024,
        ...(signal ? { signal } : {}),
      });
    const caller = new AbortController();
    const held = Array.from({ length: 12 }, (_, index) =>
      call('org_1', `http://hangs${index}.slow.example/`, caller.signal).catch(
        (error: { reason: string }) => error.reason,
      ),
    );
    await server.until(() => server.names.length === 8);
    expect(await call('org_2', `http://local.host.example:${port}/`)).toMatchObject({ status: 200 });
    await expect(call('org_2', 'http://local.host.example:8080/')).rejects.toMatchObject({
      reason: 'endpoint_blocked',
    });
    caller.abort();
    expect(new Set(await Promise.all(held))).toEqual(new Set(['aborted']));
    trap.closeAllConnections();
    trap.close();
  });
});

describe('the files of the system', () => {
  it('hosts: names in any case, several to a line, comments apart', () => {
    const text = '# 9.9.9.9 commented\n1.1.1.1 one One.Example\n::1 one # tail two\nnonsense one\n\n2.2.2.2\ttwo';
    expect(hostsAddresses(text, 'ONE')).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(hostsAddresses(text, 'two')).toEqual([{ address: '2.2.2.2', family: 4 }]);
    expect(hostsAddresses(text, 'commented')).toEqual([]);
  });

  it('resolv.conf: the last list counts, and the domain of the host without one', () => {
    expect(searchIn('search a.test b.test.\ndomain c.test d.test\noptions timeout:1 ndots:5\n', 'h.home.test')).toEqual(
      { domains: ['c.test'], dots: 5 },
    );
    expect(searchIn('nameserver 1.1.1.1\n; search no.test\n', 'h.home.test')).toEqual({
      domains: ['home.test'],
      dots: 1,
    });
    expect(searchIn('', 'h')).toEqual({ domains: [], dots: 1 });
    expect(fullNames('a.b', { domains: ['x'], dots: 1 })).toEqual(['a.b', 'a.b.x']);
    expect(fullNames('a.b', { domains: ['x'], dots: 2 })).toEqual(['a.b.x', 'a.b']);
    expect(fullNames('a.b.', { domains: ['x'], dots: 5 })).toEqual(['a.b']);
  });

  it('are read again after a change, and may be missing', async () => {
    const changing = join(folder, 'changing');
    const names = new SystemNames({ hosts: changing, resolvConf: join(folder, 'missing') });
    expect(names.addresses('later.example')).toEqual([]);
    writeFileSync(changing, '10.3.3.3 later.example\n');
    utimesSync(changing, 1, 1);
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
    expect(addresses(names.addresses('later.example'))).toEqual(['10.3.3.3']);
    now.mockRestore();
  });
});
