import { MemoryLeases } from '@aos/adapters/memory';
import { StoreUnavailable } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { SilentOwners } from './silent-owners.js';

const leaseMs = 6_000;

function start() {
  const clock = new ManualClock();
  const leases = new MemoryLeases(clock);
  const missing = new SilentOwners(leases, clock, leaseMs);
  /** One round that asks about one lease. */
  const asked = async (attempt = 1): Promise<boolean> => {
    let found = false;
    await missing.during(async () => {
      found = await missing.isMissing('job:1', attempt);
    });
    return found;
  };
  return { clock, leases, missing, asked };
}

test('a holder is missing when every round of a full lease time saw no lease', async () => {
  const { clock, asked } = start();
  expect(await asked()).toBe(false);
  clock.advance(leaseMs - 1);
  expect(await asked()).toBe(false);
  clock.advance(1);
  expect(await asked()).toBe(true);
  expect(await asked()).toBe(true); // until somebody takes the work over
});

test('a lease that is seen again starts the time anew', async () => {
  const { clock, leases, asked } = start();
  await asked();
  clock.advance(leaseMs / 2);
  await leases.acquire('job:1', 'holder', 1_000);
  expect(await asked()).toBe(false);
  clock.advance(leaseMs / 2);
  expect(await asked()).toBe(false);
  clock.advance(leaseMs);
  expect(await asked()).toBe(true);
});

test('the next attempt has a lease time of its own', async () => {
  const { clock, asked } = start();
  await asked(1);
  clock.advance(leaseMs);
  expect(await asked(2)).toBe(false);
  clock.advance(leaseMs);
  expect(await asked(2)).toBe(true);
});

test('what a whole round did not ask about is forgotten', async () => {
  const { clock, missing, asked } = start();
  await asked();
  await missing.during(async () => undefined);
  clock.advance(leaseMs);
  expect(await asked()).toBe(false);
});

test('a round that breaks off saw nothing: the time starts anew', async () => {
  const { clock, missing, asked } = start();
  await asked();
  await expect(missing.during(() => Promise.reject(new StoreUnavailable('no answer')))).rejects.toThrow('no answer');
  clock.advance(leaseMs);
  expect(await asked()).toBe(false);
  clock.advance(leaseMs);
  expect(await asked()).toBe(true);
});

test('a look that this process slept through says nothing, and starts the time anew', async () => {
  const { clock, missing, asked } = start();
  await asked();
  const askedAt = clock.monotonic();
  clock.advance(leaseMs);
  await missing.during(async () => {
    expect(await missing.isMissing('job:1', 1, askedAt)).toBe(false);
  });
  expect(await asked()).toBe(false);
});

test('forgetting starts the time anew', async () => {
  const { clock, missing, asked } = start();
  await asked();
  clock.advance(leaseMs);
  missing.forget();
  expect(await asked()).toBe(false);
});
