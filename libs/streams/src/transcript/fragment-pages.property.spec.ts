import fc from 'fast-check';
import type { JsonObject } from '@aos/kernel';
import type { SessionEvent } from '@aos/sessions/published';
import { History } from '../testing/history.fixture.js';
import { sessionId, streamsWorld, type StreamsWorld } from '../testing/streams.fixture.js';

/** What a turn of a random session is like; all of it may come in any order. */
const turnKinds = [
  'plain',
  'context',
  'tools',
  'toolsLate',
  'toolsCancelled',
  'sameCallIds',
  'waits',
  'nudged',
  'compacted',
  'failsWithPartial',
  'overlaps',
  'largeText',
  'largeResult',
  'looksLikeMark',
] as const;
type TurnKind = (typeof turnKinds)[number];

/** Events of one turn, each entry one append. `late` gathers what is appended some turns later. */
function turnOf(history: History, kind: TurnKind, at: number, late: SessionEvent[][]): SessionEvent[][] {
  const ids = kind === 'sameCallIds' ? ['call_0', 'call_1'] : [`c${at}a`, `c${at}b`];
  const [first = '', second = ''] = ids;
  const begun = [history.queued(`question ${at} \u00fc \u2028`, kind === 'context'), history.claimed()];
  const done = () => [...history.said(`answer ${at}`), ...history.ended()];
  switch (kind) {
    case 'tools':
    case 'sameCallIds':
      return [
        ...begun,
        history.called(...ids),
        history.answered(second, at % 2 === 0 ? 'error' : 'ok'),
        [...history.answered(first), ...history.results(...ids)],
        done(),
      ];
    case 'toolsLate':
      late.push(history.answered(first, 'error'));
      return [...begun, history.called(...ids), history.answered(second), done()];
    case 'toolsCancelled':
      return [...begun, history.called(...ids), history.results(...ids), history.ended('cancelled')];
    case 'waits':
      return [
        ...begun,
        history.called(first),
        history.interaction(`iact_${at}`, 'pending'),
        history.parked(`iact_${at}`),
        history.interaction(`iact_${at}`, 'completed'),
        history.resumed(),
        [...history.answered(first), ...history.results(first)],
        done(),
      ];
    case 'nudged':
      return [...begun, history.nudge(), history.nudge('delivered'), done()];
    case 'compacted':
      return [...begun, history.compacting(), history.summarised(), done()];
    case 'failsWithPartial':
      return [...begun, history.partial(), history.ended('failed')];
    case 'overlaps': {
      const said = history.said(`answer ${at}`);
      const ended = history.ended();
      const next = history.queued(`question ${at} again`);
      return at % 2 === 0
        ? [...begun, said, next, ended, history.claimed(), done()]
        : [...begun, said, next, history.claimed(), done(), ended];
    }
    case 'largeText':
      return [...begun, [...history.said('x'.repeat(70_000)), ...history.ended()]];
    case 'largeResult':
      return [
        ...begun,
        history.called(first),
        [...history.answered(first), ...withLargeResult(history.results(first))],
        done(),
      ];
    case 'looksLikeMark':
      return [...begun, history.called('\u00010\u0001'), history.answered('\u00010\u0001'), done()];
    default:
      return [...begun, done()];
  }
}

function withLargeResult(events: SessionEvent[]): SessionEvent[] {
  for (const { type, data } of events)
    if (type === 'MessageAppended') for (const block of data.row.content) block.content = 'y'.repeat(70_000);
  return events;
}

/** A session of such turns; the last ones may be open still. */
function appendsOf(kinds: readonly TurnKind[], staysOpen: boolean): SessionEvent[][] {
  const history = new History();
  const late: SessionEvent[][] = [];
  const steps: SessionEvent[][] = [history.opened()];
  for (const [at, kind] of kinds.entries()) {
    steps.push(...turnOf(history, kind, at, late));
    if (at % 5 === 4) steps.push(...late.splice(0));
  }
  if (staysOpen) steps.push(history.queued('one more'), history.claimed(), history.called('open', 'open too'));
  return steps;
}

type Read = (range: { limit: number; page_token?: string }) => Promise<string>;

/** All pages from the newest on, each as text; other readers must give the same bytes. */
async function samePages(world: StreamsWorld, others: readonly Read[], limits: readonly number[], token?: string) {
  for (let at = 0, next = token; at === 0 || next !== undefined; at += 1) {
    const range = { limit: limits[at % limits.length] ?? 20, ...(next === undefined ? {} : { page_token: next }) };
    const text = await world.texts.read(range);
    for (const read of others) expect(await read(range)).toBe(text);
    const page = JSON.parse(text) as JsonObject;
    next = page.has_more ? String(page.next_page_token) : undefined;
  }
}

const kindsOf = (turns: number) =>
  fc.array(fc.constantFrom(...turnKinds), { minLength: 1, maxLength: turns, size: 'max' });
const limitsOf = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 });

describe('pages from fragments', () => {
  test('TP16: a page from fragments is byte for byte the page from the stream, in a process that read on as the session grew and in one that did not', async () => {
    await fc.assert(
      fc.asyncProperty(kindsOf(30), fc.boolean(), limitsOf, fc.array(fc.nat(), { maxLength: 4 }), async (...input) => {
        const [kinds, staysOpen, limits, cuts] = input;
        const world = streamsWorld();
        const steps = appendsOf(kinds, staysOpen);
        const places = new Set(cuts.map((cut) => cut % steps.length));
        const earlier: string[] = [];
        for (const [at, step] of steps.entries()) {
          await world.append(...step);
          if (!places.has(at) && at < steps.length - 1) continue;
          await samePages(world, [world.texts.kept, world.texts.anew()], limits);
          const page = JSON.parse(await world.texts.read({ limit: 1 })) as JsonObject;
          if (page.has_more) earlier.push(String(page.next_page_token));
        }
        // pages of snapshots that were cut in the past
        for (const token of earlier) await samePages(world, [world.texts.kept, world.texts.anew()], limits, token);
      }),
      { numRuns: 40 },
    );
  });

  test('pages are made from fragments, but where a text is not kept or turns overlap at its end', async () => {
    const world = streamsWorld();
    for (const step of appendsOf(['tools', 'waits', 'compacted', 'nudged', 'failsWithPartial'], true))
      await world.append(...step);
    const made = jest.spyOn(world.fragments, 'back');
    await samePages(world, [world.texts.kept], [4]);
    expect(made.mock.calls.length).toBeGreaterThan(3);
    for (const { value } of made.mock.results) expect(await value).not.toBeNull();
  });

  test('the log is read once: a page again reads nothing, and after an append what is new', async () => {
    const world = streamsWorld();
    const steps = appendsOf(
      Array.from({ length: 60 }, () => 'tools' as const),
      false,
    );
    const last = steps.pop() ?? [];
    for (const step of steps) await world.append(...step);
    const store = jest.spyOn(world.store, 'read');
    const reads = () => store.mock.calls.filter(([stream]) => stream === `session-${sessionId}`);
    const read = world.texts.anew();
    await read({ limit: 50 });
    expect(reads()).toHaveLength(1);
    await read({ limit: 50 });
    expect(reads()).toHaveLength(1);
    await world.append(...last);
    await read({ limit: 50 });
    expect(reads()).toHaveLength(2);
    expect(reads()[1]?.[1]).toMatchObject({ limit: 2 });
  });
});
