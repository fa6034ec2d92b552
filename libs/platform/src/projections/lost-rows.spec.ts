import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryBlobs, MemoryLeases, MemoryLiveBus, MemoryReadStore, MemorySnapshots } from '@aos/adapters/memory';
import { SqliteEventStore } from '@aos/adapters/sqlite';
import { CountingIds, ManualClock, eventually } from '@aos/kernel/testing';
import { defineEvents, event, type EventOf, type StreamKind } from '@aos/kernel';
import { Decisions, Payloads, WriterProjections, collectionOf, serviceAct, type StreamProjection } from '../index.js';
import { Projector } from './projector.js';

const events = defineEvents({ Counted: event<{ by: number }>(1) });
type Counted = EventOf<typeof events>;
const kind: StreamKind<{ count: number }, Counted> = {
  category: 'counter', events, stateVersion: 1, initial: () => ({ count: 0 }), evolve: (state, { data }) => ({ count: state.count + data.by }),
};
const counters: StreamProjection<{ count: number }, Counted> = {
  name: 'counters', version: 1, kind,
  rows: ({ state, id, revision }) => [{ collection: collectionOf(counters), scope: ['org_1'], key: id, revision, doc: { count: state.count }, index: {} }],
};

const folder = mkdtempSync(join(tmpdir(), 'lost-rows-'));
afterAll(() => { rmSync(folder, { recursive: true }); });

describe('a read store that lost everything', () => {
  test.each([['while nothing happens', false], ['and is written to again', true]])('has all rows again, %s', async (name, writesAfter) => {
    const clock = new ManualClock();
    const ids = new CountingIds();
    const store = await SqliteEventStore.open({ directory: join(folder, name.replaceAll(' ', '-')), clock });
    const readStore = new MemoryReadStore();
    const writers = new WriterProjections(readStore);
    writers.register(counters);
    const bus = new MemoryLiveBus({ clock, onTrouble: (error) => { throw error; } });
    const decisions = new Decisions(store, new MemorySnapshots(), new Payloads(new MemoryBlobs()), bus, writers, clock, ids);
    const projector = new Projector(counters as never, store, readStore, decisions, writers, new MemoryLeases(clock), clock, { leaseMs: 15_000, owner: 'me' });
    const count = (id: string) => decisions.run(kind, id, serviceAct('org_1', 'service_1', 'req-1'), () => [{ type: 'Counted', data: { by: 1 } }]);
    const row = async (id: string) => (await readStore.get(collectionOf(counters), ['org_1'], id))?.doc ?? null;
    projector.start();
    await eventually('the projector has caught up', () => projector.state.caughtUp);
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
    await projector.close();
    await store.close();
  });
});
