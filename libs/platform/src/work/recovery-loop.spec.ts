import { Logger } from '@nestjs/common';
import { MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import { StoreUnavailable } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { RecoveryLoop } from './recovery-loop.js';

const leaseMs = 15_000;

function start(poll: () => Promise<void> = () => Promise.resolve()) {
  const clock = new ManualClock();
  const readStore = new MemoryReadStore();
  const projectors = { caughtUp: true };
  const seen = { polls: 0, forgotten: 0 };
  const store = { soleWriter: false };
  const leases = new MemoryLeases(clock);
  const loop = new RecoveryLoop(
    { store, readStore, projectors, leases, clock, leaseMs },
    {
      poll: () => {
        seen.polls += 1;
        return poll();
      },
      forget: () => {
        seen.forgotten += 1;
      },
      leasesOf: ({ doc }) => (doc.parts as string[]).map((part) => `work:${part}`),
    },
  );
  loop.start();
  /** Time passes, and the round that it set off ends. */
  const after = async (ms: number) => {
    clock.advance(ms);
    await eventually('the round is over', () => clock.pendingTimers > 0);
  };
  return { clock, store, readStore, leases, projectors, seen, loop, after };
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('the first round is soon, the next ones every two seconds', async () => {
  const { seen, after } = start();
  await after(49);
  expect(seen.polls).toBe(0);
  await after(1);
  expect(seen.polls).toBe(1);
  await after(1_999);
  expect(seen.polls).toBe(1);
  await after(1);
  expect(seen).toEqual({ polls: 2, forgotten: 0 });
});

test('until the projections have caught up it looks at nothing, and asks every 50 ms', async () => {
  const { projectors, seen, after } = start();
  projectors.caughtUp = false;
  for (let time = 0; time < 3; time += 1) await after(50);
  expect(seen.polls).toBe(0);
  projectors.caughtUp = true;
  await after(50);
  expect(seen.polls).toBe(1);
});

test('while the projections are built again it looks at what they hold', async () => {
  const { projectors, seen, after } = start();
  await after(50);
  projectors.caughtUp = false;
  await after(2_000);
  await after(2_000);
  expect(seen.polls).toBe(3);
});

test('a store that does not answer is a warning, any other fault an error; the next round comes all the same', async () => {
  const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const failed = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const faults: Error[] = [new StoreUnavailable('the log does not answer'), new TypeError('a fault of the program')];
  const { seen, after } = start(() => {
    const fault = faults.shift();
    return fault ? Promise.reject(fault) : Promise.resolve();
  });
  await after(50);
  expect([warned.mock.calls, failed.mock.calls]).toEqual([[['the log does not answer']], []]);
  await after(2_000);
  expect(failed.mock.calls).toEqual([[expect.stringContaining('a fault of the program')]]);
  await after(2_000);
  expect([seen.polls, warned.mock.calls.length, failed.mock.calls.length]).toEqual([3, 1, 1]);
  expect(seen.forgotten).toBe(2); // what a broken round saw says nothing
});

test('a round that comes over half a lease late forgets first what was seen', async () => {
  const { clock, seen, after } = start();
  await after(50);
  const monotonic = jest.spyOn(clock, 'monotonic');
  monotonic.mockReturnValue(50 + 2_000 + leaseMs / 2);
  await after(2_000);
  expect(seen).toEqual({ polls: 2, forgotten: 0 });
  monotonic.mockReturnValue(50 + 2_000 + leaseMs / 2 + 2_000 + leaseMs / 2 + 1);
  await after(2_000);
  expect(seen).toEqual({ polls: 3, forgotten: 1 });
});

test('closed, it waits for the round under way and begins no other', async () => {
  let end = (): void => undefined;
  const round = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { clock, seen, loop } = start(() => round);
  clock.advance(50);
  let isClosed = false;
  const closing = loop.close().then(() => {
    isClosed = true;
  });
  await Promise.resolve();
  expect(isClosed).toBe(false);
  end();
  await closing;
  expect(clock.pendingTimers).toBe(0);
  clock.advance(10_000);
  expect(seen.polls).toBe(1);
});

describe('the rows of open work', () => {
  const keys = Array.from({ length: 501 }, (_, number) => `key-${String(number).padStart(3, '0')}`);
  const open = { collection: 'open@1', scopes: [['*']] };

  async function startWithRows() {
    const started = start();
    await started.readStore.put(
      keys.map((key) => ({
        collection: open.collection,
        scope: ['*'],
        key,
        revision: 0,
        doc: { parts: [`${key}/1`, `${key}/2`] },
        index: {},
      })),
    );
    return started;
  }

  test('are all considered, over several pages', async () => {
    const { loop } = await startWithRows();
    const found: string[] = [];
    await loop.each(open, async ({ key }) => {
      found.push(key);
    });
    expect(found).toEqual(keys);
  });

  test('whose every lease is held are left out, by one question a page', async () => {
    const { loop, leases } = await startWithRows();
    const asked = jest.spyOn(leases, 'holders');
    for (const key of keys.slice(1)) await leases.acquire(`work:${key}/1`, 'somebody', leaseMs);
    for (const key of keys.slice(2)) await leases.acquire(`work:${key}/2`, 'somebody', leaseMs);
    const found: string[] = [];
    await loop.each(open, async ({ key }) => {
      found.push(key);
    });
    expect(found).toEqual(keys.slice(0, 2));
    expect(asked).toHaveBeenCalledTimes(2);
  });

  test('are all considered in one process, and no lease is asked for', async () => {
    const { loop, leases, store } = await startWithRows();
    store.soleWriter = true;
    const asked = jest.spyOn(leases, 'holders');
    await leases.acquire(`work:${keys[0]}/1`, 'somebody', leaseMs);
    await leases.acquire(`work:${keys[0]}/2`, 'somebody', leaseMs);
    const found: string[] = [];
    await loop.each(open, async ({ key }) => {
      found.push(key);
    });
    expect(found).toEqual(keys);
    expect(asked).not.toHaveBeenCalled();
  });

  test('TP38: lie in one of many scopes, and those without any are not asked for', async () => {
    const { loop, readStore } = await startWithRows();
    const asked = jest.spyOn(readStore, 'query');
    const scopes = [...Array.from({ length: 31 }, (_, lane) => [`lane-${lane}`]), ['*']];
    const found: string[] = [];
    await loop.each({ ...open, scopes }, async ({ key }) => {
      found.push(key);
    });
    expect(found).toEqual(keys);
    expect(asked.mock.calls.map(([{ scope }]) => scope)).toEqual([['*'], ['*']]); // two pages
    await loop.each({ ...open, scopes: scopes.slice(0, 31) }, () => Promise.reject(new Error('none is there')));
    expect(asked).toHaveBeenCalledTimes(2);
  });

  test('end with their page when the loop is closed', async () => {
    const { loop } = await startWithRows();
    const found: string[] = [];
    await loop.each(open, async ({ key }) => {
      found.push(key);
      await loop.close();
    });
    expect(found).toEqual(keys.slice(0, 500));
  });

  test('are considered although one of them cannot be; a store that does not answer ends the round', async () => {
    const failed = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { loop } = await startWithRows();
    const found: string[] = [];
    await loop.each(open, async ({ key }) => {
      found.push(key);
      if (key === 'key-003') throw new TypeError('not to be read');
    });
    expect(found).toEqual(keys);
    expect(failed.mock.calls).toEqual([[expect.stringContaining('key-003: TypeError: not to be read')]]);
    await expect(loop.each(open, () => Promise.reject(new StoreUnavailable('away')))).rejects.toThrow(StoreUnavailable);
  });
});
