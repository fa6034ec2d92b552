import { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { eventually } from '@aos/kernel/testing';
import type { RecordedEvent } from '@aos/kernel';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Feed } from './feed.js';
import { LeaderConnections } from './leader-connections.js';
import { followRequest } from './read-messages.js';
import { settingsOf } from './settings.js';
import { ServedStore, happened, quick } from './testing/served-store.js';

/** A busy machine may take longer than `quick` allows. */
const patient = { ...quick, attemptMs: 5_000, budgetMs: 20_000 };

let served: ServedStore;
beforeEach(async () => {
  served = await ServedStore.start(patient);
});
afterEach(async () => {
  await served.stop();
});

test('no event of a subscription or a read goes through the generated classes', async () => {
  await served.store.append(
    'thing-1',
    'none',
    Array.from({ length: 100 }, (_, n) => happened(n)),
  );
  const decoded = jest.spyOn(ReadResp, 'deserializeBinary');
  const seen: RecordedEvent[] = [];
  const subscription = served.store.subscribe(
    { name: 'count', prefixes: ['thing-'], from: 'start' },
    async (events) => {
      seen.push(...events);
    },
  );
  await eventually('all arrive', () => seen.length === 100);
  await served.store.append('thing-1', 99, [happened(100)]);
  await eventually('one more arrives', () => seen.length === 101);
  expect(seen).toEqual(await served.store.read('thing-1', { limit: 200 }));
  expect(decoded).not.toHaveBeenCalled();
  await subscription.close();
  decoded.mockRestore();
});

test('a subscription that is closed while its handler runs ends at the server, with what was on its way', async () => {
  const text = 'x'.repeat(100 * 1024);
  for (let n = 0; n < 40; n += 2)
    await served.store.append('large-1', n === 0 ? 'none' : n - 1, [happened(n, text), happened(n + 1, text)]);
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const subscription = served.store.subscribe(
    { name: 'slow', prefixes: ['large-'], from: 'start', batchMax: 1 },
    () => gate,
  );
  await eventually('the server waits for its reader', () => served.server.slowReaders === 1);
  const closed = subscription.close();
  await eventually('the server has no reader', () => served.server.subscriptionCount === 0);
  release();
  await closed;
});

/** A way to a port that can stand still: what is sent is taken, and nothing comes of it. */
class StillWay {
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((near) => {
    const far = connect(this.port, '127.0.0.1');
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined); // its other end is gone
    }
    near.pipe(far).pipe(near);
  });

  constructor(private readonly port: number) {}

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  /** The connections that are there; new ones go through. */
  standStill(): void {
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

test('a connection that stands still is found by its pings, and the next feed takes another', async () => {
  await served.store.append('still-1', 'none', [happened(0)]);
  const way = new StillWay(served.server.port);
  const url = `esdb://127.0.0.1:${await way.listen()}?tls=false`;
  const connections = new LeaderConnections('subscribe', settingsOf({ url, ...patient, pingMs: 200 }));
  const feed = () => new Feed(connections, followRequest(['still-'], ''), 10_000);
  const still = feed();
  while (!(await still.next(10)).caughtUp);
  way.standStill();
  await expect(still.next(10)).rejects.toThrow(/ping/);
  const next = feed();
  expect((await next.next(10)).events.map(({ stream }) => stream)).toEqual(['still-1']);
  next.close();
  connections.close();
  way.close();
});
