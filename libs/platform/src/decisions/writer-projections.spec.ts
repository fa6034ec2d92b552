import { MemoryReadStore } from '@aos/adapters/memory';
import {
  GenerationalCache,
  StoreUnavailable,
  defineEvents,
  event,
  type EventOf,
  type ReadRow,
  type StreamKind,
  collectionOf,
} from '@aos/kernel';
import { WriterProjections, type StreamProjection } from './writer-projections.js';

const events = defineEvents({ Counted: event<{ by: number }>(1) });
type Counted = EventOf<typeof events>;
const counterKind: StreamKind<{ count: number }, Counted> = {
  category: 'counter',
  events,
  stateVersion: 1,
  initial: () => ({ count: 0 }),
  evolve: (state, { data }) => ({ count: state.count + data.by }),
};
const counters: StreamProjection<{ count: number }, Counted> = {
  name: 'counters',
  version: 1,
  kind: counterKind,
  rows: ({ state, id, revision }) => [
    { collection: collectionOf(counters), scope: ['org_1'], key: id, revision, doc: { count: state.count }, index: {} },
  ],
};
const counted: Counted = { type: 'Counted', data: { by: 1 } };

/** A read store whose writes wait for `open`, or fail. */
class HeldReadStore extends MemoryReadStore {
  private readonly gate: Promise<void>;
  open: () => void = () => undefined;

  constructor(private readonly failure: Error | null) {
    super();
    this.gate = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  override async put(rows: readonly ReadRow[]): Promise<void> {
    await this.gate;
    if (this.failure) throw this.failure;
    await super.put(rows);
  }
}

async function applied(failure: Error | null): Promise<boolean> {
  const readStore = new HeldReadStore(failure);
  const writers = new WriterProjections(readStore);
  writers.register(counters);
  const applying = writers.apply(counterKind as never, 'counter-a', { count: 1 }, 0, [counted]);
  expect(writers.hasApplied(collectionOf(counters), 'counter-a', 0)).toBe(false);
  const settled = writers.settled(counterKind, ['counter-a', 'counter-unknown']);
  readStore.open();
  await settled;
  const result = writers.hasApplied(collectionOf(counters), 'counter-a', 0);
  await applying;
  return result;
}

describe('a projector that meets an event whose writer still puts the rows', () => {
  test('finds them put once the writer has settled', async () => {
    expect(await applied(null)).toBe(true);
  });

  test('finds them missing when the writer could not put them', async () => {
    expect(await applied(new StoreUnavailable('away'))).toBe(false);
  });
});

const thingEvents = defineEvents({ Opened: event<object>(1), Renamed: event<object>(1), Noted: event<object>(1) });
type Happened = EventOf<typeof thingEvents>;
const kind: StreamKind<object, Happened> = {
  category: 'thing',
  events: thingEvents,
  stateVersion: 1,
  initial: () => ({}),
  evolve: (state) => state,
};

function projection(name: string, on: string[]): StreamProjection<object, Happened> {
  const made: StreamProjection<object, Happened> = {
    name,
    version: 1,
    kind,
    on: new Set(on),
    rows: ({ id, revision }) => [
      { collection: collectionOf(made), scope: ['org_1'], key: id, revision, doc: {}, index: {} },
    ],
  };
  return made;
}
const names = projection('names', ['Opened', 'Renamed']);
const openings = projection('openings', ['Opened']);
const erased = kind as unknown as StreamKind<unknown, Happened>;

function writers() {
  const made = new WriterProjections(new MemoryReadStore());
  made.register(names);
  made.register(openings);
  return made;
}

describe('what a writer vouches for', () => {
  test('vouches only for the projections whose rows it put: those of an earlier revision may be missing, written by a process that died', async () => {
    const made = writers();
    await made.apply(erased, 'thing-a', {}, 4, [{ type: 'Renamed', data: {} }]);
    expect(made.hasApplied(collectionOf(names), 'thing-a', 4)).toBe(true);
    expect(made.hasApplied(collectionOf(openings), 'thing-a', 3)).toBe(false);
  });

  test('vouches for nothing after an event that no projection looks at', async () => {
    const made = writers();
    await made.apply(erased, 'thing-a', {}, 4, [{ type: 'Noted', data: {} }]);
    expect(made.hasApplied(collectionOf(names), 'thing-a', 3)).toBe(false);
  });

  test('vouches for nothing that was under way when everything was forgotten', async () => {
    const made = writers();
    const put = made.apply(erased, 'thing-a', {}, 0, [{ type: 'Opened', data: {} }]);
    made.forget();
    await put;
    expect(made.hasApplied(collectionOf(openings), 'thing-a', 0)).toBe(false);
  });
});

describe('TP45: what is known of the rows of a stream', () => {
  test('is looked up once for an append, however many projections make rows of it', async () => {
    const made = writers();
    for (let number = 0; number < 8; number += 1) made.register(projection(`more-${number}`, ['Opened']));
    const [get, set] = (['get', 'set'] as const).map((name) => jest.spyOn(GenerationalCache.prototype, name));
    const opened: Happened = { type: 'Opened', data: {} };
    await made.apply(erased, 'thing-a', {}, 0, [opened]);
    for (let revision = 1; revision < 10; revision += 1) await made.apply(erased, 'thing-a', {}, revision, [opened]);
    expect(get).toHaveBeenCalledTimes(10);
    expect(set).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
    expect(made.hasApplied('more-7@1', 'thing-a', 9)).toBe(true);
  });

  test('holds of each projection by itself, of rows of events only without a gap', async () => {
    const rowsOfEvents: StreamProjection<object, Happened> = {
      ...projection('notes', ['Noted']),
      rowsOfEvent: ({ id, revision }) => [
        { collection: 'notes@1', scope: ['org_1'], key: `${id}-${revision}`, revision, doc: {}, index: {} },
      ],
    };
    const made = writers();
    made.register(rowsOfEvents);
    const happen = (type: 'Opened' | 'Noted', revision: number) =>
      made.apply(erased, 'thing-a', {}, revision, [{ type, data: {} }]);
    await happen('Opened', 3);
    await happen('Noted', 4);
    await happen('Noted', 7);
    expect([2, 3, 4, 5, 7, 8].filter((at) => made.hasAppliedEvent('notes@1', 'thing-a', at))).toEqual([7]);
    expect([3, 4, 7].filter((at) => made.hasApplied(collectionOf(openings), 'thing-a', at))).toEqual([3]);
    expect(made.hasAppliedEvent('notes@1', 'thing-b', 7)).toBe(false);
  });
});
