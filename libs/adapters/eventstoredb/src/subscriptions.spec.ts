import { eventually } from '@aos/kernel/testing';
import { ServedStore, happened } from './testing/served-store.js';

let served: ServedStore;
beforeEach(async () => {
  served = await ServedStore.start();
});
afterEach(async () => {
  await served.stop();
});

async function appendNumbers(stream: string, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n += 1)
    await served.store.append(stream, n === 0 ? 'none' : n - 1, [happened(n)]);
}

test('a subscription that is dropped again and again gives every event once, in order', async () => {
  const seen: number[] = [];
  const troubles: unknown[] = [];
  const options = {
    name: 'drops',
    prefixes: ['drop-'],
    from: 'start' as const,
    onTrouble: (error: unknown) => {
      troubles.push(error);
    },
  };
  const subscription = served.store.subscribe(options, async (events) => {
    seen.push(...events.map(({ revision }) => revision));
  });
  for (let round = 0; round < 6; round += 1) {
    await appendNumbers('drop-1', round * 20, 20);
    await eventually('events arrive', () => seen.length > round * 20);
    if (round % 3 === 2) await served.restart();
    await eventually('the subscription notices', () => {
      // again while it goes over to the shared feed, which the server does not know yet
      if (round % 3 === 0) served.server.dropSubscriptions();
      if (round % 3 === 1) served.server.dropConnections();
      return troubles.length > round;
    });
  }
  await appendNumbers('drop-1', 120, 5);
  await eventually('everything arrives', () => seen.length >= 125);
  await subscription.close();
  expect(seen).toEqual(Array.from({ length: 125 }, (_, n) => n));
  expect(troubles.length).toBeGreaterThanOrEqual(6);
});

test('from the end: what this process appends right after subscribing arrives, also when the server is away at first', async () => {
  await appendNumbers('end-1', 0, 3);
  const seen: number[] = [];
  const subscription = served.store.subscribe({ name: 'end', prefixes: ['end-'], from: 'end' }, async (events) => {
    seen.push(...events.map(({ revision }) => revision));
  });
  await appendNumbers('end-1', 3, 2);
  await eventually('both arrive', () => seen.length >= 2);
  expect(seen).toEqual([3, 4]);
  await subscription.close();
});

test('a server that does not confirm is asked again', async () => {
  served.server.faults.silent = true;
  const troubles: unknown[] = [];
  let seen = 0;
  const options = {
    name: 'silent',
    prefixes: ['confirm-'],
    from: 'start' as const,
    onTrouble: (error: unknown) => {
      troubles.push(error);
    },
  };
  const subscription = served.store.subscribe(options, async (events) => {
    seen += events.length;
  });
  await eventually('trouble', () => troubles.length > 0);
  served.server.recover();
  await appendNumbers('confirm-1', 0, 1);
  await eventually('the event arrives', () => seen === 1);
  await subscription.close();
});

test('a handler that does not end holds the server back, and nothing is lost', async () => {
  const text = 'x'.repeat(100 * 1024);
  const count = 200;
  const together = 4; // a busy machine takes long for a megabyte
  for (let n = 0; n < count; n += together) {
    await served.store.append(
      'slow-1',
      n === 0 ? 'none' : n - 1,
      Array.from({ length: together }, (_, index) => happened(n + index, text)),
    );
  }
  const seen: number[] = [];
  let calls = 0;
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const subscription = served.store.subscribe(
    { name: 'slow', prefixes: ['slow-'], from: 'start', batchMax: 8 },
    async (events) => {
      calls += 1;
      await gate;
      seen.push(...events.map(({ revision }) => revision));
    },
  );
  await eventually('the server waits for its reader', () => calls === 1 && served.server.slowReaders === 1);
  await appendNumbers('other-1', 0, 5);
  expect([calls, served.server.slowReaders]).toEqual([1, 1]);
  release();
  await eventually('everything arrives', () => seen.length === count);
  expect(seen).toEqual(Array.from({ length: count }, (_, n) => n));
  await subscription.close();
});

test('it says again that it caught up after it was dropped, and only when all was handled', async () => {
  await appendNumbers('caught-1', 0, 50);
  let handled = 0;
  let troubles = 0;
  const handledAtCaughtUp: number[] = [];
  const options = {
    name: 'caught',
    prefixes: ['caught-'],
    from: 'start' as const,
    batchMax: 4,
    onCaughtUp: () => {
      handledAtCaughtUp.push(handled);
    },
    onTrouble: () => {
      troubles += 1;
    },
  };
  const subscription = served.store.subscribe(options, async (events) => {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    handled += events.length;
  });
  await eventually('caught up', () => handledAtCaughtUp.length === 1);
  await eventually('the subscription notices', () => {
    served.server.dropSubscriptions(); // again while it goes over to the shared feed, which the server does not know yet
    return troubles > 0;
  });
  await appendNumbers('caught-1', 50, 10);
  await eventually('caught up again', () => handledAtCaughtUp.length >= 2 && handled === 60);
  expect(handledAtCaughtUp[0]).toBe(50);
  await subscription.close();
});

test('a subscription that is closed leaves the connection of the others alone', async () => {
  await appendNumbers('close-1', 0, 10);
  const troubles: unknown[] = [];
  const caughtUp = new Set<string>();
  const subscribed = (name: string, prefixes: string[]) =>
    served.store.subscribe(
      {
        name,
        prefixes,
        from: 'start',
        onCaughtUp: () => caughtUp.add(name),
        onTrouble: (error) => troubles.push(error),
      },
      async () => undefined,
    );
  const staying = subscribed('staying', ['close-']);
  const closing = subscribed('closing', ['close-']);
  await eventually('both have caught up', () => caughtUp.size === 2);
  const closed = closing.close();
  const next = subscribed('next', ['other-']); // as one that reads on for itself where others read together
  await closed;
  await eventually('the next one has caught up', () => caughtUp.size === 3);
  expect(troubles).toEqual([]);
  await Promise.all([staying.close(), next.close()]);
});
