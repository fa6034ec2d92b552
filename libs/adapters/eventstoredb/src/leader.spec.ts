import { StoreRefused, StoreUnavailable } from '@aos/kernel';
import { eventually, freePort } from '@aos/kernel/testing';
import { EventStoreDbEventStore } from './event-store.js';
import { ProtocolServer } from '@aos/eventstore-twin';
import { givingUp, happened, quick } from './testing/served-store.js';

/** A leader, and a node that holds nothing of what the leader has. */
async function twoNodes() {
  const [leader, follower] = [new ProtocolServer({ folder: null }), new ProtocolServer({ folder: null })];
  await leader.listen();
  await follower.listen();
  return {
    leader,
    follower,
    close: () => {
      leader.close();
      follower.close();
    },
  };
}

test('a store is reached by any one of several hosts, whatever the URL says about nodes and times', async () => {
  const leader = new ProtocolServer({ folder: null });
  await leader.listen();
  const unusedPort = await freePort();
  const url = `esdb://127.0.0.1:${unusedPort},127.0.0.1:${leader.port}?tls=false&nodePreference=follower&keepAliveInterval=20000`;
  const store = new EventStoreDbEventStore({ url, ...quick });
  await store.append('thing-1', 'none', [happened(1)]);
  expect(await store.heads(['thing-1'])).toEqual([0]);
  await store.close();
  leader.close();
});

test('reads and subscriptions are answered by the leader: a node that is none sends them there', async () => {
  const { leader, follower, close } = await twoNodes();
  const writer = new EventStoreDbEventStore({ url: leader.url, ...quick });
  await writer.append('thing-1', 'none', [happened(1), happened(2)]);
  await writer.close();
  follower.faults.leaderPort = leader.port;
  const store = new EventStoreDbEventStore({ url: follower.url, ...quick });
  expect((await store.read('thing-1', { limit: 10 })).map(({ revision }) => revision)).toEqual([0, 1]);
  expect(await store.heads(['thing-1'])).toEqual([1]);
  expect(await store.end()).not.toBe('');
  const seen: number[] = [];
  const subscription = store.subscribe({ name: 'leader', prefixes: ['thing-'], from: 'start' }, async (events) => {
    seen.push(...events.map(({ revision }) => revision));
  });
  await eventually('the events of the leader', () => seen.length === 2);
  await subscription.close();
  await store.close();
  close();
});

test('a leader that has become a follower is left for the new one', async () => {
  const { leader: old, follower: young, close } = await twoNodes();
  const store = new EventStoreDbEventStore({ url: old.url, ...quick });
  expect(await store.heads(['thing-1'])).toEqual(['none']);
  const seen: number[] = [];
  const subscription = store.subscribe({ name: 'change', prefixes: ['thing-'], from: 'start' }, async (events) => {
    seen.push(...events.map(({ revision }) => revision));
  });
  await eventually('the subscription runs', () => old.subscriptionCount === 1);
  old.faults.leaderPort = young.port;
  old.dropSubscriptions();
  await eventually("the subscription is the new leader's", () => young.subscriptionCount === 1);
  expect(await store.heads(['thing-1'])).toEqual(['none']);
  await subscription.close();
  await store.close();
  close();
});

test('a wrong account and a server that is away give different errors', async () => {
  const server = new ProtocolServer({ folder: null });
  const store = new EventStoreDbEventStore({ url: await server.listen(), ...quick });
  await store.check();
  server.faults.denied = true;
  await expect(store.check()).rejects.toBeInstanceOf(StoreRefused);
  await store.close();
  server.close();
  const alone = new EventStoreDbEventStore({ url: server.url, ...givingUp });
  await expect(alone.check()).rejects.toBeInstanceOf(StoreUnavailable);
  await alone.close();
});
