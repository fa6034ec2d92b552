import { MemoryReadStore } from '@aos/adapters/memory';
import { defineEvents, event, type EventOf, type StreamKind } from '@aos/kernel';
import { WriterProjections, collectionOf, type StreamProjection } from './writer-projections.js';

const events = defineEvents({ Opened: event<object>(1), Renamed: event<object>(1), Noted: event<object>(1) });
type Happened = EventOf<typeof events>;
const kind: StreamKind<object, Happened> = { category: 'thing', events, stateVersion: 1, initial: () => ({}), evolve: (state) => state };

function projection(name: string, on: string[]): StreamProjection<object, Happened> {
  const made: StreamProjection<object, Happened> = {
    name, version: 1, kind, on: new Set(on), rows: ({ id, revision }) => [{ collection: collectionOf(made), scope: ['org_1'], key: id, revision, doc: {}, index: {} }],
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

it('vouches only for the projections whose rows it put: those of an earlier revision may be missing, written by a process that died', async () => {
  const made = writers();
  await made.apply(erased, 'thing-a', {}, 4, [{ type: 'Renamed', data: {} }]);
  expect(made.hasApplied(names, 'thing-a', 4)).toBe(true);
  expect(made.hasApplied(openings, 'thing-a', 3)).toBe(false);
});

it('vouches for nothing after an event that no projection looks at', async () => {
  const made = writers();
  await made.apply(erased, 'thing-a', {}, 4, [{ type: 'Noted', data: {} }]);
  expect(made.hasApplied(names, 'thing-a', 3)).toBe(false);
});

it('vouches for nothing that was under way when everything was forgotten', async () => {
  const made = writers();
  const put = made.apply(erased, 'thing-a', {}, 0, [{ type: 'Opened', data: {} }]);
  made.forget();
  await put;
  expect(made.hasApplied(openings, 'thing-a', 0)).toBe(false);
});
