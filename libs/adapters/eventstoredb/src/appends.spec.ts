import { StoreUnavailable } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { EventStoreDbEventStore } from './event-store.js';
import { Reader } from './reader.js';
import { ServedStore, givingUp, happened, quick } from './testing/served-store.js';

/** An append that waited for a free call on the connection would wait for ever. */
const stallMs = 15_000;
/** Appends that are sent before the first is answered. */
const inFlightMax = 15;

let served: ServedStore;
beforeEach(async () => {
  served = await ServedStore.start();
});
afterEach(async () => {
  await served.stop();
});

type Trouble = 'lostAppends' | 'unansweredAppends' | 'brokenAppends' | 'cleanlyEndedAppends';

test.each<Trouble>(['lostAppends', 'unansweredAppends', 'brokenAppends', 'cleanlyEndedAppends'])(
  '%s: the repeat resolves and nothing is written twice',
  async (trouble) => {
    const { store, server } = served;
    await store.append('thing-1', 'none', [happened(0)]);
    server.faults[trouble] = 1;
    const events = [happened(1), happened(2)];
    const appended = await store.append('thing-1', 0, events);
    expect(appended.revision).toBe(2);
    const stored = await store.read('thing-1', { limit: 10 });
    expect(stored.map(({ id }) => id).slice(1)).toEqual(events.map(({ id }) => id));
    expect(stored.at(-1)?.position).toBe(appended.position);
  },
);

test('TP29: an append of many events is one call, and nothing is read for it', async () => {
  const { store } = served;
  const streams = jest.spyOn(Reader.prototype, 'stream');
  const ends = jest.spyOn(Reader.prototype, 'last');
  try {
    const events = Array.from({ length: 4 }, (_, n) => happened(n));
    await store.append('thing-1', 'none', events);
    await store.append('thing-1', 'none', events);
    await store.append('thing-1', 3, [happened(4), happened(5)]);
    expect([streams.mock.calls, ends.mock.calls]).toEqual([[], []]);
  } finally {
    streams.mockRestore();
    ends.mockRestore();
  }
});

test('a silent server: every append gives up within the budget, and its repeat later is one append', async () => {
  const { server } = served;
  await served.store.append('thing-0', 'none', [happened(0)]);
  const impatient = await served.reopen(givingUp);
  server.faults.silent = true;
  const started = performance.now();
  const events = Array.from({ length: 40 }, (_, n) => happened(n));
  const results = await Promise.allSettled(events.map((event, n) => impatient.append(`silent-${n}`, 'none', [event])));
  expect(performance.now() - started).toBeLessThan(givingUp.budgetMs * 3);
  for (const result of results)
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
  server.recover();
  const store = await served.reopen();
  await Promise.all(events.map((event, n) => store.append(`silent-${n}`, 'none', [event])));
  expect(await store.heads(events.map((_, n) => `silent-${n}`))).toEqual(events.map(() => 0));
});

test('a server that is silent for a while: appends in flight and new ones resolve by their repeats', async () => {
  const { store, server } = served;
  await store.append('thing-0', 'none', [happened(0)]);
  server.faults.silent = true;
  const streams = Array.from({ length: 30 }, (_, n) => `pause-${n}`);
  const appends = Promise.all(streams.map((stream, n) => store.append(stream, 'none', [happened(n), happened(n)])));
  await eventually('appends were lost, and new connections too', () => server.faults.ignored > inFlightMax + 1);
  server.recover();
  await appends;
  expect(await store.heads(streams)).toEqual(streams.map(() => 1));
});

test('answers that come after the client was given up harm nothing', async () => {
  const { store, server } = served;
  server.faults.delayMs = quick.attemptMs * 2;
  const late = store.append('late-1', 'none', [happened(1)]);
  const others = Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => store.append(`late-${n + 2}`, 'none', [happened(n)])),
  );
  await eventually('answers are held back', () => server.faults.delayed > 0);
  server.faults.delayMs = 0;
  await late;
  for (const result of await others) expect(result.status).toBe('fulfilled');
  expect(await store.heads(['late-1', 'late-2', 'late-21'])).toEqual([0, 0, 0]);
});

test('unavailable is repeated, and told as StoreUnavailable when it lasts', async () => {
  const { server } = served;
  const store = await served.reopen(givingUp);
  server.faults.unavailable = true;
  const both = await Promise.allSettled([
    store.append('thing-1', 'none', [happened(1)]),
    store.read('thing-1', { limit: 1 }),
  ]);
  for (const one of both) expect(one).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
  server.faults.unavailable = false;
  await (await served.reopen()).append('thing-1', 'none', [happened(2)]);
});

test('a server that dies and comes back keeps what it acknowledged, and appends go through', async () => {
  const { store } = served;
  let acknowledged = -1;
  let running = true;
  const writing = (async () => {
    while (running) {
      const { revision } = await store.append('restart-1', acknowledged < 0 ? 'none' : acknowledged, [
        happened(acknowledged + 1),
      ]);
      acknowledged = revision;
    }
  })();
  for (const target of [20, 40, 60]) {
    await eventually(`${target} appends`, () => acknowledged >= target);
    await served.restart();
  }
  await eventually('80 appends', () => acknowledged >= 80);
  running = false;
  await writing;
  const stored = await store.read('restart-1', { limit: 4096 });
  expect(stored.map(({ data }) => data['n'])).toEqual(Array.from({ length: acknowledged + 1 }, (_, n) => n));
});

test('many reads and subscriptions at a time do not stall appends', async () => {
  // one process here does the work of server and clients
  const store = await served.reopen({ attemptMs: 5000, budgetMs: 20_000 });
  await store.append('cap-1', 'none', [happened(0)]);
  const subscriptions = Array.from({ length: 64 }, (_, n) =>
    store.subscribe({ name: `s${n}`, prefixes: ['cap-'], from: 'start' }, async () => undefined),
  );
  expect(() =>
    store.subscribe({ name: 'one too many', prefixes: ['cap-'], from: 'start' }, async () => undefined),
  ).toThrow('subscriptions');
  await eventually('all subscriptions run', () => served.server.subscriptionCount === 64);
  const reads = Promise.all(Array.from({ length: 200 }, () => store.read('cap-1', { limit: 1 })));
  const started = performance.now();
  for (let n = 0; n < 10; n += 1) await store.append('cap-1', n, [happened(n)]);
  expect(performance.now() - started).toBeLessThan(stallMs);
  expect(await reads).toHaveLength(200);
  await Promise.all(subscriptions.map((subscription) => subscription.close()));
});

test('stores of one address share the appending client; another address is refused', async () => {
  const second = new EventStoreDbEventStore({ url: served.server.url, ...quick });
  await second.append('shared-1', 'none', [happened(1)]);
  await second.close();
  await served.store.append('shared-1', 0, [happened(2)]);
  expect(() => new EventStoreDbEventStore({ url: 'esdb://127.0.0.1:1?tls=false' })).toThrow('one event store only');
});

test('a repeat of an append that truncation hides resolves as the first did', async () => {
  const { store } = served;
  const events = [happened(1), happened(2), happened(3)];
  const first = await store.append('hidden-1', 'none', events);
  for (let n = 2; n < 20; n += 1) await store.append('hidden-1', n, [happened(n)]);
  await store.truncate('hidden-1', 15);
  expect(await store.append('hidden-1', 'none', events)).toEqual(first);
});
