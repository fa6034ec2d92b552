import fc from 'fast-check';
import type { JsonObject } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import type { SessionEvent } from '@aos/sessions/published';
import { ClientFold } from '../testing/fold.fixture.js';
import { History } from '../testing/history.fixture.js';
import { orgId, sessionId, streamsWorld, type StreamsWorld, type TestSink } from '../testing/streams.fixture.js';

/** A long session with every kind of event; each entry is one append. */
function appends(seed: number, turns: number, staysOpen = false): SessionEvent[][] {
  const history = new History();
  const steps: SessionEvent[][] = [history.opened()];
  if (staysOpen) steps.push(history.queued('a turn that waits for ever'));
  for (let turn = 0; turn < turns; turn += 1) {
    const pick = (seed * 31 + turn * 7) % 6;
    steps.push(history.queued(`question ${turn}`, pick % 2 === 0), history.claimed());
    if (pick !== 1) {
      const ids = [`c${turn}a`, `c${turn}b`];
      steps.push(history.called(...ids), history.answered(`c${turn}b`, 'error'));
      if (pick === 2)
        steps.push(
          history.interaction(`iact_${turn}`, 'pending'),
          history.parked(`iact_${turn}`),
          history.interaction(`iact_${turn}`, 'completed'),
          history.resumed(),
          history.claimed(),
        );
      if (pick !== 3) steps.push([...history.answered(`c${turn}a`), ...history.results(...ids)]);
      else steps.push(history.results(...ids));
    }
    if (pick === 4) steps.push(history.nudge(), history.nudge('delivered'), history.compacting(), history.summarised());
    if (pick === 5) steps.push(history.partial(), history.ended('failed'));
    else steps.push([...history.said(`answer ${turn}`), ...history.ended(pick === 3 ? 'cancelled' : 'completed')]);
  }
  return steps;
}

