import { MemoryEventStore } from '@aos/adapters/memory';
import { SystemClock } from '@aos/adapters/system';
import { defineEvents, event, type AnyEvent, type RecordedEvent, type StreamKind } from '@aos/kernel';
import fc from 'fast-check';
import { PassingStreams, eventsMax } from './passing-streams.js';

const kind: StreamKind<unknown, AnyEvent> = {
  category: 'counter',
  events: defineEvents({ Counted: event<{ by: number }>(1) }),
  stateVersion: 1,
  initial: () => '',
  evolve: (state, { data }, revision) => `${String(state)} ${revision}:${(data as { by: number }).by}`,
};

/** A log of some streams, and a loader that knows its end. */
async function logOf(streams: readonly number[]): Promise<{ events: RecordedEvent[]; states: Map<string, string> }> {
  const store = new MemoryEventStore({ clock: new SystemClock() });
  const heads = new Map<string, number>();
  const states = new Map<string, string>();
  const events: RecordedEvent[] = [];
  for (const [by, n] of streams.entries()) {
    const stream = `counter-${n}`;
    const head = heads.get(stream);
    const { revision } = await store.append(stream, head ?? 'none', [
      { id: `event-${by}`, type: 'Counted', data: { by }, meta: {} },
    ]);
    heads.set(stream, revision);
    states.set(stream, `${states.get(stream) ?? ''} ${revision}:${by}`);
    events.push(...(await store.read(stream, { from: revision, limit: 1 })));
  }
  return { events, states };
}

function passing(states: ReadonlyMap<string, string>, heads: ReadonlyMap<string, number>) {
  let loads = 0;
  const streams = new PassingStreams({
    load: async <S>(_kind: { category: string }, id: string) => {
      loads += 1;
      return { state: states.get(`counter-${id}`) as S, revision: heads.get(`counter-${id}`) ?? -1 };
    },
  });
  return { streams, loads: () => loads };
}

test('TP19: whoever sees every event loads no stream, and has each state at each event', async () => {
  const { events } = await logOf([1, 2, 1, 1, 3, 2, 1]);
  const { streams, loads } = passing(new Map(), new Map());
  const seen: unknown[] = [];
  for (const each of events) {
    streams.take(kind, each);
    streams.take(kind, each); // given again: it changes nothing
    seen.push((await streams.at(kind, each.stream, each.revision)).state);
  }
  expect(seen).toEqual([' 0:0', ' 0:1', ' 0:0 1:2', ' 0:0 1:2 2:3', ' 0:4', ' 0:1 1:5', ' 0:0 1:2 2:3 3:6']);
  expect(loads()).toBe(0);
});

test('TP19: a stream that is being loaded is loaded once for all that ask for it', async () => {
  const { streams, loads } = passing(new Map([['counter-1', ' 0:0 1:2']]), new Map([['counter-1', 1]]));
  const asked = await Promise.all([1, 1, 0].map((revision) => streams.at(kind, 'counter-1', revision)));
  expect([asked.map(({ revision }) => revision), loads()]).toEqual([[1, 1, 1], 1]);
});

test('TP19: a stream met in its middle is loaded, and no state is ever another than that of the log', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean()), { minLength: 1, maxLength: 40 }),
      async (steps) => {
        const { events, states } = await logOf(steps.map(([stream]) => stream));
        const heads = new Map(events.map(({ stream, revision }) => [stream, revision]));
        const { streams } = passing(states, heads);
        for (const [index, each] of events.entries()) {
          if (!steps[index]?.[1]) continue; // not seen
          streams.take(kind, each);
          const { state, revision } = await streams.at(kind, each.stream, each.revision);
          expect(revision).toBeGreaterThanOrEqual(each.revision);
          const whole = states.get(each.stream) ?? '';
          expect(state).toBe(
            whole
              .split(' ')
              .slice(0, revision + 2)
              .join(' '),
          );
        }
      },
    ),
  );
});

test('TP19: states of no more events than a bound are kept, those of the newest streams', () => {
  const { streams } = passing(new Map(), new Map());
  const [eventsOfStream, streamsMany] = [100, (3 * eventsMax) / 100];
  const light = { ...kind, evolve: () => null };
  for (let n = 0; n < streamsMany; n += 1) {
    for (let revision = 0; revision < eventsOfStream; revision += 1) {
      const event = { id: '', type: 'Counted', data: { by: 1 }, meta: {}, position: '' };
      streams.take(light, { ...event, stream: `counter-${n}`, revision });
    }
  }
  const kept = Array.from({ length: Math.ceil(streamsMany) }, (_, n) => n).filter((n) => streams.has(`counter-${n}`));
  expect(kept.length * eventsOfStream).toBeLessThanOrEqual(eventsMax);
  expect(kept.length * eventsOfStream).toBeGreaterThan(eventsMax / 4);
  expect(kept.at(-1)).toBe(Math.ceil(streamsMany) - 1);
});
