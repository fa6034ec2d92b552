import { CheckpointConflict } from '@aos/kernel';
import { eventually, uniqueName } from '@aos/kernel/testing';
import { RedisConnection, RedisReadStore } from './index.js';
import { openClient, type RedisClient } from './redis-connection.js';
import { redisEngine, redisSettings } from './testing/engine.js';

const deadlineMs = 180_000;
/** Longer than a test: what is behind stays behind. */
const never = 3_600_000;
const waitMs = 2_500;
const at = (n: number) => String(n).padStart(20, '0');

describe('shards of a checkpoint that differ', () => {
  let store: RedisReadStore;
  let next: RedisReadStore;
  let follows: RedisReadStore;
  let operator: RedisClient;
  let projection: string;
  const place = { collection: uniqueName('things'), scope: [uniqueName('org_')] };
  const row = (key: string, revision: number) => ({ ...place, key, revision, doc: { key }, index: { tag: ['x'] } });
  const key = (shard: number) => `spec:{rm${shard}}:c:${projection}`;
  const places = async () =>
    (await Promise.all(Array.from({ length: 16 }, (_, n) => operator.get(key(n))))).map(Number);

  beforeAll(async () => {
    const open = (followMs?: number) => new RedisReadStore(new RedisConnection(redisSettings()), followMs);
    [store, next, follows] = [open(never), open(never), open(50)];
    operator = openClient(redisSettings(), 'operator');
    await eventually('the operator is connected', () => operator.status === 'ready');
  }, deadlineMs);
  beforeEach(() => {
    projection = uniqueName('p@');
  });
  afterAll(async () => {
    await Promise.all([store.close(), next.close(), follows.close()]);
    operator.disconnect();
  }, deadlineMs);

  test(
    'TP27: the next process begins at the lowest, and the process before is fenced from then on',
    async () => {
      await store.commit({ projection, from: null, to: at(5), rows: [] });
      await store.commit({ projection, from: at(5), to: at(9), rows: [row('a', 1)] });
      expect(await store.checkpoint(projection)).toBe(at(9));
      expect(await store.checkpoint(projection, place.scope)).toBe(at(9));
      expect(await next.take(projection)).toBe(at(5));
      await next.commit({ projection, from: at(5), to: at(10), rows: [row('a', 1), row('b', 1)] });
      await expect(store.commit({ projection, from: at(9), to: at(11), rows: [row('c', 1)] })).rejects.toBeInstanceOf(
        CheckpointConflict,
      );
      expect(await store.get(place.collection, place.scope, 'c')).toBeNull();
      await next.commit({ projection, from: at(10), to: at(12), rows: [] });
    },
    deadlineMs,
  );

  test(
    'TP27: a process that went on before the next one wrote is found by it',
    async () => {
      await store.commit({ projection, from: null, to: at(5), rows: [] });
      expect(await next.take(projection)).toBe(at(5));
      await store.commit({ projection, from: at(5), to: at(9), rows: [] });
      await expect(next.commit({ projection, from: at(5), to: at(8), rows: [] })).rejects.toBeInstanceOf(
        CheckpointConflict,
      );
      expect(await next.take(projection)).toBe(at(5));
      await next.commit({ projection, from: at(5), to: at(8), rows: [] });
      expect(await next.checkpoint(projection)).toBe(at(9));
    },
    deadlineMs,
  );

  test(
    'the others follow once, together, and are no loss while they are behind',
    async () => {
      await follows.commit({ projection, from: null, to: at(5), rows: [] });
      await follows.commit({ projection, from: at(5), to: at(9), rows: [row('b', 1)] });
      expect(await follows.lost([{ projection, at: at(9) }])).toEqual([]);
      await eventually('all are there', async () => (await places()).every((each) => each === 9));
      expect(await next.take(projection)).toBe(at(9));
    },
    deadlineMs,
  );

  test.each([
    ['emptied', null],
    ['put back', at(3)],
  ])(
    'TP27: one shard that was %s is found, and no commit moves over it',
    async (_how, left) => {
      await follows.commit({ projection, from: null, to: at(5), rows: [row('d', 1)] });
      if (left === null) await operator.del(key(9));
      else await operator.set(key(9), left);
      await follows.commit({ projection, from: at(5), to: at(6), rows: [] });
      await eventually(
        'the others have followed',
        async () => (await places()).filter((each) => each === 6).length === 15,
      );
      expect(await operator.get(key(9))).toBe(left);
      expect(await follows.lost([{ projection, at: at(6) }])).toMatchObject([{ projection, actual: left }]);
      expect(await follows.take(projection)).toBe(left);
      await follows.commit({ projection, from: left, to: at(4), rows: [] });
      expect(await follows.lost([{ projection, at: at(4) }])).toEqual([]);
      await follows.commit({ projection, from: at(4), to: at(6), rows: [row('d', 1)] });
      expect(await follows.checkpoint(projection)).toBe(at(6));
    },
    deadlineMs,
  );

  test(
    'TP27: a commit that broke off between shards is repeated from the lowest checkpoint',
    async () => {
      await store.commit({ projection, from: null, to: at(5), rows: [] });
      for (const shard of [0, 1, 2]) await operator.set(key(shard), at(9));
      expect(await next.take(projection)).toBe(at(5));
      await next.commit({ projection, from: at(5), to: at(8), rows: [row('e', 1)] });
      await next.commit({ projection, from: at(8), to: at(12), rows: [row('e', 2)] });
      expect(await next.checkpoint(projection)).toBe(at(12));
      expect(await store.get(place.collection, place.scope, 'e')).toMatchObject({ revision: 2 });
    },
    deadlineMs,
  );

  redisEngine.testIfOwn(
    'a commit whose answer was lost goes on when it is repeated',
    async () => {
      const waits = new RedisReadStore(new RedisConnection({ ...redisSettings(), commandTimeoutMs: waitMs }), never);
      await waits.commit({ projection, from: null, to: at(5), rows: [] });
      // longer than the answer is waited for, and not until the connection is given up, after three times as long
      await operator.call('CLIENT', 'PAUSE', String(2 * waitMs), 'WRITE');
      await expect(waits.commit({ projection, from: at(5), to: at(6), rows: [row('f', 1)] })).rejects.toMatchObject({
        name: 'StoreUnavailable',
      });
      await eventually('shard 0 was moved after all', async () => (await operator.get(key(0))) === at(6));
      await waits.commit({ projection, from: at(5), to: at(7), rows: [row('f', 1)] });
      expect(await waits.get(place.collection, place.scope, 'f')).toMatchObject({ revision: 1 });
      await waits.close();
    },
    deadlineMs,
  );
});
