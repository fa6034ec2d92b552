import { Logger } from '@nestjs/common';
import { MemoryEventStore, MemorySnapshots } from '@aos/adapters/memory';
import {
  GenerationalCache,
  Refusal,
  RevisionConflict,
  StoreUnavailable,
  defineEvents,
  event,
  type EventOf,
  type ReadOptions,
  type RecordedEvent,
  type StreamKind,
} from '@aos/kernel';
import { CountingIds, ManualClock, eventually, whileTimePasses } from '@aos/kernel/testing';
import { ReleaseWrites, serviceActor } from '../index.js';
import { memoryDecisions } from '../testing/memory-decisions.js';

const events = defineEvents({ Counted: event<{ by: number }>(1) });
type Counted = EventOf<typeof events>;
const kind: StreamKind<{ count: number }, Counted> = {
  category: 'counter',
  events,
  stateVersion: 1,
  initial: () => ({ count: 0 }),
  evolve: (state, { data }) => ({ count: state.count + data.by }),
};

const snapshotted = { ...kind, snapshotEvery: 1 };

class FullSnapshots extends MemorySnapshots {
  override put(): Promise<never> {
    return Promise.reject(new StoreUnavailable('no space left'));
  }
}

/** A log a network away: a millisecond there, a millisecond back. */
class DistantStore extends MemoryEventStore {
  constructor(private readonly distance: ManualClock) {
    const travel = () => distance.sleep(1);
    super({ clock: distance, soleWriter: false, faults: { beforeAppend: travel, afterAppend: travel } });
  }

  override async read(stream: string, options: ReadOptions): Promise<RecordedEvent[]> {
    await this.distance.sleep(1);
    const page = await super.read(stream, options);
    await this.distance.sleep(1);
    return page;
  }
}

function processOver(
  store: MemoryEventStore,
  clock: ManualClock,
  ids: CountingIds,
  { counter = kind, snapshots = new MemorySnapshots() } = {},
) {
  const decisions = memoryDecisions({ store, clock, ids, snapshots });
  let conflicts = 0;
  decisions.observe({
    recorded: () => undefined,
    conflicted: () => {
      conflicts += 1;
    },
  });
  return {
    count: () =>
      decisions.run(counter, 'hot', serviceActor('org_1', 'service_1', 'req-1'), () => [
        { type: 'Counted', data: { by: 1 } },
      ]),
    state: async () => (await decisions.load(counter, 'hot')).state,
    get conflicts() {
      return conflicts;
    },
  };
}

describe('writers of one stream', () => {
  it('in two processes are all served, however long the queue of the one that is ahead', async () => {
    const clock = new ManualClock();
    const store = new DistantStore(clock);
    const ids = new CountingIds();
    const [ahead, behind] = [processOver(store, clock, ids), processOver(store, clock, ids)];
    for (const process of [behind, ahead]) await whileTimePasses(clock, 1, process.count());
    const all = Promise.all([...Array.from({ length: 400 }, () => ahead.count()), behind.count(), behind.count()]);
    await whileTimePasses(clock, 1, all);
    expect(await whileTimePasses(clock, 1, behind.state())).toEqual({ count: 404 });
    expect(behind.conflicts).toBeGreaterThan(8);
  });

  it('that meet another write each time give up, and may be asked again', async () => {
    const clock = new ManualClock();
    const store = new MemoryEventStore({
      clock,
      faults: { beforeAppend: (stream) => Promise.reject(new RevisionConflict(stream, 0, 0)) },
    });
    const process = processOver(store, clock, new CountingIds());
    await expect(whileTimePasses(clock, 50, process.count())).rejects.toBeInstanceOf(StoreUnavailable);
    store.faults = {};
    await process.count();
    expect(await process.state()).toEqual({ count: 1 });
    expect(clock.monotonic()).toBeLessThan(5_000);
  });
});

