import { StoreUnavailable } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { liveChannel, progressKey, type Block, type LiveSignal } from '@aos/sessions/published';
import { History, Streaming } from '../testing/history.fixture.js';
import { sessionId, streamsWorld, type StreamsWorld, type TestSink } from '../testing/streams.fixture.js';

const text: Block = { type: 'text', text: '' };
const liveName = liveChannel.nameOf(sessionId);

function publish(world: StreamsWorld, ...signals: LiveSignal[]): void {
  for (const signal of signals) liveChannel.publish(world.bus, sessionId, signal);
}

async function openTurn(): Promise<{ world: StreamsWorld; history: History; streaming: Streaming }> {
  const world = streamsWorld();
  const history = new History();
  await world.append(...history.opened(), ...history.queued());
  await world.append(...history.claimed());
  return { world, history, streaming: new Streaming(history.turnId, history) };
}

async function follow(world: StreamsWorld, protocol: 'v1' | 'v2' = 'v2'): Promise<TestSink> {
  const { sink } = await world.watch({ protocol, after: -1 });
  const last = protocol === 'v2' ? 'stream.ready' : 'turn.upsert';
  await eventually(last, () => sink.frames.some(({ event }) => event === last));
  return sink;
}

/** What a reader saw of how far calls are, in order. */
const progressIn = (sink: TestSink): unknown[] =>
  sink.frames.map(({ data }) => data.progress).filter((progress) => progress !== undefined);

const sees = (sink: TestSink, progress: unknown) =>
  eventually(JSON.stringify(progress), () =>
    progressIn(sink).some((seen) => JSON.stringify(seen) === JSON.stringify(progress)),
  );

/** Lets what was published arrive, and what that set off. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

/** What the bus says of new revisions is lost from here on. */
function loseRevisions(world: StreamsWorld): void {
  world.bus.passes = (channel, message) => (channel === liveName ? [message] : []);
}

/** Lets the feed hear of a revision, and holds the page that it reads then until the function given back is called. */
async function holdRead(world: StreamsWorld, revision: number): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const read = world.store.read.bind(world.store);
  const own = jest.spyOn(world.decisions, 'ownEvents').mockReturnValueOnce(null);
  const reads = jest.spyOn(world.store, 'read').mockImplementationOnce(async (...query) => {
    const page = await read(...query);
    await released;
    return page;
  });
  world.bus.passes = (_channel, message) => [message];
  world.bus.publish(`ring:session-${sessionId}`, revision);
  loseRevisions(world);
  await eventually('the read', () => reads.mock.calls.length > 0);
  own.mockRestore();
  return release;
}

describe('TE80: progress that is said once reaches a follower', () => {
  test('behind a row whose beginning the follower missed, and which was committed meanwhile', async () => {
    const { world, history, streaming } = await openTurn();
    const sink = await follow(world);
    publish(world, streaming.block(0, text)); // no preview closes this gap any more
    await world.append(...history.called('a'));
    publish(world, streaming.tool('a', 1, { step: 1 }));
    await sees(sink, { step: 1 });
    await sees(await follow(world), { step: 1 });
  });

  test('while the gap of a row that is still written is open', async () => {
    const { world, history, streaming } = await openTurn();
    await world.append(...history.called('a'));
    const next = new Streaming(history.turnId, history);
    const sink = await follow(world);
    publish(world, next.delta(0, 4, 'more'), streaming.tool('a', 1, { step: 1 }));
    await sees(sink, { step: 1 });
  });

  test.each(['answers late', 'does not answer'])('while the bus %s for the rows that stream', async (answer) => {
    const { world, history, streaming } = await openTurn();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    jest.spyOn(world.bus, 'preview').mockImplementationOnce(async () => {
      await released;
      if (answer === 'does not answer') throw new StoreUnavailable('gone for now');
      return new Map();
    });
    const following = follow(world);
    await settle();
    publish(world, streaming.block(0, text));
    await settle();
    await world.append(...history.called('a'));
    publish(world, streaming.tool('a', 1, { step: 1 }));
    await settle();
    release();
    await sees(await following, { step: 1 });
  });

  test('heard while the log is read to an earlier revision: it waits for the row of its call', async () => {
    const { world, history, streaming } = await openTurn();
    const sink = await follow(world);
    sink.more();
    loseRevisions(world);
    const earlier = await world.append(...history.nudge());
    const release = await holdRead(world, earlier);
    await world.append(...history.called('a'));
    publish(world, streaming.tool('a', 1, { step: 1 }));
    await settle();
    release();
    await sees(sink, { step: 1 });
    const frames = sink.more().map(({ event }) => event);
    expect(frames.slice(frames.indexOf('message.upsert'))).toEqual(['message.upsert', 'message.block.patch']);
    await sees(await follow(world), { step: 1 });
  });

  test('who joins between the signal and the rest of the log that is read', async () => {
    const { world, history, streaming } = await openTurn();
    const first = await follow(world);
    await world.append(...history.called('a'));
    publish(world, streaming.tool('a', 1, { step: 1 }));
    const second = await follow(world);
    await sees(first, { step: 1 });
    await sees(second, { step: 1 });
  });

  test('what the bus kept is not shown over what came while the log was read', async () => {
    const { world, history, streaming } = await openTurn();
    const sink = await follow(world);
    loseRevisions(world);
    const earlier = await world.append(...history.nudge());
    await world.append(...history.called('a'));
    const [older, newer] = [streaming.tool('a', 1, { step: 1 }), streaming.tool('a', 1, { step: 2 })];
    await world.bus.setPreview(progressKey(sessionId), 'dlv_a', JSON.stringify(older), 60_000);
    const release = await holdRead(world, earlier);
    world.bus.setHealthy(true);
    await settle();
    publish(world, newer);
    await settle();
    release();
    await sees(sink, { step: 2 });
    await settle();
    world.clock.advance(1_000);
    expect(progressIn(sink)).toEqual([{ step: 2 }]);
  });
});