/** Notifications that are lost, repeated and late, by seed. */
function fickle(world: StreamsWorld, seed: number): void {
  let state = seed + 1;
  const random = (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
  const late: number[] = [];
  world.bus.passes = (channel, message) => {
    if (!channel.startsWith('ring:') || typeof message !== 'number') return [message];
    const passed = random(3) === 0 ? [] : [message];
    if (random(3) === 0) passed.push(message);
    if (random(4) === 0) late.push(message);
    if (late.length > 0 && random(3) === 0) passed.push(late.shift() as number);
    return passed;
  };
}

const nothing = new Promise<void>((resolve) => {
  resolve();
});

/** Opens the stream at the client's cursor until a cut or the session's end; a cut falls at any frame. */
async function follow(world: StreamsWorld, client: ClientFold, cutAfter: number, until: () => boolean): Promise<void> {
  const after = client.cursor === undefined ? -1 : world.cursors.open(orgId, sessionId, client.cursor);
  const { sink, leave } = await world.watch({ protocol: 'v2', after });
  await eventually('frames or the end', () => sink.ended || sink.frames.length >= cutAfter || tick(world, until));
  leave();
  for (const frame of sink.frames.slice(0, sink.ended ? undefined : cutAfter)) client.frame(frame);
}

function tick(world: StreamsWorld, until: () => boolean): boolean {
  world.clock.advance(1_000);
  return until();
}

async function wholeSnapshot(
  world: StreamsWorld,
  limit: number,
  cursor?: string,
): Promise<{ fold: ClientFold; pages: JsonObject[] }> {
  const fold = new ClientFold();
  const pages: JsonObject[] = [];
  let token: string | undefined;
  let first: string | undefined;
  do {
    const page: JsonObject = await world.snapshot(
      token === undefined ? (cursor === undefined ? { limit } : { cursor, limit }) : { page_token: token, limit },
    );
    fold.snapshot(page);
    pages.push(page);
    first ??= String(page.resume_cursor);
    token = page.has_more ? String(page.next_page_token) : undefined;
  } while (token !== undefined);
  return { fold, pages };
}

describe('from history to live', () => {
  test.each([1, 2, 3, 4, 5, 6])(
    'an append storm under unreliable rings while readers connect: every v1 row once, in order (seed %d)',
    async (seed) => {
      const world = streamsWorld();
      fickle(world, seed);
      const steps = appends(seed, 8, true);
      await world.append(...(steps[0] as SessionEvent[]), ...(steps[1] as SessionEvent[]));
      const sinks: TestSink[] = [];
      for (const step of steps.slice(2)) {
        const appending = world.append(...step);
        if (sinks.length < 10) sinks.push((await world.watch({ protocol: 'v1', after: -1 })).sink);
        await appending;
      }
      const rows = (sink: TestSink) => sink.frames.filter(({ id }) => id !== undefined).map(({ id }) => Number(id));
      const expected = steps
        .flat()
        .flatMap((event) =>
          (event.type === 'MessageAppended' || event.type === 'TranscriptSummarised') && !event.data.row.hidden
            ? [event.data.row.sequence]
            : [],
        );
      for (const sink of sinks) {
        await eventually('all rows', () => tick(world, () => rows(sink).length >= expected.length));
        expect(rows(sink)).toEqual(expected);
        expect(sink.ended).toBe(false);
      }
    },
  );

  test('rings lost, doubled and out of order, connections cut at any frame: each row once and in order, and the fold is the snapshot', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1000),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        async (seed, cuts) => {
          const world = streamsWorld();
          fickle(world, seed);
          const steps = appends(seed, 4);
          await world.append(...(steps[0] as SessionEvent[]), ...(steps[1] as SessionEvent[]));
          const client = new ClientFold();
          let isWritten = false;
          const writing = (async () => {
            for (const step of steps.slice(2)) {
              await world.append(...step);
              await nothing;
            }
            isWritten = true;
          })();
          for (const cut of cuts) await follow(world, client, cut, () => isWritten);
          await writing;
          await follow(world, client, Infinity, () => false);
          const { fold } = await wholeSnapshot(world, 100);
          expect(client.told).toEqual(fold.told);
        },
      ),
      { numRuns: 25, seed: 7 },
    );
  });

  test.each([3, 5])('a connection cut behind any one frame loses nothing (history %d)', async (seed) => {
    const world = streamsWorld();
    for (const step of appends(seed, 3)) await world.append(...step);
    const { fold } = await wholeSnapshot(world, 100);
    const read = async (after: number) => {
      const { sink, leave } = await world.watch({ protocol: 'v2', after });
      await eventually('the end', () => sink.ended);
      leave();
      return sink.frames;
    };
    const frames = await read(-1);
    for (let cut = 1; cut < frames.length; cut += 1) {
      const client = new ClientFold();
      for (const frame of frames.slice(0, cut)) client.frame(frame);
      for (const frame of await read(world.cursors.open(orgId, sessionId, String(client.cursor)))) client.frame(frame);
      expect({ cut, told: client.told }).toEqual({ cut, told: fold.told });
    }
  });

  test('snapshot pages of any size and direction say the same, and a later part joins an earlier one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1000), fc.integer({ min: 1, max: 12 }), fc.nat(30), async (seed, limit, stopAt) => {
        const world = streamsWorld();
        const steps = appends(seed, 4);
        for (const step of steps.slice(0, stopAt + 2)) await world.append(...step);
        const { fold: early, pages } = await wholeSnapshot(world, limit);
        expect(
          new Set(pages.map(({ resume_cursor: cursor }) => world.cursors.open(orgId, sessionId, String(cursor)))).size,
        ).toBe(1);
        for (const step of steps.slice(stopAt + 2)) await world.append(...step);
        const { pages: later } = await wholeSnapshot(world, limit, early.cursor);
        for (const page of later) early.snapshot(page);
        const { fold: whole } = await wholeSnapshot(world, 100);
        const told = early.told as { interactions: JsonObject[] };
        expect({ ...told, interactions: [] }).toEqual({ ...whole.told, interactions: [] });
        expect(later.at(-1)?.interactions).toEqual((whole.told as { interactions: JsonObject[] }).interactions);
        const fromStart = await wholeSnapshot(world, limit, world.cursors.seal(orgId, sessionId, -1));
        expect(fromStart.fold.told).toEqual(whole.told);
      }),
      { numRuns: 40, seed: 11 },
    );
  });
});
