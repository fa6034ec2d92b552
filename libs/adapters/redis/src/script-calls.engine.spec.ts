import type { ReadRow } from '@aos/kernel';
import { uniqueName } from '@aos/kernel/testing';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { RedisLeases, RedisReadStore } from './index.js';
import { CountedConnection } from './testing/counted-connection.js';
import { redisClusterSettings, redisSettings } from './testing/engine.js';

const deadlineMs = 180_000;
const scope = ['org_1'];

/** Commands that read or write rows and their indexes, those that scripts give themselves too. */
const ofRows = ['hmget', 'hset', 'sadd', 'zadd', 'zrem', 'persist'];

/** How often the server carried out each since the last call. */
async function carriedOut(server: Redis): Promise<Record<string, number>> {
  const info = await server.info('commandstats');
  await server.config('RESETSTAT');
  const calls = [...info.matchAll(/^cmdstat_(\w+):calls=(\d+)/gm)].map(([, name, count]) => [name, Number(count)]);
  return Object.fromEntries(calls.filter(([name]) => ofRows.includes(String(name)))) as Record<string, number>;
}

describe.each([
  ['Redis', redisSettings],
  ['Redis Cluster', redisClusterSettings],
])('what a script does on %s', (name, settings) => {
  let connection: CountedConnection;
  let store: RedisReadStore;
  let server: Redis;
  let collection: string;
  const row = (key: string, revision: number, index: ReadRow['index'] | null): ReadRow => ({
    collection,
    scope,
    key,
    revision,
    doc: index && { revision },
    index: index ?? {},
  });

  beforeAll(async () => {
    connection = new CountedConnection(settings());
    store = new RedisReadStore(connection);
    server = new Redis(settings().url.split(',')[0] ?? '');
    await connection.check();
    collection = uniqueName('things');
    await store.put([row('k', 1, {})]); // the script is known from now on
  });
  beforeEach(() => {
    collection = uniqueName('things');
  });
  afterAll(async () => {
    server.disconnect();
    await store.close();
  });

  test(
    'TP35: new rows of one scope name it and its indexes once, and write each index by one command, however many rows and values',
    async () => {
      await carriedOut(server);
      await store.put([row('a', 1, { at: 1, find: ['x', 'y', 'z'] }), row('b', 1, { at: 2, find: ['x'] })]);
      expect(await carriedOut(server)).toEqual({ hmget: 2, hset: 2, zadd: 3, sadd: 1 + 1 });
      await store.put([row('c', 1, { at: 3 }), row('d', 1, { at: 4, word: 'new' })]);
      expect(await carriedOut(server)).toEqual({ hmget: 2, hset: 2, zadd: 3, sadd: 1 + 2 });
      const where = [{ index: 'word', eq: 'new' }];
      expect((await store.query({ collection, scope, where, limit: 10 })).rows.map(({ key }) => key)).toEqual(['d']);
    },
    deadlineMs,
  );

  test(
    'TP35: a change writes only the entries of indexes that differ',
    async () => {
      await store.put([row('a', 1, { at: 1, status: 'open', agent: 'agt_1' })]);
      await carriedOut(server);
      await store.put([row('a', 2, { at: 1, status: 'ended', agent: 'agt_1' })]);
      expect(await carriedOut(server)).toEqual({ hmget: 1, hset: 1, zrem: 1, zadd: 1 });
      await store.put([row('a', 3, { at: 1, status: 'ended', agent: 'agt_1' })]);
      expect(await carriedOut(server)).toEqual({ hmget: 1, hset: 1 });
      await store.put([row('a', 4, { at: 1, status: 'ended', agent: 'agt_1', tags: ['t'] })]);
      expect(await carriedOut(server)).toEqual({ hmget: 1, hset: 1, zadd: 1, sadd: 1 });
    },
    deadlineMs,
  );

  test(
    'rows that changed at random are found by what they are now, and their collection leaves no key when it goes',
    async () => {
      const values = fc.record(
        { at: fc.nat(2), word: fc.constantFrom('a', 'ab', 'b'), tags: fc.subarray(['a', 'ab', 'b']) },
        { requiredKeys: [] },
      );
      const change = fc.record({ key: fc.constantFrom('k', 'l', 'm'), index: fc.option(values) });
      const asked = [
        ...[0, 1, 2].map((at) => ({ index: 'at', eq: at })),
        ...['a', 'ab', 'b'].map((word) => ({ index: 'word', eq: word })),
        ...['a', 'ab', 'b'].map((tag) => ({ index: 'tags', has: tag })),
      ];
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), fc.boolean(), async (changes, together) => {
          collection = uniqueName('things');
          const now = new Map<string, ReadRow['index'] | null>();
          const rows = changes.map(({ key, index }, n) => row(key, n + 1, index));
          for (const { key, index } of changes) now.set(key, index);
          if (together)
            await store.put(rows); // a row may change several times in one script
          else for (const each of rows) await store.put([each]);
          for (const condition of asked) {
            const { rows } = await store.query({ collection, scope, where: [condition], limit: 10 });
            const expected = [...now].filter(([, index]) => {
              const value = index?.[condition.index];
              return 'has' in condition
                ? Array.isArray(value) && value.includes(condition.has)
                : value === condition.eq;
            });
            expect(rows.map(({ key }) => key)).toEqual(expected.map(([key]) => key).sort());
          }
          await store.drop(collection, uniqueName('p@'));
          expect(await server.keys(`*${collection}*`)).toEqual([]);
        }),
        { numRuns: 60 },
      );
    },
    deadlineMs,
  );

  test(
    'TP35: rows of several organizations are put by one command, on a cluster by one for each shard',
    async () => {
      const rows = Array.from({ length: 40 }, (_, n) => ({ ...row('k', 1, {}), scope: [`org_${n}`] }));
      connection.sent();
      await store.put(rows);
      const sent = connection.sent();
      if (name === 'Redis') expect(sent).toEqual(['evalsha']);
      else expect(sent.length).toBeGreaterThan(1);
      expect(sent.length).toBeLessThanOrEqual(16);
      for (const { scope: own } of rows) expect(await store.get(collection, own, 'k')).toMatchObject({ revision: 1 });
    },
    deadlineMs,
  );

  test(
    'TP35: a page of a scope without rows only counts, by one command',
    async () => {
      connection.sent();
      const where = [{ index: 'part', eq: 'a' }];
      const orderBy = { index: 'weight', direction: 'desc' } as const;
      expect(await store.query({ collection, scope, where, orderBy, limit: 20 })).toEqual({ rows: [], next: null });
      expect(connection.sent()).toEqual(['evalsha']);
    },
    deadlineMs,
  );

  test(
    'TP35: a free lease is taken by one plain command, and one that is held by its owner is renewed',
    async () => {
      const leases = new RedisLeases(connection);
      const lease = uniqueName('turn');
      connection.sent();
      expect(await leases.acquire(lease, 'a', 60_000)).toBe(true);
      expect(await leases.acquire(lease, 'b', 60_000)).toBe(false);
      expect(connection.sent()).toEqual(['set', 'set']);
      expect(await leases.acquire(lease, 'a', 60_000)).toBe(true);
      expect(await leases.holders([lease])).toEqual(['a']);
      await leases.close();
    },
    deadlineMs,
  );
});
