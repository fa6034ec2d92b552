import { Logger } from '@nestjs/common';
import { MemoryLeases } from '@aos/adapters/memory';
import { StoreUnavailable } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { OwnedLeases } from './owned-leases.js';

const leaseMs = 15_000;

function start() {
  const clock = new ManualClock();
  const leases = new MemoryLeases(clock);
  const names = new Set<string>();
  const owned = new OwnedLeases(leases, clock, { owner: 'me', leaseMs, names: () => names });
  const hold = (name: string) => {
    names.add(name);
    owned.acquire(name);
  };
  const drop = (name: string) => {
    names.delete(name);
    owned.release(name);
  };
  return { clock, leases, names, held: owned, hold, drop };
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('a lease is held from its acquisition to its release', async () => {
  const { leases, hold, drop } = start();
  hold('turn:1');
  expect(await leases.holders(['turn:1'])).toEqual(['me']);
  drop('turn:1');
  expect(await leases.holders(['turn:1'])).toEqual([null]);
});

test('all that is held is renewed every third of a lease, also what was never acquired here', async () => {
  const { clock, leases, names, hold } = start();
  hold('turn:1');
  names.add('turn:2');
  clock.advance(leaseMs / 3 - 1);
  expect(await leases.holders(['turn:2'])).toEqual([null]);
  for (let third = 0; third < 10; third += 1) {
    clock.advance(leaseMs / 3);
    expect(await leases.holders(['turn:1', 'turn:2'])).toEqual(['me', 'me']);
  }
});

test('while nothing is held nothing is renewed and no timer runs; the next one that is held starts it again', async () => {
  const { clock, leases, hold, drop } = start();
  hold('turn:1');
  drop('turn:1');
  clock.advance(leaseMs / 3);
  expect(clock.pendingTimers).toBe(0);
  hold('turn:2');
  hold('turn:3');
  expect(clock.pendingTimers).toBe(1);
  clock.advance(leaseMs);
  expect(await leases.holders(['turn:1', 'turn:2', 'turn:3'])).toEqual([null, 'me', 'me']);
});

test('closed, it renews nothing; what is held can still be released', async () => {
  const { clock, leases, held: owned, hold, drop } = start();
  hold('turn:1');
  owned.close();
  hold('turn:2');
  expect(clock.pendingTimers).toBe(0);
  drop('turn:1');
  expect(await leases.holders(['turn:1', 'turn:2'])).toEqual([null, 'me']);
  clock.advance(leaseMs);
  expect(await leases.holders(['turn:2'])).toEqual([null]);
});

test('a lease store that does not answer is logged with the name of the lease, and asked again', async () => {
  const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const { clock, leases, hold, drop } = start();
  const gone = () => Promise.reject(new StoreUnavailable('redis does not answer'));
  const broken = [
    jest.spyOn(leases, 'acquire').mockImplementation(gone),
    jest.spyOn(leases, 'renew').mockImplementation(gone),
    jest.spyOn(leases, 'release').mockImplementation(gone),
  ];
  hold('turn:1');
  hold('turn:2');
  clock.advance(leaseMs / 3);
  drop('turn:2');
  await Promise.resolve();
  expect(warned.mock.calls).toEqual([1, 2, 1, 2, 2].map((turn) => [`turn:${turn}: redis does not answer`]));
  for (const call of broken) call.mockRestore();
  clock.advance(leaseMs / 3);
  expect(await leases.holders(['turn:1', 'turn:2'])).toEqual(['me', null]);
});
