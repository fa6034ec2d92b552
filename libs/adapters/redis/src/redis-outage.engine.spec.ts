import { StoreUnavailable, type Json } from '@aos/kernel';
import { eventually, uniqueName } from '@aos/kernel/testing';
import { Redis } from 'ioredis';
import { RedisConnection, RedisLeases, RedisLiveBus, RedisReadStore, RedisSnapshots } from './index.js';
import { redisEngine, redisSettings } from './testing/engine.js';

const deadlineMs = 180_000;
/** Two seconds by the settings, and a slow machine's time; a server that says nothing does so for longer. */
const answerMaxMs = 6_000;
const silentMs = 12_000;
const at = (n: number) => String(n).padStart(20, '0');

describe('Redis comes and goes', () => {
  let connection: RedisConnection;
  let store: RedisReadStore;
  let snapshots: RedisSnapshots;
  let leases: RedisLeases;
  let bus: RedisLiveBus;
  let operator: Redis;
  const place = { collection: uniqueName('things'), scope: [uniqueName('org_')] };
  const row = (key: string, revision: number) => ({ ...place, key, revision, doc: { key }, index: { tag: ['x'] } });

  beforeAll(async () => {
    connection = new RedisConnection(redisSettings());
    [store, snapshots, leases, bus] = [
      new RedisReadStore(connection),
      new RedisSnapshots(connection),
      new RedisLeases(connection),
      new RedisLiveBus(redisSettings()),
    ];
    operator = new Redis(redisSettings().url);
    operator.on('error', () => undefined); // outages are what this suite makes
    await eventually('the bus is healthy', () => bus.healthy);
  }, deadlineMs);
  afterAll(async () => {
    await Promise.all([store.close(), snapshots.close(), leases.close(), bus.close()]);
    operator.disconnect();
  }, deadlineMs);

  const calls = (): Record<string, () => Promise<unknown>> => ({
    put: () => store.put([row('late', 1)]),
    get: () => store.get(place.collection, place.scope, 'a'),
    query: () => store.query({ ...place, where: [{ index: 'tag', has: 'x' }], limit: 5 }),
    count: () => store.count(place, 5),
    checkpoint: () => store.checkpoint('p@1'),
    commit: () => store.commit({ projection: 'p@1', from: null, to: at(1), rows: [] }),
    drop: () => store.drop('nothing', 'nothing@1'),
    snapshot: () => snapshots.get('k'),
    putSnapshot: () => snapshots.put('k', 1, 's'),
    acquire: () => leases.acquire('t', 'a', 1_000),
    renew: () => leases.renew('t', 'a', 1_000),
    release: () => leases.release('t', 'a'),
    holders: () => leases.holders(['t', 'u']),
    setPreview: () => bus.setPreview('k', 'f', 'v', 1_000),
    preview: () => bus.preview('k'),
  });

  async function everyCallIsRefusedInTime(): Promise<void> {
    await Promise.all(
      Object.entries(calls()).map(async ([name, call]) => {
        const started = performance.now();
        const outcome = await call().then(
          () => 'answered',
          (error: unknown) => error,
        );
        expect([name, outcome]).toEqual([name, expect.any(StoreUnavailable)]);
        expect(performance.now() - started).toBeLessThan(answerMaxMs);
      }),
    );
  }

  redisEngine.testIfOwn(
    'while it is down every call is refused in time; then all heals, and what was stored is there',
    async () => {
      const projection = uniqueName('p@');
      await store.commit({ projection, from: null, to: at(7), rows: [row('a', 1)] });
      await snapshots.put(projection, 3, 'state');
      const health: boolean[] = [];
      bus.onHealth((healthy) => {
        health.push(healthy);
      });
      const heard: Json[] = [];
      const subscription = bus.subscribe('news', (message) => {
        heard.push(message);
      });
      await subscription.ready;

      await redisEngine.control('halt');
      await eventually('the bus tells that it broke', () => health.at(-1) === false);
      await everyCallIsRefusedInTime();
      for (let n = 0; n < 5_000; n += 1) bus.publish('news', 'lost');
      await bus.deliver('news', 'lost');
      expect(bus.healthy).toBe(false);

      await redisEngine.control('resume');
      await eventually('the bus tells that it is whole', () => health.at(-1) === true);
      bus.publish('news', 'after');
      await eventually('the subscription stands again', () => heard.includes('after'));
      expect(heard).toEqual(['after']);
      expect(await eventually('the checkpoint', () => store.checkpoint(projection).catch(() => null))).toBe(at(7));
      expect(await store.get(place.collection, place.scope, 'a')).toEqual({ revision: 1, doc: { key: 'a' } });
      expect(await snapshots.get(projection)).toEqual({ revision: 3, state: 'state' });
      await store.commit({ projection, from: at(7), to: at(8), rows: [row('b', 1)] });
      subscription.close();
    },
    deadlineMs,
  );

  redisEngine.testIfOwn(
    'a server that takes commands and does not answer counts as down, and is found again',
    async () => {
      await operator.call('CLIENT', 'PAUSE', String(silentMs), 'ALL');
      const started = performance.now();
      await Promise.all([
        everyCallIsRefusedInTime(),
        bus.deliver('news', 'waits for an answer, and not for ever').then(() => {
          expect(performance.now() - started).toBeGreaterThan(100);
          expect(performance.now() - started).toBeLessThan(answerMaxMs);
        }),
      ]);
      await eventually('calls are answered again', () =>
        store.checkpoint('p@1').then(
          () => true,
          () => false,
        ),
      );
      await eventually('the bus is healthy', () => bus.healthy);
    },
    deadlineMs,
  );

  redisEngine.testIfOwn(
    'an emptied store is told apart from an old one; scripts, leases and rows go on',
    async () => {
      const projection = uniqueName('p@');
      await store.commit({ projection, from: null, to: at(5), rows: [row('c', 5)] });
      await leases.acquire('turn', 'me', 60_000);
      await operator.flushall();
      await operator.script('FLUSH');
      expect(await store.checkpoint(projection)).toBeNull();
      await expect(store.commit({ projection, from: at(5), to: at(6), rows: [] })).rejects.toMatchObject({
        name: 'CheckpointConflict',
        actual: null,
      });
      expect(await leases.holders(['turn'])).toEqual([null]);
      expect(await leases.renew('turn', 'me', 60_000)).toBe(true);
      await store.commit({ projection, from: null, to: at(5), rows: [row('c', 5)] });
      expect(await store.count(place, 10)).toBe(1);
    },
    deadlineMs,
  );

  redisEngine.testIfOwn(
    'has another life after each break, and the same as long as its server lives',
    async () => {
      const projection = uniqueName('p@');
      const answered = () =>
        eventually('an answer', () =>
          store.checkpoint(projection).then(
            () => true,
            () => false,
          ),
        );
      const { incarnation } = store;
      await store.put([row('f', 1)]);
      await store.commit({ projection, from: null, to: at(1), rows: [] });
      expect(store.incarnation).toBe(incarnation);
      await redisEngine.control('restart');
      await answered();
      const after = store.incarnation;
      expect(after).not.toBe(incarnation);
      await operator.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await eventually('the break is seen', () => store.incarnation !== after);
      await answered();
    },
    deadlineMs,
  );

  redisEngine.testIfOwn(
    'a restart between calls costs at most refused calls',
    async () => {
      const key = uniqueName('k');
      const written: number[] = [];
      const restarted = redisEngine.control('restart').then(() => true);
      let done = false;
      void restarted.then(() => {
        done = true;
      });
      for (let n = 1; !done || written.length < 20; n += 1) {
        const stored = await store.put([row(key, n)]).then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(StoreUnavailable);
            return false;
          },
        );
        if (stored) written.push(n);
        else
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
      }
      const last = await eventually('Redis answers again', () =>
        store.get(place.collection, place.scope, key).catch((error: unknown) => {
          expect(error).toBeInstanceOf(StoreUnavailable);
          return null;
        }),
      );
      expect(last?.revision).toBeGreaterThanOrEqual(written.at(-1) ?? 0);
    },
    deadlineMs,
  );
});
