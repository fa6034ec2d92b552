import { type NewEvent, StoreUnavailable } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SqliteEventStore, type SqliteEventStoreOptions } from './sqlite-event-store.js';
import type { FromWriter, ToWriter } from './writer-messages.js';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Messages to the writer, and how many of them are not answered. */
class Traffic {
  readonly sent: ToWriter[] = [];
  unansweredMax = 0;
  private appends: number[] = []; // of each message that is not answered whole

  constructor() {
    const post: (message: unknown) => void = Worker.prototype.postMessage;
    const { posted } = this;
    jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message: ToWriter) {
      posted(this, message);
      post.call(this, message);
    });
  }

  private readonly posted = (worker: Worker, message: ToWriter): void => {
    if (message.kind !== 'append') return;
    this.sent.push(message);
    this.appends.push(message.streams.length);
    this.unansweredMax = Math.max(this.unansweredMax, this.appends.length);
    if (worker.listenerCount('message') === 1) worker.prependListener('message', this.answered);
  };

  private readonly answered = (message: FromWriter): void => {
    if (message.kind === 'done') this.appends.shift();
  };
}

async function open(options: Partial<SqliteEventStoreOptions> = {}): Promise<SqliteEventStore> {
  const directory = mkdtempSync(join(tmpdir(), 'aos-groups-'));
  directories.push(directory);
  return SqliteEventStore.open({ directory, clock: new ManualClock(), ...options });
}

const event = (orgId: string, text = ''): NewEvent => ({
  id: randomUUID(),
  type: 'ThingHappened',
  data: { text },
  meta: { org_id: orgId },
});

test('TP2: one caller: each append is one message, sent in the same turn of the loop and by no timer', async () => {
  const traffic = new Traffic();
  const store = await open();
  const timers = jest.spyOn(globalThis, 'setTimeout');
  for (let n = 0; n < 50; n += 1) {
    const appended = store.append('thing-1', n === 0 ? 'none' : n - 1, [event('a')]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(traffic.sent).toHaveLength(n + 1);
    await appended;
  }
  expect(timers).not.toHaveBeenCalled();
  timers.mockRestore();
  await store.close();
});

test('TP2: 64 callers: one group is under way, and what comes meanwhile is the next', async () => {
  const traffic = new Traffic();
  const store = await open();
  const rounds = 20;
  await Promise.all(
    Array.from({ length: 64 }, async (_, caller) => {
      for (let n = 0; n < rounds; n += 1) await store.append(`thing-${caller}`, n === 0 ? 'none' : n - 1, [event('a')]);
    }),
  );
  expect(traffic.unansweredMax).toBe(1);
  expect(traffic.sent.length).toBeLessThan(64 * rounds);
  await store.close();
});

test('TP2: a group has at most 2,048 appends and ends after 8 MiB', async () => {
  const traffic = new Traffic();
  const store = await open();
  await Promise.all(Array.from({ length: 3000 }, (_, n) => store.append(`many-${n}`, 'none', [event('a')])));
  const large = 'x'.repeat(200 * 1024);
  await Promise.all(Array.from({ length: 60 }, (_, n) => store.append(`large-${n}`, 'none', [event('a', large)])));
  const sizes = traffic.sent.map((message) => (message.kind === 'append' ? message.streams.length : 0));
  expect(sizes).toEqual([2048, 952, 41, 19]);
  await store.close();
});

test('TP3: appends leave in turns of the organizations, and those of one in their order', async () => {
  const traffic = new Traffic();
  const store = await open();
  const greedy = Array.from({ length: 4000 }, (_, n) =>
    store.append('greedy-1', n === 0 ? 'none' : n - 1, [event('greedy')]),
  );
  for (let n = 0; n < 20; n += 1) {
    const before = traffic.sent.length;
    await store.append('modest-1', n === 0 ? 'none' : n - 1, [event('modest')]);
    expect(traffic.sent.length - before).toBeLessThanOrEqual(2); // the group under way, and its own
  }
  await Promise.all(greedy);
  const first = traffic.sent[0];
  if (first?.kind !== 'append') throw new Error('no group');
  expect(first.streams.slice(0, 3)).toEqual(['greedy-1', 'modest-1', 'greedy-1']);
  await store.close();
});

test('TP3: an organization has half of the places and bytes; beyond it is refused, and no other', async () => {
  const store = await open({ waitingMax: 20 });
  const [greedy, modest] = await Promise.all(
    ['greedy', 'modest'].map((org) =>
      Promise.allSettled(Array.from({ length: 15 }, (_, n) => store.append(`${org}-${n}`, 'none', [event(org)]))),
    ),
  );
  for (const results of [greedy!, modest!]) {
    expect(results.map(({ status }) => status)).toEqual(
      Array.from({ length: 15 }, (_, n) => (n < 10 ? 'fulfilled' : 'rejected')),
    );
    for (const result of results.slice(10))
      expect(result).toMatchObject({ reason: expect.any(StoreUnavailable) as unknown });
  }
  await store.append('greedy-15', 'none', [event('greedy')]);

  const narrow = await open({ waitingBytesMax: 2000 });
  const large = await Promise.allSettled(
    ['greedy', 'greedy', 'greedy', 'modest'].map((org, n) =>
      narrow.append(`thing-${n}`, 'none', [event(org, 'x'.repeat(600))]),
    ),
  );
  expect(large.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  await Promise.all([store.close(), narrow.close()]);
});
