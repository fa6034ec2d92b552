import type { Gather, RecordedEvent } from '@aos/kernel';
import type { Portion, PortionFeed } from './feed.js';
import { SupervisedSubscription } from './subscription.js';

const batchMax = 4;
const gatherMs = 50;
const busyGatherMs = 200;

/** Events are pushed by the test; all that wait are given at once. */
class PushedFeed implements PortionFeed {
  private readonly waiting: RecordedEvent[] = [];
  private wakeUp: () => void = () => undefined;
  private closed = false;

  push(...positions: string[]): void {
    this.waiting.push(...positions.map((position) => ({ position }) as RecordedEvent));
    this.wakeUp();
  }

  async next(max: number): Promise<Portion> {
    while (this.waiting.length === 0 && !this.closed)
      await new Promise<void>((resolve) => {
        this.wakeUp = resolve;
      });
    if (this.closed) throw new Error('closed');
    return { events: this.waiting.splice(0, max) };
  }

  close(): void {
    this.closed = true;
    this.wakeUp();
  }
}

let feed: PushedFeed;
let given: string[][];
let subscription: SupervisedSubscription;

function subscribed(options: { gather?: Gather; batchMax?: number }): void {
  subscription = new SupervisedSubscription(
    { end: () => Promise.resolve(''), open: () => feed },
    { name: 'spec', prefixes: ['a-'], from: 'start', batchMax, ...options },
    async (events) => {
      given.push(events.map(({ position }) => position));
    },
    1_000,
    Promise.resolve(''),
  );
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  feed = new PushedFeed();
  given = [];
});
afterEach(async () => {
  await subscription.close();
  jest.useRealTimers();
});

const settled = () => new Promise((resolve) => setImmediate(resolve));
async function after(ms: number): Promise<void> {
  await settled();
  jest.advanceTimersByTime(ms);
  await settled();
}

it('gives the first events after a pause at once, and lets those that come soon after gather', async () => {
  subscribed({ gather: { ms: gatherMs } });
  feed.push('1');
  await after(0);
  expect(given).toEqual([['1']]);
  feed.push('2');
  await after(gatherMs - 1);
  feed.push('3');
  await after(0);
  expect(given).toEqual([['1']]);
  await after(1);
  expect(given).toEqual([['1'], ['2', '3']]);
  await after(gatherMs);
  feed.push('4');
  await after(0);
  expect(given).toEqual([['1'], ['2', '3'], ['4']]);
});

it('lets events gather for longer behind a batch that shows a load, and for as long as before behind a small one', async () => {
  subscribed({ gather: { ms: gatherMs, busyMs: busyGatherMs }, batchMax: 100 });
  const many = Array.from({ length: 32 }, (_, index) => `1${index}`);
  feed.push(...many);
  await after(0);
  feed.push('2');
  await after(busyGatherMs - 1);
  expect(given).toEqual([many]);
  await after(1);
  expect(given).toEqual([many, ['2']]);
  feed.push('3');
  await after(gatherMs);
  expect(given).toEqual([many, ['2'], ['3']]);
});

it('holds nothing back behind a full batch', async () => {
  subscribed({ gather: { ms: gatherMs } });
  feed.push('1', '2', '3', '4', '5', '6');
  await after(0);
  expect(given).toEqual([
    ['1', '2', '3', '4'],
    ['5', '6'],
  ]);
});

it('holds nothing back when it was not asked to', async () => {
  subscribed({});
  for (const position of ['1', '2', '3']) {
    feed.push(position);
    await after(0);
  }
  expect(given).toEqual([['1'], ['2'], ['3']]);
});

it('ends at once when it is closed while events gather', async () => {
  subscribed({ gather: { ms: gatherMs } });
  feed.push('1');
  await after(0);
  await subscription.close();
  expect(jest.getTimerCount()).toBe(0);
  expect(given).toEqual([['1']]);
});
