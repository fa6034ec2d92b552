import { MemoryEventStore, MemoryLeases } from '@aos/adapters/memory';
import { RedisConnection, RedisReadStore } from '@aos/adapters/redis';
import { SystemClock } from '@aos/adapters/system';
import { defineEvents, event, collectionOf, type EventOf, type Position, type StreamKind } from '@aos/kernel';
import { SpecEngine, eventually, uniqueName } from '@aos/kernel/testing';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { WriterProjections, serviceActor, type Decisions, type StreamProjection } from '../index.js';
import { memoryDecisions } from '../testing/memory-decisions.js';
import { LossWatch } from './loss-watch.js';
import { MissedRows } from './own-projections.js';
import { PassingStreams } from './passing-streams.js';
import { Projector } from './projector.js';
import { Rebuild } from './rebuild.js';

Logger.overrideLogger(false);

const deadlineMs = 180_000;
const leaseMs = 300;
const engine = new SpecEngine('redis', 'SVC_REDIS_URL');
const clock = new SystemClock();
const actor = serviceActor('org_1', 'service_1', 'req-1');

const events = defineEvents({ Counted: event<{ by: number }>(1) });
type Counted = EventOf<typeof events>;
const kind: StreamKind<{ count: number }, Counted> = {
  category: 'counter',
  events,
  stateVersion: 1,
  initial: () => ({ count: 0 }),
  evolve: (state, { data }) => ({ count: state.count + data.by }),
};

/** The organization of a counter is the part of its id before the dot: `org_1` lies on shard 6, `org_2` on shard 8. */
const counters: StreamProjection<{ count: number }, Counted> = {
  name: 'counters',
  version: 1,
  kind,
  rowKey: ({ id }) => ({ scope: id.split('.').slice(0, 1), key: id }),
  rows: ({ state, id, revision }) => [
    {
      collection: collectionOf(counters),
      scope: id.split('.').slice(0, 1),
      key: id,
      revision,
      doc: { count: state.count },
      index: { count: state.count },
    },
  ],
};

/** A log and a Redis that several processes share, under a prefix of its own. */
class World {
  readonly store = new MemoryEventStore({ clock, soleWriter: false });
  readonly operator = new Redis(engine.address);
  private readonly prefix = uniqueName('shards');
  private readonly closings: (() => Promise<void>)[] = [];

  /** A process that writes, with rows or without. */
  private readonly writer: Decisions;

  constructor(writerPuts: boolean) {
    const writers = new WriterProjections(this.readStore());
    if (writerPuts) writers.register(counters);
    this.writer = memoryDecisions({ store: this.store, clock, writers });
  }

  readStore(): RedisReadStore {
    const opened = new RedisReadStore(new RedisConnection({ url: engine.address, prefix: this.prefix }));
    this.closings.push(() => opened.close());
    return opened;
  }

  /** A projector whose leases no other process sees. */
  async projector(): Promise<Projector> {
    const readStore = this.readStore();
    const writers = new WriterProjections(readStore);
    writers.register(counters);
    const decisions = memoryDecisions({ store: this.store, clock, writers });
    const projector = new Projector(
      new MissedRows(counters as never, writers, new PassingStreams(decisions)),
      this.store,
      readStore,
      new MemoryLeases(clock),
      clock,
      new LossWatch(readStore, clock),
      { leaseMs, owner: 'me' },
    );
    this.closings.unshift(() => projector.close());
    projector.start();
    await eventually('the projector has caught up', () => projector.state.caughtUp);
    return projector;
  }

  async count(...ids: string[]): Promise<void> {
    for (const id of ids) await this.writer.run(kind, id, actor, () => [{ type: 'Counted', data: { by: 1 } }]);
  }

  private keyOf(shard: number): string {
    return `${this.prefix}:{rm${shard}}:c:${collectionOf(counters)}`;
  }

  async positionOn(shard: number): Promise<Position | null> {
    return this.operator.get(this.keyOf(shard));
  }

  async moveShard0(to: Position): Promise<void> {
    await this.operator.set(this.keyOf(0), to);
  }

  keysOf(shard: number): Promise<string[]> {
    return this.operator.keys(`${this.prefix}:{rm${shard}}:*`);
  }

  /** What a shard holds, to be put back later. */
  async saved(shard: number): Promise<() => Promise<void>> {
    const kept = new Map<string, Buffer>();
    for (const key of await this.keysOf(shard)) kept.set(key, (await this.operator.dumpBuffer(key)) ?? Buffer.of());
    return async () => {
      const restored = this.operator.multi().del(...(await this.keysOf(shard)));
      for (const [key, value] of kept) restored.restore(key, 0, value);
      await restored.exec();
    };
  }

  /** Waits until every row is what the log says, and nothing is left over. */
  async rowsAreWhole(): Promise<void> {
    const readStore = this.readStore();
    const decisions = memoryDecisions({ store: this.store, clock });
    await eventually('every row is as a rebuild makes it', async () => {
      const [compared] = await new Rebuild({ store: this.store, readStore, decisions, clock }, [
        counters as never,
      ]).run();
      return compared?.matches === true;
    });
  }

  async close(): Promise<void> {
    for (const close of this.closings) await close();
    this.operator.disconnect();
    await this.store.close();
  }
}

describe.each([
  ['its rows', true],
  ['no row', false],
])('TP27: a projector over shards, beside a writer that puts %s', (_what, writerPuts) => {
  let world: World;
  beforeEach(() => {
    world = new World(writerPuts);
  });
  afterEach(() => world.close());

  test(
    'has every row again of a shard that was emptied',
    async () => {
      const projector = await world.projector();
      await world.count('org_1.a', 'org_1.b', 'org_2.a');
      await world.rowsAreWhole();
      await world.operator.del(...(await world.keysOf(6)));
      await world.count('org_2.a'); // a commit that does not touch it
      await world.rowsAreWhole();
      await eventually('its lists are served', () => projector.state.caughtUp);
      expect(projector.state.failure).toBeNull();
    },
    deadlineMs,
  );

  test(
    'has every row again of a shard that was put back to an earlier time',
    async () => {
      await world.projector();
      await world.count('org_1.a', 'org_1.b', 'org_2.a');
      await world.rowsAreWhole();
      const [before, putBack] = [await world.positionOn(6), await world.saved(6)];
      await world.count('org_1.a', 'org_1.c', 'org_2.a');
      await world.rowsAreWhole();
      await eventually('the shard has followed', async () => (await world.positionOn(6)) !== before);
      await putBack();
      await world.count('org_2.a');
      await world.rowsAreWhole();
    },
    deadlineMs,
  );

  test(
    'leaves no row out beside a second one that does not know of it',
    async () => {
      const both = [await world.projector(), await world.projector()];
      for (let n = 0; n < 30; n += 1) await world.count('org_1.a', `org_${n}.b`);
      await world.rowsAreWhole();
      expect(both.map(({ state }) => state.failure)).toEqual([null, null]);
    },
    deadlineMs,
  );

  test(
    'puts the rows of a commit that ended with its process after it was decided',
    async () => {
      const first = await world.projector();
      await world.count('org_1.a');
      await world.rowsAreWhole();
      await first.close();
      await world.count('org_1.a', 'org_2.a');
      await world.moveShard0(await world.store.end());
      await world.projector();
      await world.rowsAreWhole();
    },
    deadlineMs,
  );

  test(
    'has the shards that no commit touches follow',
    async () => {
      await world.projector();
      await world.count('org_1.a');
      const end = await world.store.end();
      await eventually('a shard without rows has followed', async () => (await world.positionOn(3)) === end);
    },
    deadlineMs,
  );
});
