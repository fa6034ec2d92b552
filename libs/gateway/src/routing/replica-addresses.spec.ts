import { ManualClock, eventually } from '@aos/kernel/testing';
import { ReplicaAddresses } from './replica-addresses.js';

const given = { s: ['dns+http://pods.test:8080'], t: ['http://a:1', 'http://b:1'] };
let clock: ManualClock;
let answer: () => Promise<string[]>;
let asked: string[];
let addresses: ReplicaAddresses;

beforeEach(() => {
  clock = new ManualClock();
  asked = [];
  addresses = new ReplicaAddresses(given, clock, (hostname) => {
    asked.push(hostname);
    return answer();
  });
});

afterEach(() => {
  addresses.close();
});

async function looked(times: number): Promise<void> {
  await eventually('the name was asked for', () => {
    clock.advance(1_000);
    return asked.length >= times;
  });
  await new Promise(setImmediate);
}

it('finds a replica at each address of a name, and says when they have changed', async () => {
  let changes = 0;
  addresses.onChange(() => (changes += 1));
  answer = async () => ['10.0.0.2', '10.0.0.1', 'fd00::7', '10.0.0.1'];
  expect(addresses.of('s')).toEqual(['http://pods.test:8080']);
  await looked(1);
  expect(addresses.of('s')).toEqual(['http://10.0.0.1:8080', 'http://10.0.0.2:8080', 'http://[fd00::7]:8080']);
  expect(addresses.of('t')).toEqual(['http://a:1', 'http://b:1']);
  expect(addresses.all).toHaveLength(5);
  const list = addresses.of('s');
  await looked(3);
  expect(addresses.of('s')).toBe(list);
  expect([changes, new Set(asked)]).toEqual([1, new Set(['pods.test'])]);
  answer = async () => ['10.0.0.9'];
  await looked(asked.length + 2);
  expect([addresses.of('s'), changes]).toEqual([['http://10.0.0.9:8080'], 2]);
});

it('keeps what it found while the name is not answered, or has no address', async () => {
  answer = async () => ['10.0.0.1'];
  await looked(1);
  answer = () => Promise.reject(new Error('ENOTFOUND'));
  await looked(asked.length + 2);
  answer = async () => [];
  await looked(asked.length + 2);
  expect(addresses.of('s')).toEqual(['http://10.0.0.1:8080']);
});

it('asks every five seconds, never twice at once, and not for URLs that need no name server', async () => {
  let end: () => void = () => undefined;
  answer = () => new Promise((resolve) => (end = () => resolve([])));
  clock.advance(0);
  for (let second = 0; second < 30; second += 1) clock.advance(1_000);
  expect(asked).toHaveLength(1);
  end();
  await eventually('it goes on', () => clock.pendingTimers === 1);
  answer = async () => [];
  await looked(2);
  addresses.close();
  await eventually('the timer is gone', () => clock.pendingTimers === 0);
  const plain = new ReplicaAddresses({ t: given.t }, clock, () => Promise.reject(new Error('unused')));
  expect(clock.pendingTimers).toBe(0);
  plain.close();
});
