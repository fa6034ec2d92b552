import { MemoryEventStore, MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import {
  collectionOf,
  defineEvents,
  event,
  inOrganization,
  type EventOf,
  type EventStore,
  type ProjectedBatch,
  type StreamKind,
} from '@aos/kernel';
import { CountingIds, ManualClock, whileTimePasses } from '@aos/kernel/testing';
import fc from 'fast-check';
import {
  OwnProjections,
  OwnStreams,
  Projectors,
  WriterProjections,
  serviceActor,
  type StreamProjection,
} from '../index.js';
import { memoryDecisions } from '../testing/memory-decisions.js';
import { passBatchMax } from './catch-up-pass.js';
import { Rebuild } from './rebuild.js';

const actor = serviceActor('org_1', 'service_1', 'req-1');
const events = defineEvents({ Counted: event<{ by: number }>(1), Ended: event<{ by: number }>(1) });
type Counted = EventOf<typeof events>;
type Kind = StreamKind<{ count: number }, Counted>;
type Projection = StreamProjection<{ count: number }, Counted>;

const kindOf = (category: string): Kind => ({
  category,
  events,
  stateVersion: 1,
  initial: () => ({ count: 0 }),
  evolve: ({ count }, { data }) => ({ count: count + data.by }),
});

/** Rows of the state, and rows of the events that end something. */
function projectionsOf(kind: Kind): Projection[] {
  const ofState: Projection = {
    name: kind.category,
    version: 1,
    kind,
    rowKey: inOrganization,
    rows: ({ state, id, revision }) => [
      { collection: `${kind.category}@1`, ...inOrganization({ id, orgId: 'org_1' }), revision, doc: state, index: {} },
    ],
  };
  const ofEvents: Projection = {
    name: `${kind.category}_ends`,
    version: 1,
    kind,
    on: new Set(['Ended']),
    rows: () => [],
    rowsOfEvent: ({ event: { data }, id, revision }) => [
      { collection: `${kind.category}_ends@1`, scope: [id], key: String(revision % 3), revision, doc: data, index: {} },
    ],
  };
  return [ofState, ofEvents];
}

const kinds = [kindOf('counter'), kindOf('meter')];
const projections = kinds.flatMap(projectionsOf);

class CountedReadStore extends MemoryReadStore {
  readonly commits: string[][] = [];

  override async commit(batch: ProjectedBatch): Promise<void> {
    this.commits.push(batch.rows.map(({ collection, scope, key }) => [collection, ...scope, key].join('/')));
    await super.commit(batch);
  }
}

function world() {
  const [clock, ids] = [new ManualClock(), new CountingIds()];
  const store = new MemoryEventStore({ clock, soleWriter: false });
  const readStore = new CountedReadStore();
  const registered = () => {
    const writers = new WriterProjections(readStore);
    for (const projection of projections) writers.register(projection);
    return writers;
  };
  const putting = memoryDecisions({ store, clock, ids, writers: registered() });
  const dying = memoryDecisions({ store, clock, ids });
  const append = (decisions: typeof putting, kind: Kind, id: string, type: Counted['type'] = 'Counted') =>
    decisions.run(kind, id, actor, () => [{ type, data: { by: 1 } } as Counted]);
  const reads = { ofStreams: 0, events: 0 };
  const log: Pick<EventStore, 'read' | 'subscribe'> = {
    read: (...asked) => {
      reads.ofStreams += 1;
      return store.read(...asked);
    },
    subscribe: (options, handler) =>
      store.subscribe(options, (given) => {
        reads.events += given.length;
        return handler(given);
      }),
  };
  /** A process that projects. */
  const projecting = () => {
    const counted = Object.assign(Object.create(store) as EventStore, log);
    const writers = registered();
    const decisions = memoryDecisions({ store: counted, clock });
    const projectors = new Projectors(
      new OwnProjections(writers, decisions, new OwnStreams()),
      counted,
      readStore,
      new MemoryLeases(clock),
      clock,
      ids,
      { leaseSeconds: 15 },
    );
    projectors.onApplicationBootstrap();
    return {
      close: () => projectors.onApplicationShutdown(),
      caughtUp: async () => {
        while (!projectors.caughtUp) await new Promise(setImmediate);
      },
    };
  };
  const isWhole = async () => {
    const decisions = memoryDecisions({ store, clock });
    const rebuild = new Rebuild({ store, readStore, decisions, clock }, projections as never);
    return (await whileTimePasses(clock, 100, rebuild.run())).every(({ matches }) => matches);
  };
  return { clock, store, readStore, putting, dying, append, reads, projecting, isWhole };
}

const streamsMany = 60;

test('TP19: a first build reads each event once for all projections, loads no stream, puts each row once a batch', async () => {
  const { store, clock, readStore, dying, append, reads, projecting, isWhole } = world();
  const count = 2 * passBatchMax;
  for (let n = 0; n < count; n += 1)
    await append(dying, kinds[n % 2]!, `s${n % streamsMany}`, n % 7 ? 'Counted' : 'Ended');
  const process = projecting();
  await whileTimePasses(clock, 1, process.caughtUp());
  expect(reads).toEqual({ ofStreams: 0, events: count });
  const batches = readStore.commits.filter((keys) => keys.length > 0);
  expect(batches.map((keys) => keys.length - new Set(keys).size)).toEqual(batches.map(() => 0));
  expect(batches).toHaveLength(2 * projections.length); // of each projection one for each batch of the log
  await process.close();
  expect(await isWhole()).toBe(true);
  await store.close();
});

test('TP19: rows are those of the log however often their building is broken off while writers are at work', async () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.nat(1), id: fc.nat(5), puts: fc.boolean(), ends: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant('process' as const) },
    { weight: 1, arbitrary: fc.constant('turns' as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const { store, clock, putting, dying, append, projecting, isWhole } = world();
      let process = projecting();
      for (const each of steps) {
        if (each === 'process') {
          await process.close();
          process = projecting();
        } else if (each === 'turns') for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
        else
          await append(each.puts ? putting : dying, kinds[each.kind]!, `s${each.id}`, each.ends ? 'Ended' : 'Counted');
      }
      await whileTimePasses(clock, 1, process.caughtUp());
      expect(await isWhole()).toBe(true);
      await process.close();
      await store.close();
    }),
    { numRuns: 60 },
  );
});

test('TP19: a projection that is new beside live ones is built the same way', async () => {
  const { store, clock, readStore, dying, append, reads, projecting, isWhole } = world();
  for (let n = 0; n < 300; n += 1)
    await append(dying, kinds[n % 2]!, `s${n % streamsMany}`, n % 7 ? 'Counted' : 'Ended');
  const before = projecting();
  await whileTimePasses(clock, 1, before.caughtUp());
  await before.close();
  await readStore.drop(collectionOf(projections[1]!), collectionOf(projections[1]!));
  Object.assign(reads, { ofStreams: 0, events: 0 });
  const process = projecting();
  await whileTimePasses(clock, 1, process.caughtUp());
  expect(reads).toEqual({ ofStreams: 0, events: 150 }); // of its own category
  expect(await isWhole()).toBe(true);
  await process.close();
  await store.close();
});
