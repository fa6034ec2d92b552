import { Logger } from '@nestjs/common';
import { MemoryEventStore, MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import {
  collectionOf,
  defineEvents,
  event,
  inOrganization,
  type AnyEvent,
  type EventDeclarations,
  type StreamKind,
} from '@aos/kernel';
import { CountingIds, ManualClock, eventually } from '@aos/kernel/testing';
import { WriterProjections, serviceActor, type StreamProjection } from '../index.js';
import { memoryDecisions } from '../testing/memory-decisions.js';
import { LossWatch } from './loss-watch.js';
import { MissedRows } from './own-projections.js';
import { PassingStreams } from './passing-streams.js';
import { Projector } from './projector.js';

Logger.overrideLogger(false);

const actor = serviceActor('org_1', 'service_1', 'req-1');
const leaseMs = 15_000;
interface Counter {
  count: number;
}

/** What a release knows of a stream, and the rows that it makes of it. */
function release(events: EventDeclarations) {
  const kind: StreamKind<Counter, AnyEvent> = {
    category: 'counter',
    events,
    stateVersion: 1,
    initial: () => ({ count: 0 }),
    evolve: ({ count }, { data }) => ({ count: count + (data as { by: number }).by }),
  };
  const counters: StreamProjection<Counter, AnyEvent> = {
    name: 'counters',
    version: 1,
    kind,
    rowKey: inOrganization,
    on: new Set(['Counted', 'Doubled']),
    rows: ({ state, id, revision }) => [
      {
        collection: collectionOf(counters),
        ...inOrganization({ id, orgId: 'org_1' }),
        revision,
        doc: { ...state },
        index: {},
      },
    ],
  };
  return { kind, counters };
}

const counted = event<{ by: number }>(1);
const before = release(defineEvents({ Counted: counted, Noted: counted }));
const later = {
  'another type': release(
    defineEvents({ Counted: counted, Noted: counted, Doubled: event<{ by: number }>(1, {}, { since: 'doubling' }) }),
  ),
  'a later version': release(
    defineEvents({ Counted: counted, Noted: event<{ by: number }>(2, { 1: (data) => data }) }),
  ),
};

/** Processes of two releases over one log, one read store and one lease. */
function fleet() {
  const [clock, ids] = [new ManualClock(), new CountingIds()];
  const store = new MemoryEventStore({ clock, soleWriter: false });
  const readStore = new MemoryReadStore();
  const leases = new MemoryLeases(clock);
  const watch = new LossWatch(readStore, clock);
  const process = ({ kind, counters }: ReturnType<typeof release>, owner: string) => {
    const writers = new WriterProjections(readStore);
    writers.register(counters);
    const decisions = memoryDecisions({ store, clock, ids });
    const missed = new MissedRows(counters, writers, new PassingStreams(decisions));
    const projector = new Projector(missed, store, readStore, leases, clock, watch, { leaseMs, owner });
    const write = (id: string, type: string, by: number) =>
      decisions.run(kind, id, actor, () => [{ type, data: { by } }]);
    return { projector, write };
  };
  const countOf = async (id: string) => (await readStore.get('counters@1', ['org_1'], id))?.doc.count ?? null;
  return { clock, store, readStore, process, countOf };
}

describe('projections of two releases over one log (VER8)', () => {
  it.each([
    ['another type', 'Doubled'],
    ['a later version', 'Noted'],
  ] as const)(
    'the older one stops at %s of the later one, which goes on from there: no row is lost',
    async (what, type) => {
      const { clock, store, readStore, process, countOf } = fleet();
      const [older, newer] = [process(before, 'older'), process(later[what], 'newer')];
      await older.write('a', 'Counted', 1);
      older.projector.start();
      await eventually('the row of before', async () => (await countOf('a')) === 1);
      const { position } = await newer.write('a', type, 10);
      await newer.write('b', 'Counted', 3);
      await eventually('the older one stopped', () => older.projector.state.failure !== null);
      const checkpoint = await readStore.checkpoint('counters@1');
      expect(checkpoint !== null && position !== null && checkpoint < position).toBe(true);
      expect([await countOf('a'), await countOf('b'), older.projector.state.caughtUp]).toEqual([1, null, false]);

      newer.projector.start();
      await eventually('the later one has the lease and all rows', async () => {
        clock.advance(1_000);
        return (await countOf('b')) === 3;
      });
      expect(await countOf('a')).toBe(what === 'another type' ? 11 : 1); // no row hangs on a note
      await Promise.all([older.projector.close(), newer.projector.close()]);
      await store.close();
    },
  );
});