describe('an append', () => {
  const caller = serviceActor('org_1', 'service_1', 'req-1');
  const runner = serviceActor('org_1', 'agent_1', 'turn_1', 'agent');
  const two: Counted[] = [1, 2].map((by) => ({ type: 'Counted', data: { by } }));

  it('may hold events of two actors, each with its own metadata', async () => {
    const clock = new ManualClock();
    const store = new MemoryEventStore({ clock });
    const decisions = memoryDecisions({ store, clock, ids: new CountingIds() });
    const append = jest.spyOn(store, 'append');
    await decisions.run(kind, 'hot', caller, () => two, { actorFor: ({ data }) => (data.by === 2 ? runner : caller) });
    expect(append).toHaveBeenCalledTimes(1);
    const written = await store.read('counter-hot', { from: 0, limit: 10 });
    expect(written.map(({ meta }) => [meta.principal_id, meta.principal_kind, meta.request_id])).toEqual([
      ['service_1', 'system', 'req-1'],
      ['agent_1', 'agent', 'turn_1'],
    ]);
    expect(written.map(({ meta }) => meta.correlation_id)).toEqual(['req-1', 'turn_1']);
  });
});

describe('a process that writes what the release before reads (VER7)', () => {
  const twoReleases = defineEvents({ ...events, Doubled: event<{ by: number }>(1, {}, { since: 'doubling' }) });
  const doubling: StreamKind<{ count: number }, EventOf<typeof twoReleases>> = { ...kind, events: twoReleases };
  const actor = serviceActor('org_1', 'service_1', 'req-1');

  function process() {
    const clock = new ManualClock();
    const store = new MemoryEventStore({ clock });
    const decisions = memoryDecisions({ store, clock });
    const write = (...types: ('Counted' | 'Doubled')[]) =>
      decisions.run(doubling, 'hot', actor, () => types.map((type) => ({ type, data: { by: 1 } })));
    return { store, decisions, write };
  }

  it('refuses an event of this release, with all that was decided beside it, and leaves nothing', async () => {
    const { store, decisions, write } = process();
    await write('Counted');
    decisions.writeAs('previous');
    await expect(write('Counted', 'Doubled')).rejects.toMatchObject({
      code: 'upgrade_pending',
      details: { feature: 'doubling' },
    });
    expect(await store.read('counter-hot', { from: 0, limit: 10 })).toHaveLength(1);
    expect(await decisions.load(doubling, 'hot')).toMatchObject({ state: { count: 1 }, revision: 0 });
  });

  it('writes everything else, and everything once it is current', async () => {
    const { store, decisions, write } = process();
    decisions.writeAs('previous');
    await write('Counted');
    decisions.writeAs('current');
    await write('Doubled');
    const written = await store.read('counter-hot', { from: 0, limit: 10 });
    expect(written.map(({ type }) => type)).toEqual(['Counted', 'Doubled']);
  });

  it('says so before a feature is begun', () => {
    const { decisions } = process();
    expect(() => {
      new ReleaseWrites(decisions, { writes: 'previous' }).requireFeature('doubling');
    }).toThrow(Refusal);
    new ReleaseWrites(decisions, { writes: 'current' }).requireFeature('doubling');
  });
});

describe('a load of at least a revision', () => {
  it('reads the stream only for a later one than is known', async () => {
    const clock = new ManualClock();
    const store = new MemoryEventStore({ clock, soleWriter: false });
    const actor = serviceActor('org_1', 'service_1', 'req-1');
    const [one, other] = [memoryDecisions({ store, clock }), memoryDecisions({ store, clock })];
    const count = (decisions: typeof one) =>
      decisions.run(kind, 'hot', actor, () => [{ type: 'Counted', data: { by: 1 } }]);
    await count(one);
    await count(other);
    const read = jest.spyOn(store, 'read');
    expect(await one.load(kind, 'hot', 0)).toMatchObject({ state: { count: 1 }, revision: 0 });
    expect(read).not.toHaveBeenCalled();
    expect(await one.load(kind, 'hot', 1)).toMatchObject({ state: { count: 2 }, revision: 1 });
    expect(await one.load(kind, 'hot')).toMatchObject({ revision: 1 });
    expect(read).toHaveBeenCalledTimes(2);
  });
});

