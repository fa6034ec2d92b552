import { MemoryEventStore, MemoryReadStore } from '@aos/adapters/memory';
import { SystemClock } from '@aos/adapters/system';
import {
  defineEvents,
  event,
  type EventOf,
  type RecordedEvent,
  type StreamKind,
  collectionOf,
  dueRow,
} from '@aos/kernel';
import {
  RoutedCommands,
  OwnProjections,
  OwnStreams,
  RebuildProjection,
  RebuildProjectionHandler,
  Rebuilds,
  VerifyProjections,
  VerifyProjectionsHandler,
  WriterProjections,
  operatorIdentity,
  serviceActor,
  type StreamProjection,
} from '../index.js';
import { memoryDecisions } from '../testing/memory-decisions.js';

const events = defineEvents({ Counted: event<{ by: number }>(1), Cleared: event<{ by: number }>(1) });
type Counted = EventOf<typeof events>;
const kind: StreamKind<{ count: number }, Counted> = {
  category: 'counter',
  events,
  stateVersion: 1,
  initial: () => ({ count: 0 }),
  evolve: (state, { type, data }) => ({ count: type === 'Cleared' ? 0 : state.count + data.by }),
};
const counters: StreamProjection<{ count: number }, Counted> = {
  name: 'counters',
  version: 1,
  kind,
  rows: ({ state, id, revision }) => [
    {
      collection: collectionOf(counters),
      scope: ['org_1'],
      key: id,
      revision,
      doc: state.count === 0 ? null : { count: state.count },
      index: {},
    },
  ],
};
const timers: StreamProjection<{ count: number }, Counted> = {
  name: 'counter_timers',
  version: 1,
  kind,
  on: new Set(['Counted']),
  rows: ({ state, id, revision }) => [
    dueRow({
      stream: `counter-${id}`,
      revision,
      name: 'ring',
      at: state.count >= 0 ? 5 : null,
      handler: 'ring',
      details: {},
    }),
  ],
};

async function counted() {
  const clock = new SystemClock();
  const store = new MemoryEventStore({ clock });
  const readStore = new MemoryReadStore();
  const writers = new WriterProjections(readStore);
  writers.register(counters);
  writers.register(timers);
  const decisions = memoryDecisions({ store, clock, writers });
  const rebuilds = new Rebuilds(
    store,
    readStore,
    decisions,
    new OwnProjections(writers, decisions, new OwnStreams()),
    clock,
  );
  const routed = new RoutedCommands();
  routed.register(VerifyProjections, () => new VerifyProjectionsHandler(rebuilds).execute());
  routed.register(RebuildProjection, (command) =>
    new RebuildProjectionHandler(rebuilds).execute(command as RebuildProjection),
  );
  const actor = serviceActor('org_1', 'service_1', 'req-1');
  for (const id of ['a', 'b', 'c', 'ä'])
    for (const by of [1, 2]) await decisions.run(kind, id, actor, () => [{ type: 'Counted', data: { by } } as const]);
  await decisions.run(kind, 'c', actor, () => [{ type: 'Cleared', data: { by: 0 } }]);
  return { store, readStore, rebuilds, routed, decisions, act: actor };
}

const put = (readStore: MemoryReadStore, key: string, doc: { count: number } | null) =>
  readStore.put([{ collection: 'counters@1', scope: ['org_1'], key, revision: 99, doc, index: {} }]);

describe('a rebuild beside the live rows', () => {
  it('gives the same hashes when the rows are what the log says, and leaves nothing behind', async () => {
    const { rebuilds, readStore } = await counted();
    const { state, matches, collections, events: read } = await rebuilds.verify();
    expect({ state, matches, read }).toEqual({ state: 'done', matches: true, read: 9 });
    expect(collections).toMatchObject([
      { collection: 'counters@1', rows: 3, matches: true },
      { collection: 'due@1', rows: 4, matches: true },
    ]);
    for await (const row of readStore.dump('counters@1~rebuild')) throw new Error(`${row.key} was left`);
  });

  it('TP19: reads the log once, for all projections, and no stream besides', async () => {
    const { store, rebuilds, readStore } = await counted();
    await readStore.commit({ projection: 'ordered@1', from: null, to: await store.end(), rows: [] });
    const taken: number[] = [];
    const of = async (batch: readonly RecordedEvent[]) => {
      taken.push(batch.length);
      return [];
    };
    rebuilds.register({ name: 'ordered@1', prefixes: ['counter-'], collections: ['ordered@1'], begin: () => ({ of }) });
    const given: number[] = [];
    const { subscribe } = MemoryEventStore.prototype;
    const read = jest.spyOn(store, 'read');
    jest.spyOn(store, 'subscribe').mockImplementation((options, handler) =>
      subscribe.call(store, options, (batch) => {
        given.push(batch.length);
        return handler(batch);
      }),
    );
    expect(await rebuilds.verify()).toMatchObject({ matches: true, events: 18 }); // of each of the two
    expect({ given, taken, reads: read.mock.calls.length }).toEqual({ given: [9], taken: [9], reads: 0 });
  });

  it('gives what could be checked when a part cannot, and says why', async () => {
    const { store, rebuilds, readStore } = await counted();
    await readStore.commit({ projection: 'ordered@1', from: null, to: await store.end(), rows: [] });
    const of = () => Promise.reject(new Error('cannot be told'));
    rebuilds.register({ name: 'ordered@1', prefixes: ['counter-'], collections: ['ordered@1'], begin: () => ({ of }) });
    const { state, error, matches, collections } = await rebuilds.verify();
    expect([state, error, matches]).toEqual(['failed', 'cannot be told', false]);
    expect(collections.map(({ collection }) => collection)).toContain('counters@1');
  });

  it('names rows that are missing, left over or different', async () => {
    const { rebuilds, readStore } = await counted();
    await put(readStore, 'a', { count: 4 });
    await put(readStore, 'b', null);
    await put(readStore, 'z', { count: 1 });
    const { matches, collections } = await rebuilds.verify();
    expect(matches).toBe(false);
    const [compared] = collections as unknown as { hash: string; rebuilt_hash: string; differences: unknown }[];
    expect(compared?.hash).not.toBe(compared?.rebuilt_hash);
    expect(compared?.differences).toEqual([
      expect.objectContaining({ key: 'a', what: 'different' }),
      expect.objectContaining({ key: 'b', what: 'missing' }),
      expect.objectContaining({ key: 'z', what: 'left over' }),
    ]);
    expect((await rebuilds.verify()).matches).toBe(false);
  });

  it('stays true while writers go on', async () => {
    const { rebuilds, decisions, act: actor } = await counted();
    const verifying = rebuilds.verify();
    for (let count = 0; count < 50; count += 1)
      await decisions.run(kind, 'a', actor, () => [{ type: 'Counted', data: { by: 1 } } as const]);
    expect((await verifying).matches).toBe(true);
  });

  it('is for operators, and knows its projections', async () => {
    const { routed } = await counted();
    const send = (name: string, identity = operatorIdentity('r'), payload = {}) =>
      routed.handle({ name, identity, payload, deliveryId: 'd' });
    await expect(send('projections.verify', { ...operatorIdentity('r'), orgId: 'org_1' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await send('projections.verify')).toMatchObject({ matches: true });
    expect(await send('projections.rebuild', operatorIdentity('r'), { projection: 'nobody@1' })).toEqual({
      rebuilding: [],
    });
    expect(await send('projections.rebuild', operatorIdentity('r'), { projection: 'counters@1' })).toEqual({
      rebuilding: ['counters@1'],
    });
    await expect(send('projections.rebuild')).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