describe.each(['v1', 'v2'] as const)('TE80: a follower of %s', (protocol) => {
  async function calling() {
    const { world, history, streaming } = await openTurn();
    await world.append(...history.called('a'));
    return { world, history, streaming, sink: await follow(world, protocol) };
  }

  test('is not shown what was reported before what it saw, when another process says it later', async () => {
    const { world, streaming, sink } = await calling();
    const newest = { ...streaming.tool('a', 1, { step: 2 }), reported_at: 2 };
    const late = { ...streaming.tool('a', 1, { step: 1 }), reported_at: 1 };
    for (const [at, signal] of [newest, late].entries())
      await world.bus.setPreview(progressKey(sessionId), `dlv_a@${at}`, JSON.stringify(signal), 60_000);
    publish(world, newest, late);
    await sees(sink, { step: 2 });
    world.clock.advance(1_000);
    await settle();
    expect(progressIn(sink)).toEqual([{ step: 2 }]);
    world.bus.setHealthy(true); // what is kept is read again
    await settle();
    world.clock.advance(1_000);
    expect(progressIn(sink)).toEqual([{ step: 2 }]);
    expect(progressIn(await follow(world, protocol))).toEqual([{ step: 2 }]);
  });

  test('sees at most 4 a second of a call that several processes show, and the newest last', async () => {
    const { world, streaming, sink } = await calling();
    for (let ms = 0; ms < 1_000; ms += 50) {
      for (const process of [1, 2, 3]) publish(world, streaming.tool('a', 1, { ms, process }));
      await settle();
      world.clock.advance(50);
    }
    world.clock.advance(1_000);
    const seen = progressIn(sink);
    expect(seen).toHaveLength(5); // at 0, 250, 500, 750 and 1000 ms
    expect(seen.at(-1)).toEqual({ ms: 950, process: 3 });
    expect(progressIn(await follow(world, protocol))).toEqual([{ ms: 950, process: 3 }]);
  });

  test('sees once what is said again', async () => {
    const { world, streaming, sink } = await calling();
    const said = streaming.tool('a', 1, { step: 1 });
    publish(world, said, said);
    await settle();
    world.clock.advance(1_000);
    publish(world, said);
    await settle();
    world.clock.advance(1_000);
    expect(progressIn(sink)).toEqual([{ step: 1 }]);
  });

  test('sees nothing behind null, and nothing of a call that has ended', async () => {
    const { world, history, streaming, sink } = await calling();
    publish(world, streaming.tool('a', 1, { step: 1 }), streaming.tool('a', 1, { step: 2 }));
    publish(world, { ...streaming.tool('a', 1), progress: null } as LiveSignal);
    await settle();
    world.clock.advance(1_000);
    expect(progressIn(sink)).toEqual(protocol === 'v2' ? [{ step: 1 }, null] : [{ step: 1 }]); // v1 has no form for it
    publish(world, streaming.tool('a', 1, { step: 3 }), streaming.tool('a', 1, { step: 4 }));
    await settle();
    await world.append(...history.answered('a'));
    await settle();
    world.clock.advance(1_000);
    expect(progressIn(sink).filter((seen) => JSON.stringify(seen) === '{"step":4}')).toEqual([]);
    expect(progressIn(await follow(world, protocol)).filter(Boolean)).toEqual([]);
  });
});

test('TE80: a feed that nothing follows any more leaves no timer', async () => {
  const { world, history, streaming } = await openTurn();
  await world.append(...history.called('a'));
  const { leave } = await world.watch({ protocol: 'v2', after: -1 });
  publish(world, streaming.tool('a', 1, { step: 1 }), streaming.tool('a', 1, { step: 2 }));
  await settle();
  leave();
  world.clock.advance(5_000);
  expect(world.clock.pendingTimers).toBe(0);
});