describe('loads of one stream that come together', () => {
  /** A process, another one that writes, and the reads of the first. */
  function reading() {
    const clock = new ManualClock();
    const ids = new CountingIds();
    const store = new DistantStore(clock);
    const one = processOver(store, clock, ids);
    const other = processOver(store, clock, ids);
    return { clock, one, other, reads: jest.spyOn(store, 'read') };
  }

  it('share the read that begins after they asked: two reads for any number of them', async () => {
    const { clock, one, other, reads } = reading();
    await whileTimePasses(clock, 1, other.count());
    reads.mockClear();
    const loads = Promise.all(Array.from({ length: 20 }, () => one.state()));
    expect(await whileTimePasses(clock, 1, loads)).toEqual(Array.from({ length: 20 }, () => ({ count: 1 })));
    expect(reads).toHaveBeenCalledTimes(2);
  });

  it('see whatever was written before they asked, however they come', async () => {
    const { clock, one, other } = reading();
    let written = 0;
    const checks: Promise<void>[] = [];
    const check = async () => {
      const least = written;
      expect((await one.state()).count).toBeGreaterThanOrEqual(least);
    };
    const writes = (async () => {
      for (let n = 0; n < 30; n += 1) {
        await other.count();
        written += 1;
        for (let asked = 0; asked <= n % 4; asked += 1) checks.push(check());
      }
    })();
    await whileTimePasses(clock, 1, writes);
    await whileTimePasses(clock, 1, Promise.all(checks));
    expect(checks.length).toBeGreaterThan(60);
  });

  it('fail together when the log does not answer, and the next one reads again', async () => {
    const { clock, one, other, reads } = reading();
    await whileTimePasses(clock, 1, other.count());
    reads.mockClear();
    reads.mockImplementation(() => Promise.reject(new StoreUnavailable('away')));
    const loads = Array.from({ length: 5 }, () => one.state());
    const outcomes = await Promise.allSettled(loads);
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
    reads.mockRestore();
    expect(await whileTimePasses(clock, 1, one.state())).toEqual({ count: 1 });
  });
});

describe('TP45: what a process knows of a stream', () => {
  const actor = serviceActor('org_1', 'service_1', 'req-1');
  const counted: Counted = { type: 'Counted', data: { by: 1 } };

  it('is looked up once for a decision, and once for a load', async () => {
    const store = new MemoryEventStore({ clock: new ManualClock() });
    const decisions = memoryDecisions({ store, clock: new ManualClock() });
    const lookUps = (['get', 'set'] as const).map((name) => jest.spyOn(GenerationalCache.prototype, name));
    const taken = () => lookUps.map(({ mock }) => mock.calls.splice(0).length);
    await decisions.run(kind, 'hot', actor, () => [counted]);
    expect(taken()).toEqual([1, 1]);
    for (let n = 0; n < 10; n += 1) await decisions.run(kind, 'hot', actor, () => [counted]);
    expect(taken()).toEqual([10, 0]);
    await decisions.load(kind, 'hot');
    expect(taken()).toEqual([1, 0]);
    jest.restoreAllMocks();
  });

  it('stays while something is under way, however many other streams come', async () => {
    const clock = new ManualClock();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const beforeAppend = (stream: string) => (stream === 'counter-hot' ? gate : Promise.resolve());
    const store = new MemoryEventStore({ clock, faults: { beforeAppend } });
    const decisions = memoryDecisions({ store, clock });
    const conflicts: string[] = [];
    decisions.observe({ recorded: () => undefined, conflicted: (category) => conflicts.push(category) });
    const count = () => decisions.run(kind, 'hot', actor, () => [counted]);
    const first = count();
    for (let n = 0; n < 9000; n += 1) await decisions.load(kind, `other${n}`);
    const second = count();
    open();
    await Promise.all([first, second]);
    expect(conflicts).toEqual([]);
    expect(await decisions.load(kind, 'hot')).toMatchObject({ state: { count: 2 }, revision: 1 });
  });
});

describe('a snapshot that cannot be kept', () => {
  const warnings: unknown[] = [];
  beforeEach(() => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message) => {
      warnings.push(message);
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('fails no write and is logged with its stream', async () => {
    const clock = new ManualClock();
    const faulty = { counter: snapshotted, snapshots: new FullSnapshots() };
    const writer = processOver(new MemoryEventStore({ clock }), clock, new CountingIds(), faulty);
    await writer.count();
    await writer.count();
    expect(await writer.state()).toEqual({ count: 2 });
    await eventually('both are logged', () => warnings.length === 2);
    expect(new Set(warnings)).toEqual(new Set(['no snapshot of counter-hot: no space left']));
  });
});
