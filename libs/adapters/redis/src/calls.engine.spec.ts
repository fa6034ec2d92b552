import { Socket } from 'node:net';
import { eventually, uniqueName } from '@aos/kernel/testing';
import { RedisReadStore } from './index.js';
import { CountedConnection } from './testing/counted-connection.js';
import { redisClusterSettings, redisSettings } from './testing/engine.js';

const deadlineMs = 60_000;
/** Longer than a few commits take. */
const followMs = 1_000;
const at = (n: number) => String(n).padStart(20, '0');

describe.each([
  ['Redis', redisSettings, 1, 1],
  ['Redis Cluster', redisClusterSettings, 16, 15],
])('commands sent to %s', (_name, settings, perLook, toFollow) => {
  let connection: CountedConnection;
  let store: RedisReadStore;

  beforeAll(() => {
    connection = new CountedConnection(settings());
    store = new RedisReadStore(connection, followMs);
  });
  afterAll(() => store.close());

  test(
    'TP38: a look for losses is one command for all projections, and each is judged by its own',
    async () => {
      const projections = Array.from({ length: 24 }, () => uniqueName('p@'));
      for (const projection of projections) await store.commit({ projection, from: null, to: at(5), rows: [] });
      connection.sent();
      const known = projections.map((projection, n) => ({ projection, at: at(n === 7 ? 6 : n === 8 ? 4 : 5) }));
      expect(await store.lost([...known, { projection: 'never@1', at: at(1) }])).toMatchObject([
        { projection: projections[7], actual: at(5) },
        { projection: 'never@1', actual: null },
      ]);
      expect(connection.sent()).toEqual(Array.from({ length: perLook }, () => 'mget'));
      expect(await store.lost([])).toEqual([]);
      expect(connection.sent()).toEqual([]);
    },
    deadlineMs,
  );

  test(
    'TP27: a commit of rows of one organization is 2 commands; the other shards follow once, for all projections',
    async () => {
      const projections = Array.from({ length: 3 }, () => uniqueName('p@'));
      const scope = ['org_1']; // not on shard 0
      const rows = ['a', 'b'].map((key) => ({ collection: 'things', scope, key, revision: 1, doc: {}, index: {} }));
      for (const projection of projections) await store.commit({ projection, from: null, to: at(5), rows });
      connection.sent();
      for (const projection of projections) await store.commit({ projection, from: at(5), to: at(6), rows });
      for (const projection of projections) await store.commit({ projection, from: at(6), to: at(7), rows: [] });
      expect(connection.sent()).toEqual(Array.from({ length: 3 * 2 + 3 }, () => 'evalsha'));
      const sent: string[] = [];
      await eventually('the others have followed', async () => {
        sent.push(...connection.sent());
        return (await store.checkpoint(projections[2]!, ['org_of_another_shard'])) === at(7);
      });
      expect(sent.filter((command) => command === 'evalsha')).toHaveLength(toFollow);
    },
    deadlineMs,
  );

  test(
    'TP27: to ask for the revisions of rows is one command for each shard that has some',
    async () => {
      const collection = uniqueName('things');
      const scope = ['org_1'];
      const keys = Array.from({ length: 40 }, (_, n) => ({ scope, key: `k${n}` }));
      await store.put([{ collection, ...keys[7]!, revision: 3, doc: {}, index: {} }]);
      await store.revisions(collection, keys); // the script is known from now on
      connection.sent();
      expect((await store.revisions(collection, keys)).filter((revision) => revision !== null)).toEqual([3]);
      expect(connection.sent()).toEqual(['evalsha']);
      await store.revisions(collection, [...keys, { scope: ['org_2'], key: 'k' }]);
      expect(connection.sent()).toEqual(['evalsha', 'evalsha']);
    },
    deadlineMs,
  );

  test(
    'TP38: to ask for timers that are due is one command while none is',
    async () => {
      const place = { collection: uniqueName('due'), scope: ['*'] };
      const row = (key: string, time: number) => ({ ...place, key, revision: 1, doc: {}, index: { at: time } });
      const due = (now: number) =>
        store.query({
          ...place,
          where: [{ index: 'at', lte: now }],
          orderBy: { index: 'at', direction: 'asc' },
          limit: 1,
        });
      await store.put([row('b', 200), row('a', 300), row('c', 400)]);
      connection.sent();
      expect(await due(199)).toEqual({ rows: [], next: null });
      expect(connection.sent()).toEqual(['zrangebylex']);
      expect(await due(300)).toMatchObject({ rows: [{ key: 'b' }], next: { value: 200, key: 'b' } });
    },
    deadlineMs,
  );

  test(
    'TP35: commands of one turn of the loop leave by one write for each node, and come back in order',
    async () => {
      const key = `{k}${uniqueName('k')}`;
      await connection.run((client) => client.del(key));
      const single = jest.spyOn(Socket.prototype, '_write');
      const several = jest.spyOn(Socket.prototype, '_writev' as '_write');
      try {
        const counted = Array.from({ length: 20 }, () => connection.run((client) => client.incr(key)));
        expect(await Promise.all(counted)).toEqual(counted.map((_, n) => n + 1));
        expect([single.mock.calls.length, several.mock.calls.length]).toEqual([0, 1]);
        await connection.run((client) => client.get(key));
        expect([single.mock.calls.length, several.mock.calls.length]).toEqual([1, 1]);
      } finally {
        single.mockRestore();
        several.mockRestore();
      }
    },
    deadlineMs,
  );
});
