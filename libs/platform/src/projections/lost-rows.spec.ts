import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import { SqliteEventStore } from '@aos/adapters/sqlite';
import { CountingIds, ManualClock, eventually } from '@aos/kernel/testing';
import { defineEvents, event, type EventOf, type StreamKind, collectionOf } from '@aos/kernel';
import { WriterProjections, serviceActor, type StreamProjection } from '../index.js';
import { memoryDecisions } from '../testing/memory-decisions.js';
import { LossWatch } from './loss-watch.js';
import { MissedRows } from './own-projections.js';
import { PassingStreams } from './passing-streams.js';
import { Projector } from './projector.js';

const events = defineEvents({ Counted: event<{ by: number }>(1) });
type Counted = EventOf<typeof events>;
const kind: StreamKind<{ count: number }, Counted> = {
  category: 'counter',
  events,
  stateVersion: 1,
  initial: () => ({ count: 0 }),
  evolve: (state, { data }) => ({ count: state.count + data.by }),
};
const counters: StreamProjection<{ count: number }, Counted> = {
  name: 'counters',
  version: 2,
  retired: ['counters@1'],
  kind,
  rows: ({ state, id, revision }) => [
    { collection: collectionOf(counters), scope: ['org_1'], key: id, revision, doc: { count: state.count }, index: {} },
  ],
};

