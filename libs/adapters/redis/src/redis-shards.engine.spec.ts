import { CheckpointConflict } from '@aos/kernel';
import { eventually, uniqueName } from '@aos/kernel/testing';
import { RedisConnection, RedisReadStore } from './index.js';
import { openClient, type RedisClient } from './redis-connection.js';
import { redisSettings } from './testing/engine.js';

const deadlineMs = 60_000;
const at = (n: number) => String(n).padStart(20, '0');

describe('shards of a checkpoint that differ', () => {
  let store: RedisReadStore;
  let operator: RedisClient;
  const place = { collection: uniqueName('things'), scope: [uniqueName('org_')] };
  const row = (key: string, revision: number) => ({ ...place, key, revision, doc: { key }, index: { tag: ['x'] } });

  beforeAll(async () => {
    store = new RedisReadStore(new RedisConnection(redisSettings()));
    operator = openClient(redisSettings(), 'operator');
    await eventually('the operator is connected', () => operator.status === 'ready');
  }, deadlineMs);
  afterAll(async () => {
    await store.close();
    operator.disconnect();
  }, deadlineMs);

  test(
    'one lost shard makes the checkpoint missing, and reading again from the start fills it',
    async () => {
      const projection = uniqueName('p@');
      await store.commit({ projection, from: null, to: at(5), rows: [row('d', 1)] });
      await operator.del(`spec:{rm9}:c:${projection}`);
      expect(await store.checkpoint(projection)).toBeNull();
      await expect(store.commit({ projection, from: at(5), to: at(6), rows: [] })).rejects.toBeInstanceOf(
        CheckpointConflict,
      );
      await store.commit({ projection, from: null, to: at(2), rows: [] });
      expect(await store.checkpoint(projection)).toBe(at(2));
      await store.commit({ projection, from: at(2), to: at(6), rows: [row('d', 1)] });
      expect(await store.checkpoint(projection)).toBe(at(6));
    },
    deadlineMs,
  );

  test(
    'a commit that broke off between shards is repeated from the lowest checkpoint',
    async () => {
      const projection = uniqueName('p@');
      await store.commit({ projection, from: null, to: at(5), rows: [] });
      for (const shard of [0, 1, 2]) await operator.set(`spec:{rm${shard}}:c:${projection}`, at(9));
      expect(await store.checkpoint(projection)).toBe(at(5));
      await store.commit({ projection, from: at(5), to: at(8), rows: [row('e', 1)] });
      expect(await store.checkpoint(projection)).toBe(at(8));
      await store.commit({ projection, from: at(8), to: at(12), rows: [row('e', 2)] });
      expect(await store.checkpoint(projection)).toBe(at(12));
      expect(await store.get(place.collection, place.scope, 'e')).toMatchObject({ revision: 2 });
    },
    deadlineMs,
  );
});
