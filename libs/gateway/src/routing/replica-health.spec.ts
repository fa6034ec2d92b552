import { ManualClock } from '@aos/kernel/testing';
import { ReplicaHealth } from './replica-health.js';

const minuteMs = 60_000;
let clock: ManualClock;
let asked: string[];
let refusing: Set<string>;

beforeEach(() => {
  clock = new ManualClock();
  asked = [];
  refusing = new Set();
});

function health(addresses: string[]): ReplicaHealth {
  const ask = async (address: string) => {
    asked.push(address);
    if (refusing.has(address)) throw new Error('not ready');
  };
  return new ReplicaHealth(addresses, ask, clock);
}

/** Time passes second by second, and what is asked answers. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) {
    clock.advance(1_000);
    await new Promise(setImmediate);
  }
}

const times = (address: string) => asked.filter((each) => each === address).length;

it('TP38: asks replicas that no call goes to every five seconds, those that none ever went to twice a minute', async () => {
  const asking = health(['a', 'b', 'c']);
  asking.use(['b']);
  await seconds(90);
  asked = [];
  await seconds(60);
  expect([times('a'), times('b'), times('c')]).toEqual([2, 12, 2]);
  expect(clock.pendingTimers).toBe(1);
  asking.close();
  expect(clock.pendingTimers).toBe(0);
});

it('asks a replica that calls go to once a second, until a minute after the last', async () => {
  const asking = health(['a', 'b']);
  await seconds(2);
  asking.use(['a']);
  await seconds(30);
  expect(times('a')).toBeGreaterThanOrEqual(30);
  expect(times('b')).toBe(1);
  await seconds(minuteMs / 1_000);
  asked = [];
  await seconds(60);
  expect(times('a')).toBe(12);
  asking.close();
});

it('asks at once when a call chooses among replicas that were asked a while ago, or never', async () => {
  const asking = health(['a']);
  await seconds(8);
  expect(times('a')).toBe(0);
  refusing.add('a');
  asking.use(['a']);
  clock.advance(0);
  await new Promise(setImmediate);
  expect(asking.isUnwell('a')).toBe(true);
  refusing.clear();
  await seconds(1);
  expect(asking.isUnwell('a')).toBe(false);
  asking.close();
});

it('asks one that has not answered nothing more, and the others all the same', async () => {
  const answers: (() => void)[] = [];
  const asking = new ReplicaHealth(
    ['silent', 'awake'],
    (address) => {
      asked.push(address);
      return address === 'awake' ? Promise.resolve() : new Promise((resolve) => answers.push(resolve));
    },
    clock,
  );
  await seconds(120);
  expect([times('silent'), times('awake')]).toEqual([1, 4]);
  answers[0]?.();
  await seconds(30);
  expect(times('silent')).toBe(2);
  asking.close();
});

it('waits for nothing without replicas', () => {
  health([]);
  expect(clock.pendingTimers).toBe(0);
});

it('asks those that came instead of those that went, which it forgets', async () => {
  refusing.add('a');
  const asking = health(['a', 'b']);
  await seconds(31);
  expect(asking.isUnwell('a')).toBe(true);
  asking.replace(['b', 'c']);
  asked = [];
  await seconds(31);
  expect([times('a'), times('c') > 0, asking.isUnwell('a')]).toEqual([0, true, false]);
  asking.close();
});