const folder = mkdtempSync(join(tmpdir(), 'lost-rows-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function started(name: string, readStore = new MemoryReadStore()) {
  const clock = new ManualClock();
  const ids = new CountingIds();
  const store = await SqliteEventStore.open({ directory: join(folder, name.replaceAll(' ', '-')), clock });
  const writers = new WriterProjections(readStore);
  writers.register(counters);
  const decisions = memoryDecisions({ store, clock, ids, writers });
  const projector = new Projector(
    new MissedRows(counters as never, writers, new PassingStreams(decisions)),
    store,
    readStore,
    new MemoryLeases(clock),
    clock,
    new LossWatch(readStore, clock),
    { leaseMs: 15_000, owner: 'me' },
  );
  const count = (id: string) =>
    decisions.run(kind, id, serviceActor('org_1', 'service_1', 'req-1'), () => [{ type: 'Counted', data: { by: 1 } }]);
  const row = async (id: string) => (await readStore.get(collectionOf(counters), ['org_1'], id))?.doc ?? null;
  closings.push(
    () => projector.close(),
    () => store.close(),
  );
  projector.start();
  await eventually('the projector has caught up', () => projector.state.caughtUp);
  return { clock, store, readStore, projector, count, row };
}

describe('rows of an earlier version', () => {
  test('stay while those of this one are built, and go at the start that finds them', async () => {
    const readStore = new MemoryReadStore();
    const old = { collection: 'counters@1', scope: ['org_1'], key: 'a', revision: 0, doc: {}, index: {} };
    await readStore.commit({ projection: 'counters@1', from: null, to: '1', rows: [old] });
    const { count, clock, projector } = await started('beside', readStore);
    await eventually('the checkpoint of this version', async () => {
      clock.advance(1_000);
      await count('a');
      return (await readStore.checkpoint(projector.name)) !== null;
    });
    await projector.close();
    expect(await readStore.get('counters@1', ['org_1'], 'a')).not.toBeNull();
    const next = await started('beside again', readStore);
    await next.projector.close();
    expect(await readStore.get('counters@1', ['org_1'], 'a')).toBeNull();
    expect(await readStore.checkpoint('counters@1')).toBeNull();
  });
});

describe('a read store that lost everything', () => {
  test.each([
    ['while nothing happens', false],
    ['and is written to again', true],
  ])('has all rows again, %s', async (name, writesAfter) => {
    const { clock, readStore, projector, count, row } = await started(name);
    await count('a');
    await count('b');
    await readStore.drop(collectionOf(counters), projector.name);
    expect(await row('a')).toBeNull();
    if (writesAfter) await count('b');
    await eventually('the rows are back', async () => {
      clock.advance(1_000);
      return (await row('a')) !== null && (await row('b')) !== null && projector.state.caughtUp;
    });
    expect([await row('a'), await row('b')]).toEqual([{ count: 1 }, { count: writesAfter ? 2 : 1 }]);
    expect(projector.state.failure).toBeNull();
  });
});

describe('a read store that lost its last moments', () => {
  test('and no checkpoint has the rows again that the writer had put', async () => {
    const { clock, readStore, projector, count, row } = await started('last moments');
    await count('a');
    await count('b');
    await eventually('the projector knows', async () => {
      clock.advance(1_000);
      await count('b');
      return projector.state.position !== null;
    });
    const [a, b] = [await row('a'), await row('b')];
    readStore.save();
    await count('a');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    readStore.crash();
    expect([await row('a'), await row('b')]).toEqual([a, b]);
    await eventually('the row is there again', async () => {
      clock.advance(1_000);
      return (await row('a'))?.count === 2;
    });
    expect(projector.state).toMatchObject({ failure: null, caughtUp: true });
  });

  test('while events come in neither goes past what was lost, nor writes what is there', async () => {
    const { clock, store, readStore, projector, count, row } = await started('last moments under load');
    await count('a');
    await eventually('the projector knows', async () => {
      clock.advance(1_000);
      await count('b');
      return projector.state.position !== null;
    });
    readStore.save();
    await count('a');
    const end = await store.end();
    readStore.crash();
    clock.advance(900);
    for (let n = 0; n < 20; n += 1) {
      await count('c');
      clock.advance(100);
    }
    await eventually('both are there', async () => {
      clock.advance(1_000);
      return (await row('a'))?.count === 2 && (await row('c'))?.count === 20;
    });
    await eventually('it goes on', async () => {
      clock.advance(1_000);
      await count('b');
      return (projector.state.position ?? '') > end;
    });
  });
});

describe('a read store that came back with an older checkpoint', () => {
  const fellBack = async (name: string) => {
    const world = await started(name);
    const { clock, readStore, projector, count } = world;
    const known = async () => {
      const before = projector.state.position;
      await eventually('the projector knows', async () => {
        clock.advance(1_000);
        await count('b');
        return projector.state.position !== before;
      });
    };
    await known();
    readStore.save();
    await known();
    readStore.crash();
    return world;
  };

  test.each([
    ['while nothing happens', false],
    ['and is written to again', true],
  ])('serves no lists until it has caught up, %s', async (name, writesAfter) => {
    const { clock, readStore, projector, count, row } = await fellBack(`older ${name}`);
    if (writesAfter) await count('a');
    const { count: lost } = (await row('b')) ?? { count: 0 };
    await eventually('the loss is seen', () => {
      clock.advance(1_000);
      return !projector.state.caughtUp;
    });
    await eventually('it has caught up', () => {
      clock.advance(1_000);
      return projector.state.caughtUp;
    });
    expect((await row('b'))?.count).toBeGreaterThan(Number(lost));
    expect(readStore.incarnation).toBe(1);
  });
});

describe('a checkpoint that another projector moved on', () => {
  test('is no loss: lists go on being served, and the next commit goes on from there', async () => {
    const { clock, store, readStore, projector, count } = await started('moved on');
    clock.advance(1_000);
    await count('a');
    const end = await store.end();
    await eventually('its checkpoint is there', () => projector.state.position === end);
    const { position: higher } = await store.append('other-1', 'none', [
      { id: 'event-1', type: 'Other', data: {}, meta: {} },
    ]);
    await readStore.commit({ projection: projector.name, from: end, to: higher, rows: [] });
    for (let asked = 0; asked < 5; asked += 1) {
      clock.advance(1_000);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(projector.state.caughtUp).toBe(true);
    }
    await count('b');
    await eventually('it took up the moved checkpoint', async () => {
      clock.advance(1_000);
      await count('b');
      return (
        projector.state.caughtUp &&
        projector.state.position !== null &&
        projector.state.position === (await readStore.checkpoint(projector.name))
      );
    });
    expect(projector.state.failure).toBeNull();
  });
});
