import { Socket } from 'node:net';
import { eventually, uniqueName } from '@aos/kernel/testing';
import { Redis } from 'ioredis';
import { RedisLeases, RedisReadStore } from './index.js';
import { CountedConnection } from './testing/counted-connection.js';
import { redisClusterSettings, redisSettings } from './testing/engine.js';

const deadlineMs = 180_000;
/** Longer than a few commits take, also on a slow machine. */
const followMs = 5_000;
const longMs = 60_000;
const at = (n: number) => String(n).padStart(20, '0');

describe.each([
  ['Redis', redisSettings, 1, 1, 1, 1],
  ['Redis Cluster', redisClusterSettings, 16, 15, 15, 20],
])('commands sent to %s', (_name, settings, perLook, toFollow, perOccupied, perRenewals) => {
  let connection: CountedConnection;
  let store: RedisReadStore;
  let server: Redis;
  /** What the server carried out since the last call, inside of scripts too, of what looks for open work sends. */
  const carriedOut = async () => {
    const info = await server.info('commandstats');
    await server.config('RESETSTAT');
    const calls = [...info.matchAll(/^cmdstat_(evalsha|exists|z\w+):calls=(\d+)/gm)];
    return Object.fromEntries(calls.map(([, name, count]) => [String(name), Number(count)]));
  };

  beforeAll(() => {
    connection = new CountedConnection(settings());
    store = new RedisReadStore(connection, followMs);
    server = new Redis(settings().url.split(',')[0] ?? '');
  });
  afterAll(async () => {
    server.disconnect();
    await store.close();
  });

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
    'TP38: to ask which of 32 scopes have rows is one command, and one inside of it while none has; all rows of one by key two',
    async () => {
      const collection = uniqueName('open');
      const scopes = Array.from({ length: 32 }, (_, lane) => [`lane-${lane}`]);
      await store.put([{ collection, scope: ['warm'], key: 'k', revision: 1, doc: {}, index: {} }]);
      await store.query({ collection, scope: ['warm'], limit: 1 });
      await store.occupied(collection, scopes); // the scripts are known from now on
      await carriedOut();
      connection.sent();
      expect(await store.occupied(collection, scopes)).toEqual([]);
      expect(await carriedOut()).toEqual({ evalsha: perOccupied, exists: perOccupied });
      const place = { collection, scope: scopes[3]! };
      expect(await store.query({ ...place, limit: 500 })).toEqual({ rows: [], next: null });
      await store.put([{ ...place, key: 'k', revision: 1, doc: {}, index: {} }]);
      connection.sent();
      expect(await store.occupied(collection, scopes)).toEqual([scopes[3]]);
      expect((await store.query({ ...place, limit: 500 })).rows.map(({ key }) => key)).toEqual(['k']);
      expect(connection.sent()).toEqual([
        ...Array.from({ length: perOccupied }, () => 'evalsha'),
        'zrangebylex',
        'evalsha',
      ]);
    },
    deadlineMs,
  );

  test(
    'TP38: leases that are renewed within a hundredth of their time are renewed by one command, and looked up by one',
    async () => {
      const leases = new RedisLeases(connection);
      const names = Array.from({ length: 20 }, () => uniqueName('lease'));
      await Promise.all(names.map((name, n) => leases.acquire(name, n === 7 ? 'b' : 'a', longMs)));
      await leases.renew(names[0]!, 'a', longMs); // the script is known from now on
      connection.sent();
      const renewed = names.map((name) => leases.renew(name, 'a', longMs));
      expect(await Promise.all(renewed)).toEqual(names.map((_, n) => n !== 7));
      expect(connection.sent()).toEqual(Array.from({ length: perRenewals }, () => 'evalsha'));
      expect(await leases.holders(names)).toEqual(names.map((_, n) => (n === 7 ? 'b' : 'a')));
      expect(connection.sent()).toHaveLength(perRenewals);
      const [name] = names;
      const raced = [leases.renew(name!, 'a', longMs), leases.release(name!, 'a')]; // given up after it was renewed
      expect(await Promise.all(raced)).toEqual([true, undefined]);
      expect(await leases.holders([name!])).toEqual([null]);
      const late = [leases.renew(name!, 'a', longMs), leases.renew(name!, 'b', longMs)];
      await leases.close(); // what waits is sent before
      expect(await Promise.all(late)).toEqual([true, false]);
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
