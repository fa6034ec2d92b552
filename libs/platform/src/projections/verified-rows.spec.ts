import { MemoryEventStore, MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import {
  collectionOf,
  defineEvents,
  event,
  inOrganization,
  type EventOf,
  type ProjectedBatch,
  type ReadRow,
  type RowKey,
  type StreamKind,
} from '@aos/kernel';
import { CountingIds, ManualClock, eventually } from '@aos/kernel/testing';
import fc from 'fast-check';
import { WriterProjections, serviceActor, type StreamProjection } from '../index.js';
import { memoryDecisions } from '../testing/memory-decisions.js';
import { logStart } from './checkpoint.js';
import { LossWatch } from './loss-watch.js';
import { MissedRows } from './own-projections.js';
import { PassingStreams } from './passing-streams.js';
import { Projector } from './projector.js';
import { Rebuild } from './rebuild.js';

const actor = serviceActor('org_1', 'service_1', 'req-1');
const events = defineEvents({ Counted: event<{ by: number }>(1), Ended: event<{ by: number }>(1) });
type Counted = EventOf<typeof events>;
interface Counter {
  count: number;
  ended: boolean;
}
const kind: StreamKind<Counter, Counted> = {
  category: 'counter',
  events,
  stateVersion: 1,
  initial: () => ({ count: 0, ended: false }),
  evolve: ({ count, ended }, { type, data }) => ({ count: count + data.by, ended: ended || type === 'Ended' }),
};
const counters: StreamProjection<Counter, Counted> = {
  name: 'counters',
  version: 1,
  kind,
  rowKey: inOrganization,
  rows: ({ state: { count, ended }, id, revision }) => [
    {
      collection: collectionOf(counters),
      ...inOrganization({ id, orgId: 'org_1' }),
      revision,
      doc: ended ? null : { count },
      index: {},
    },
  ],
};

class CountedReadStore extends MemoryReadStore {
  readonly asked = { questions: [] as number[], committed: [] as ReadRow[] };

  override async revisions(collection: string, keys: readonly RowKey[]): Promise<(number | null)[]> {
    this.asked.questions.push(keys.length);
    return super.revisions(collection, keys);
  }

  override async commit(batch: ProjectedBatch): Promise<void> {
    this.asked.committed.push(...batch.rows);
    await super.commit(batch);
  }
}

/** A process that writes, and one that projects: neither knows what the other put. */
function processes() {
  const [clock, ids] = [new ManualClock(), new CountingIds()];
  const store = new MemoryEventStore({ clock, soleWriter: false });
  const readStore = new CountedReadStore();
  const registered = (into = readStore as MemoryReadStore) => {
    const writers = new WriterProjections(into);
    writers.register(counters);
    return writers;
  };
  const putting = memoryDecisions({ store, clock, ids, writers: registered() });
  const dying = memoryDecisions({ store, clock, ids });
  const append = (decisions: typeof putting, id: string, type: Counted['type'] = 'Counted') =>
    decisions.run(kind, id, actor, () => [{ type, data: { by: 1 } } as Counted]);
  const loads: string[] = [];
  const decisions = memoryDecisions({ store, clock });
  const states = new PassingStreams({
    load: (of, id) => {
      loads.push(id);
      return decisions.load(of, id);
    },
  });
  const missed = new MissedRows(counters as never, registered(), states);
  const limits = { leaseMs: 15_000, owner: 'me' };
  const watch = new LossWatch(readStore, clock);
  const projector = new Projector(missed, store, readStore, new MemoryLeases(clock), clock, watch, limits);
  const projected = async () => {
    projector.start();
    await eventually('the projector has caught up', () => projector.state.caughtUp);
  };
  const isWhole = async () => {
    const rebuild = new Rebuild({ store, readStore, decisions, clock }, [counters as never]);
    return (await rebuild.run()).every(({ matches }) => matches);
  };
  const close = async () => {
    await projector.close();
    await store.close();
  };
  return { clock, store, readStore, putting, dying, append, loads, projected, isWhole, close };
}

test('TP27: a projector that only verifies makes no load and no put, and asks once for a batch', async () => {
  const { store, readStore, putting, append, loads, projected, isWhole, close } = processes();
  const ids = ['a', 'b', 'c', 'd'];
  for (const id of ids) await append(putting, id);
  // the projector before was here: this one meets the streams in their middle
  await readStore.commit({ projection: collectionOf(counters), from: null, to: await store.end(), rows: [] });
  for (const type of ['Counted', 'Ended'] as const) for (const id of ids) await append(putting, id, type);
  await projected();
  expect({ loads, ...readStore.asked }).toEqual({ loads: [], committed: [], questions: [ids.length] });
  expect(await isWhole()).toBe(true);
  await close();
});

test('TP27: a projector puts the rows that are missing or older than their last event, and no others', async () => {
  const { readStore, putting, dying, append, projected, isWhole, close } = processes();
  for (const id of ['whole', 'older']) await append(putting, id);
  await append(dying, 'older');
  await append(dying, 'missing');
  // another projector has begun: this one does not build the rows
  await readStore.commit({ projection: collectionOf(counters), from: null, to: logStart, rows: [] });
  await projected();
  expect(readStore.asked.committed.map(({ key, revision }) => [key, revision])).toEqual([
    ['older', 1],
    ['missing', 0],
  ]);
  expect(await isWhole()).toBe(true);
  await close();
});

test('TP19: while rows are built from the start of the log the store is not asked for them', async () => {
  const { readStore, putting, dying, append, projected, isWhole, close } = processes();
  await append(putting, 'put');
  await append(dying, 'missing');
  await projected();
  expect(readStore.asked.questions).toEqual([]);
  expect(await isWhole()).toBe(true);
  await append(dying, 'missing');
  await eventually('the projector asks', () => readStore.asked.questions.length > 0);
  await eventually('the row is there', async () => isWhole());
  await close();
});

test('TP27: whatever rows writers put, those of the projector equal a rebuild', async () => {
  const step = fc.record({ id: fc.constantFrom('a', 'b', 'c'), puts: fc.boolean(), ends: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { putting, dying, append, projected, isWhole, close } = processes();
      for (const { id, puts, ends } of steps) await append(puts ? putting : dying, id, ends ? 'Ended' : 'Counted');
      await projected();
      expect(await isWhole()).toBe(true);
      await close();
    }),
    { numRuns: 60 },
  );
});
