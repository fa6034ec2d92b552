import { MemoryReadStore } from '@aos/adapters/memory';
import {
  StoreUnavailable,
  UnknownEvent,
  collectionOf,
  defineEvents,
  event,
  type AnyEvent,
  type EventOf,
  type ReadRow,
  type RecordedEvent,
  type StreamKind,
} from '@aos/kernel';
import { WriterProjections, type StreamProjection } from '../decisions/writer-projections.js';
import { MissedRows } from './own-projections.js';
import { PassingStreams } from './passing-streams.js';

const events = defineEvents({ Begun: event<{ part: string }>(1), Ended: event<{ part: string }>(1) });
type Happened = EventOf<typeof events>;
const kind: StreamKind<object, Happened> = {
  category: 'thing',
  events,
  stateVersion: 1,
  initial: () => ({}),
  evolve: (state) => state,
};
const parts: StreamProjection<object, Happened> = {
  name: 'parts',
  version: 1,
  kind,
  rows: () => [],
  rowsOfEvent: ({ event: { type, data }, orgId, revision }) => [
    { collection: collectionOf(parts), scope: [orgId], key: data.part, revision, doc: { type }, index: {} },
  ],
};

/** A read store that loses the first put. */
class LosingStore extends MemoryReadStore {
  losing = true;

  override async put(rows: readonly ReadRow[]): Promise<void> {
    if (this.losing) throw new StoreUnavailable('away');
    await super.put(rows);
  }
}

function recorded(revision: number, { type, data }: Happened): RecordedEvent {
  const meta = { org_id: 'org_1', schema_version: '1' };
  return { stream: 'thing-a', revision, position: `${revision}`, id: `${revision}`, type, data, meta } as RecordedEvent;
}

const begun = (part: string): Happened => ({ type: 'Begun', data: { part } });
const ended = (part: string): Happened => ({ type: 'Ended', data: { part } });

function started() {
  const store = new LosingStore();
  const writers = new WriterProjections(store);
  writers.register(parts);
  const states = new PassingStreams({ load: () => Promise.reject(new Error('no state is needed')) });
  const missed = new MissedRows(parts as never, writers, states);
  const write = (revision: number, happened: AnyEvent[]) =>
    writers.apply(kind, 'thing-a', {}, revision, happened, 'org_1');
  const row = async (part: string) => (await store.get(collectionOf(parts), ['org_1'], part)) ?? null;
  return { store, missed, write, row };
}

describe('rows that are made from events', () => {
  test('are put by the writer, of each the newest of an append', async () => {
    const { store, write, row } = started();
    store.losing = false;
    await write(2, [begun('x'), begun('y'), ended('x')]);
    expect([await row('x'), await row('y')]).toEqual([
      { doc: { type: 'Ended' }, revision: 2 },
      { doc: { type: 'Begun' }, revision: 1 },
    ]);
  });

  test('are caught up one by one: a later row that is there says nothing of an earlier one of another thing', async () => {
    const { store, missed, write, row } = started();
    await write(0, [begun('x')]);
    store.losing = false;
    await write(1, [begun('y')]);
    expect([await row('x'), (await row('y'))?.revision]).toEqual([null, 1]);
    const rows = await missed.of([recorded(0, begun('x')), recorded(1, begun('y'))]);
    expect(rows.map(({ key, revision }) => [key, revision])).toEqual([['x', 0]]);
    missed.forget();
    expect(await missed.of([recorded(1, begun('y'))])).toEqual([]); // the store still has it
  });

  test('are not asked for where the writer put them without a gap', async () => {
    const { store, missed, write } = started();
    store.losing = false;
    await write(0, [begun('x')]);
    await write(1, [ended('x')]);
    jest.spyOn(store, 'revisions').mockRejectedValue(new Error('nothing is to be asked'));
    expect(await missed.of([recorded(0, begun('x')), recorded(1, ended('x'))])).toEqual([]);
    await write(3, [begun('y')]); // another process wrote revision 2
    await expect(missed.of([recorded(2, begun('z'))])).rejects.toThrow('nothing is to be asked');
  });

  test('stop the projector at an event that the kind does not know', async () => {
    const { missed } = started();
    const unknown = { ...recorded(0, begun('x')), type: 'Else' };
    await expect(missed.of([unknown])).rejects.toThrow('Else');
  });

  test('stop the projector at a version that the kind does not know, also where rows do not hang on the type', async () => {
    const { missed } = started();
    const later = recorded(0, begun('x'));
    later.meta.schema_version = '2';
    await expect(missed.of([later])).rejects.toBeInstanceOf(UnknownEvent);
  });
});
