import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '@aos/adapters/system';
import { OwnerMap } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { identityHeader } from '@aos/platform';
import { Upstreams, type Forwarded } from './upstreams.js';

const servers: Server[] = [];
let upstreams: Upstreams;

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const read: Forwarded = { method: 'GET', path: '/v1/agents', headers: {}, body: null, isRepeatable: true };
const write: Forwarded = {
  method: 'POST',
  path: '/v1/agents',
  headers: {},
  body: Buffer.from('{}'),
  isRepeatable: false,
};
const answered = async (request: Forwarded) => (await upstreams.send('s', request, 'unary')).body.text();

afterEach(async () => {
  await upstreams.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

it('asks another replica when one takes what may be asked again and says nothing', async () => {
  const silent = await listening(() => undefined);
  const awake = await listening((_, response) => {
    response.end('awake');
  });
  upstreams = new Upstreams({ s: [silent, awake] }, new SystemClock(), { heartbeatSeconds: 15, repeatableMs: 100 });
  for (let call = 0; call < 3; call += 1) expect(await answered(read)).toBe('awake');
});

it('sends nothing first to a replica that says it is not ready, until it is', async () => {
  const clock = new ManualClock();
  let isReady = false;
  const replica = (name: string, ready: () => boolean) =>
    listening((request, response) => {
      response.writeHead(request.url === '/readyz' && !ready() ? 503 : 200).end(name);
    });
  const [stopping, other] = [await replica('stopping', () => isReady), await replica('other', () => true)];
  upstreams = new Upstreams({ s: [stopping, other] }, clock, { heartbeatSeconds: 15 });
  await eventually('it is known', () => {
    clock.advance(1_000);
    return upstreams.replicas('s')[0] === other && upstreams.replicas('s')[0] === other;
  });
  for (let call = 0; call < 4; call += 1) expect(await answered(write)).toBe('other');
  isReady = true;
  await eventually('it is back', () => {
    clock.advance(1_000);
    return upstreams.replicas('s')[0] === stopping || upstreams.replicas('s')[0] === stopping;
  });
});

it('sends what may not be asked again once', async () => {
  let asked = 0;
  const breaking = await listening((request, response) => {
    if (request.url === '/readyz') response.end();
    else {
      asked += 1;
      request.socket.destroy();
    }
  });
  upstreams = new Upstreams({ s: [breaking, breaking] }, new SystemClock(), { heartbeatSeconds: 15 });
  await expect(answered(write)).rejects.toThrow('s does not answer');
  expect(asked).toBe(1);
});

it('asks another replica when one says that it is only starting, whatever is asked, and gives no such answer on', async () => {
  const starting = await listening((_, response) => {
    response.writeHead(503, { 'x-svc-starting': 'true', connection: 'close' }).end('{}');
  });
  const awake = await listening((_, response) => {
    response.end('awake');
  });
  upstreams = new Upstreams({ s: [starting, awake] }, new SystemClock(), { heartbeatSeconds: 15 });
  for (let call = 0; call < 3; call += 1) expect(await answered(write)).toBe('awake');
  await upstreams.close();
  upstreams = new Upstreams({ s: [starting] }, new SystemClock(), { heartbeatSeconds: 15 });
  await expect(answered(write)).rejects.toThrow('s does not answer');
});

it('gives no 401 on for a signed identity that a service refuses, as one that stood still does (rule G25)', async () => {
  const late = await listening((_, response) => {
    response.writeHead(401).end('{"error":{"code":"unauthorized"}}');
  });
  upstreams = new Upstreams({ s: [late] }, new SystemClock(), { heartbeatSeconds: 15 });
  const signed = { ...write, headers: { [identityHeader]: 'i1.key.claims.signature' } };
  await expect(answered(signed)).rejects.toThrow('s does not answer');
  expect(await answered(write)).toContain('unauthorized'); // of a public operation: its own credential
});

describe('owners', () => {
  const addresses = ['http://a:1', 'http://b:1', 'http://c:1'];
  const partitions = Array.from({ length: 256 }, (_, partition) => partition);
  const among = (members: OwnerMap | null, random?: () => number) => {
    upstreams = new Upstreams({ s: addresses, other: ['http://a:1'] }, new ManualClock(), {
      heartbeatSeconds: 15,
      owners: { of: (service) => (service === 's' ? members : null) },
      ...(random ? { random } : {}),
    });
    return upstreams;
  };

  it('are asked first, then who would own it next, then all others', () => {
    const members = new OwnerMap(addresses.slice(0, 2).map((address) => ({ address, weight: 1 })));
    const { replicas } = bound(among(members));
    for (const partition of partitions)
      expect(replicas('s', { partition })).toEqual([...members.order(partition), 'http://c:1']);
    expect(replicas('other', { partition: 1 })).toEqual(['http://a:1']);
  });

  it('are the replicas that are given, alike, while no member is known', () => {
    const alike = new OwnerMap(addresses.map((address) => ({ address, weight: 1 })));
    const { replicas } = bound(among(null));
    for (const partition of partitions) expect(replicas('s', { partition })).toEqual(alike.order(partition));
  });

  it('that this process was not given are passed over', () => {
    const foreign = new OwnerMap([{ address: 'http://evil:1', weight: 1 }]);
    const { replicas } = bound(among(foreign));
    for (const partition of partitions) expect(new Set(replicas('s', { partition }))).toEqual(new Set(addresses));
  });

  it('that do not answer come last', () => {
    const members = new OwnerMap(addresses.map((address) => ({ address, weight: 1 })));
    among(members).avoid('http://b:1');
    for (const partition of partitions) {
      const order = members.order(partition);
      expect(upstreams.replicas('s', { partition })).toEqual([
        ...order.filter((address) => address !== 'http://b:1'),
        'http://b:1',
      ]);
    }
  });

  it('of two random replicas the less busy one is asked first', async () => {
    const held: (() => void)[] = [];
    const slow = await listening((request, response) => {
      if (request.url === '/readyz') response.end();
      else held.push(() => response.end('slow'));
    });
    const idle = await listening((_, response) => {
      response.end('idle');
    });
    let draws = 0;
    upstreams = new Upstreams({ s: [slow, idle] }, new SystemClock(), {
      heartbeatSeconds: 15,
      random: () => (draws += 0.37) % 1,
    });
    const first = upstreams.send('s', { ...write, to: { partition: partitionOf(upstreams, slow) } }, 'unary');
    await eventually('it is under way', () => held.length === 1);
    for (let call = 0; call < 5; call += 1)
      expect(await (await upstreams.send('s', { ...write, to: 'less busy' }, 'unary')).body.text()).toBe('idle');
    held[0]?.();
    expect(await (await first).body.text()).toBe('slow');
  });

  function partitionOf(known: Upstreams, owner: string): number {
    return partitions.find((partition) => known.replicas('s', { partition })[0] === owner) ?? -1;
  }

  function bound(known: Upstreams) {
    return { replicas: known.replicas.bind(known) };
  }
});

it('sends to owners among the addresses that a name has, and forgets those that went', async () => {
  const clock = new ManualClock();
  let named = ['10.0.0.1', '10.0.0.2'];
  const map = new OwnerMap(['1', '2', '3'].map((last) => ({ address: `http://10.0.0.${last}:80`, weight: 1 })));
  upstreams = new Upstreams({ s: ['dns+http://pods.test:80'] }, clock, {
    heartbeatSeconds: 15,
    owners: { of: () => map },
    resolve: async () => named,
  });
  const asked = (partition: number) => upstreams.replicas('s', { partition });
  const allOf = (addresses: string[]) => addresses.map((address) => `http://${address}:80`);
  expect(upstreams.hasChoice('s')).toBe(false);
  await eventually('the replicas are found', () => {
    clock.advance(1_000);
    return upstreams.hasChoice('s');
  });
  for (let partition = 0; partition < 256; partition += 1) {
    expect(asked(partition)).toEqual(map.order(partition).filter((address) => address !== 'http://10.0.0.3:80'));
  }
  named = ['10.0.0.2', '10.0.0.3'];
  await eventually('they have changed', () => {
    clock.advance(1_000);
    return asked(0).includes('http://10.0.0.3:80');
  });
  expect([...asked(7)].sort()).toEqual(allOf(named));
});
