import { Redis } from 'ioredis';
import { type Agent, Client, createAgent, eventually, unique } from '../harness/index.js';
import { expectWholeOnce, followed, listedSessions, slowScript, snapshotOf, startTurns } from './conversations.js';
import { crash, engine, engineBack } from './fleet.js';

const api = Client.owner();
const listsMs = 120_000;

/**
 * Runs turns with followers while something happens to an engine: everything acknowledged is there afterwards, in the
 * lists too.
 */
async function unharmedBy(trouble: () => Promise<void>): Promise<void> {
  const agent: Agent = await createAgent(api, { name: unique('fleet') });
  const turns = await startTurns(api, agent, 6, slowScript(2_000));
  const following = Promise.all(turns.map((turn) => followed(api, turn)));
  await trouble();
  const ends = await following;
  for (const [index, { transcript, ids }] of ends.entries()) {
    expect(new Set(ids).size).toBe(ids.length);
    expect(transcript.final()).toEqual((await snapshotOf(api, turns[index]?.session_id ?? '')).final());
  }
  await Promise.all(turns.map((turn) => expectWholeOnce(api, turn)));
  const expected = turns.map(({ session_id: id }) => id).sort();
  await eventually(
    'the list of sessions being whole',
    async () => (await listedSessions(api, agent.id)).join() === expected.join(),
    listsMs,
  );
  await eventually(
    'the list of agents being whole',
    async () => {
      const { items } = await api.get<{ items: Agent[] }>('/v1/agents', { name: agent.name });
      return items.some(({ id }) => id === agent.id);
    },
    listsMs,
  );
}

describe('74: what Redis and Kafka hold can be lost', () => {
  it('FLUSHALL in the middle of turns', () =>
    unharmedBy(async () => {
      const redis = new Redis(engine('redis').url, { lazyConnect: true });
      await redis.connect();
      for (let times = 0; times < 3; times += 1) await redis.flushall();
      redis.disconnect();
    }));

  it('Redis killed in the middle of turns, and back', () =>
    unharmedBy(async () => {
      await engineBack('redis', crash(engine('redis')));
    }));

  it('Kafka killed in the middle of turns, and back', () =>
    unharmedBy(async () => {
      await engineBack('kafka', crash(engine('kafka')));
    }));

  it('invariants 68, 75: the event store killed in the middle of turns, and back: what was acknowledged is there, and once', () =>
    unharmedBy(async () => {
      await engineBack('eventstore', crash(engine('eventstore')));
    }));

  it('a list that lost its rows is whole again although nothing new happens', async () => {
    const agent = await createAgent(api);
    const turns = await startTurns(api, agent, 3, 'hello');
    const expected = turns.map(({ session_id: id }) => id).sort();
    await eventually(
      'the list of sessions',
      async () => (await listedSessions(api, agent.id)).join() === expected.join(),
    );
    const redis = new Redis(engine('redis').url, { lazyConnect: true });
    await redis.connect();
    await redis.flushall();
    redis.disconnect();
    await eventually(
      'the list of sessions being whole',
      async () => (await listedSessions(api, agent.id)).join() === expected.join(),
      listsMs,
    );
  });
});
