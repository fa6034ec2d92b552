import { StoreUnavailable, type Json } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { liveChannel, previewKey, progressKey, type LiveSignal, type SessionEvent } from '@aos/sessions/published';
import { History, Streaming } from '../testing/history.fixture.js';
import {
  orgId,
  sessionId,
  streamsWorld,
  type SeenFrame,
  type StreamsWorld,
  type TestSink,
} from '../testing/streams.fixture.js';
import { waitingFramesMax } from './stream.limits.js';

const names = (frames: readonly SeenFrame[]) => frames.map(({ event }) => event);
const saw = (sink: TestSink, event: string) => eventually(event, () => names(sink.frames).includes(event));

async function openTurn(world: StreamsWorld): Promise<History> {
  const history = new History();
  await world.append(...history.opened(), ...history.queued());
  await world.append(...history.claimed());
  return history;
}

function publish(world: StreamsWorld, ...signals: LiveSignal[]): void {
  for (const signal of signals) liveChannel.publish(world.bus, sessionId, signal);
}

describe('v2', () => {
  test('history, then ready, then live rows, then the end of the turn and idle', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    expect(names(sink.more())).toEqual(['message.upsert', 'turn.upsert', 'turn.upsert', 'stream.ready']);

    const streaming = new Streaming(history.turnId, history);
    publish(
      world,
      streaming.started(),
      streaming.block(0, { type: 'text', text: '' }),
      streaming.delta(0, 0, 'Hel'),
      streaming.delta(0, 3, 'lo'),
    );
    await eventually('the deltas', () => names(sink.frames).filter((name) => name === 'message.delta').length === 2);
    await world.append(...history.said('Hello'), ...history.ended());
    await eventually('the end', () => sink.ended);

    const live = sink.more();
    expect(names(live)).toEqual([
      'message.upsert',
      'message.block',
      'message.delta',
      'message.delta',
      'message.upsert',
      'turn.upsert',
      'stream.end',
    ]);
    expect(live[0]?.data).toMatchObject({
      id: live[4]?.data.id,
      status: 'streaming',
      sequence: null,
      turn_index: 1,
      content: [],
    });
    expect(live[4]?.data).toMatchObject({ status: 'final', sequence: 2, turn_index: 1 });
    expect(live.slice(0, 4).map(({ id }) => id)).toEqual([undefined, undefined, undefined, undefined]);
    expect(live[6]).toEqual({
      id: undefined,
      event: 'stream.end',
      data: { event_type: 'stream.end', session_id: sessionId, reason: 'idle' },
    });
  });

  test('every id is a place to resume at, and none goes back', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    await world.append(...history.called('a', 'b'));
    await world.append(...history.answered('a'));
    await world.append(...history.answered('b', 'error'), ...history.results('a', 'b'));
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    const places = sink.frames
      .filter(({ id }) => id !== undefined)
      .map(({ id }) => world.cursors.open(orgId, sessionId, String(id)));
    expect(places).toEqual([...places].sort((x, y) => x - y));
    expect(places).toHaveLength(sink.frames.length - 1);
    expect(
      sink.frames
        .filter(({ event }) => event === 'message.block.patch')
        .map(({ data }) => [data.content_index, data.status]),
    ).toEqual([
      [1, 'ok'],
      [2, 'error'],
    ]);
  });

  test('a patch reaches a reader who resumed between the call and its outcome', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const after = await world.append(...history.called('a'));
    await world.append(...history.answered('a'));
    await world.append(...history.results('a'), ...history.ended());
    const { sink } = await world.watch({ protocol: 'v2', after });
    await eventually('the end', () => sink.ended);
    expect(names(sink.frames)).toEqual([
      'message.block.patch',
      'message.upsert',
      'turn.upsert',
      'stream.ready',
      'stream.end',
    ]);
  });

  test('TE80: progress from before this process listened is shown, of calls that are still open', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const streaming = new Streaming(history.turnId, history);
    await world.append(...history.called('a', 'b'));
    await world.append(...history.answered('b'));
    for (const [index, id] of ['a', 'b', 'gone'].entries()) {
      await world.bus.setPreview(
        progressKey(sessionId),
        `dlv_${id}`,
        JSON.stringify(streaming.tool(id, index + 1, { of: id })),
        60_000,
      );
    }
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    const shown = () =>
      sink.frames.map(({ data }) => data.progress).filter((progress) => progress !== undefined && progress !== null);
    await eventually('the progress', () => shown().length > 0);
    publish(world, streaming.tool('a', 1, { of: 'more' }));
    await eventually('the next', () => {
      world.clock.advance(50);
      return shown().length > 1;
    });
    expect(shown()).toEqual([{ of: 'a' }, { of: 'more' }]);
    const late = await world.watch({ protocol: 'v2', after: -1 });
    await saw(late.sink, 'stream.ready');
    expect(late.sink.frames.filter(({ data }) => data.progress).map(({ data }) => data.progress)).toEqual([
      { of: 'more' },
    ]);
  });

  describe('TE80: progress that is said once, before this process has read of the call', () => {
    /** The bus loses what it is told of new revisions, and passes the signals on. */
    async function behind() {
      const world = streamsWorld();
      const history = await openTurn(world);
      const streaming = new Streaming(history.turnId, history);
      const { sink } = await world.watch({ protocol: 'v2', after: -1 });
      await saw(sink, 'stream.ready');
      sink.more();
      world.bus.passes = (channel, message) => (channel === liveChannel.nameOf(sessionId) ? [message] : []);
      await world.append(...history.called('a'));
      return { world, history, streaming, sink };
    }
    const patchOf = (frames: readonly SeenFrame[]) => frames.find(({ event }) => event === 'message.block.patch');

    test('is shown behind the row of the call, also to those who join later', async () => {
      const { world, streaming, sink } = await behind();
      publish(world, streaming.tool('a', 1, { percent: 10 }));
      await saw(sink, 'message.block.patch');
      const frames = sink.more();
      expect(names(frames)).toEqual(['message.upsert', 'message.block.patch']);
      expect(patchOf(frames)?.data).toMatchObject({ message_id: frames[0]?.data.id, progress: { percent: 10 } });
      const late = await world.watch({ protocol: 'v2', after: -1 });
      await saw(late.sink, 'stream.ready');
      expect(patchOf(late.sink.frames)?.data).toMatchObject({ progress: { percent: 10 } });
    });

    test('waits while the log does not answer', async () => {
      const { world, streaming, sink } = await behind();
      jest.spyOn(world.decisions, 'ownEvents').mockReturnValue(null);
      const reads = jest.spyOn(world.store, 'read').mockRejectedValueOnce(new StoreUnavailable('gone for now'));
      publish(world, streaming.tool('a', 1, { percent: 10 }));
      await eventually('the read', () => reads.mock.calls.length > 0);
      await eventually('the patch', () => {
        world.clock.advance(1_000);
        return names(sink.frames).includes('message.block.patch');
      });
      expect(names(sink.more())).toEqual(['message.upsert', 'message.block.patch']);
    });

    test('is shown though the bus lost the signal, once the bus is back', async () => {
      const { world, streaming, sink } = await behind();
      const signal = streaming.tool('a', 1, { percent: 10 });
      await world.bus.setPreview(progressKey(sessionId), 'dlv_a', JSON.stringify(signal), 60_000);
      world.bus.setHealthy(true);
      await saw(sink, 'message.block.patch');
      expect(names(sink.more())).toEqual(['message.upsert', 'message.block.patch']);
    });

    test('is not shown of a call that has ended by then', async () => {
      const { world, history, streaming, sink } = await behind();
      await world.append(...history.answered('a'));
      publish(world, streaming.tool('a', 1, { percent: 10 }), new Streaming(history.turnId, history).started());
      await eventually('the next row', () => sink.frames.at(-1)?.data.status === 'streaming');
      expect(sink.more().map(({ event, data }) => [event, data.status])).toEqual([
        ['message.upsert', 'final'],
        ['message.block.patch', 'ok'],
        ['message.upsert', 'streaming'],
      ]);
    });
  });

  test('a call that ends with its turn shows as cancelled', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    await world.append(...history.called('a'));
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    sink.more();
    await world.append(...history.results('a'), ...history.ended('cancelled'));
    await eventually('the end', () => sink.ended);
    expect(sink.more().map(({ event, data }) => [event, data.status])).toEqual([
      ['message.block.patch', 'cancelled'],
      ['message.upsert', 'final'],
      ['turn.upsert', 'cancelled'],
      ['stream.end', undefined],
    ]);
  });

  test('a late joiner gets the streaming row from the preview, without a delta twice', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const streaming = new Streaming(history.turnId, history);
    const preview = {
      turn_id: history.turnId,
      message_id: streaming.messageId,
      turn_index: 1,
      created_at: 'x',
      model: 'm',
      content: [{ type: 'text', text: 'Hello' }],
      last_live_sequence: 3,
      updated_at: 'x',
    };
    await world.bus.setPreview(previewKey(sessionId), history.turnId, JSON.stringify(preview), 60_000);
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    publish(world, streaming.delta(0, 3, 'lo'), streaming.delta(0, 5, ' you'));
    await saw(sink, 'message.delta');
    expect(sink.frames.find(({ data }) => data.status === 'streaming')?.data).toMatchObject({
      content: [{ type: 'text', text: 'Hello' }],
    });
    expect(sink.frames.filter(({ event }) => event === 'message.delta').map(({ data }) => data.text)).toEqual([' you']);
  });

  test('lost deltas are made up from the preview', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    const streaming = new Streaming(history.turnId, history);
    publish(world, streaming.started(), streaming.block(0, { type: 'text', text: '' }), streaming.delta(0, 4, 'more'));
    await saw(sink, 'message.block');
    const preview = {
      turn_id: history.turnId,
      message_id: streaming.messageId,
      turn_index: 1,
      created_at: 'x',
      model: 'm',
      content: [{ type: 'text', text: 'Any m' }],
      last_live_sequence: 3,
      updated_at: 'x',
    };
    await world.bus.setPreview(previewKey(sessionId), history.turnId, JSON.stringify(preview), 60_000);
    await eventually('the text', () => {
      world.clock.advance(200);
      return JSON.stringify(sink.frames).includes('Any m');
    });
    await saw(sink, 'message.delta');
    expect(sink.frames.at(-1)?.data).toMatchObject({ event_type: 'message.delta', text: 'ore' });
  });

  test('signals and members that only a later build knows show nothing and lose nothing (invariant 77)', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    sink.more();
    const streaming = new Streaming(history.turnId, history);
    const known = [
      streaming.started(),
      streaming.block(0, { type: 'text', text: '' }),
      streaming.delta(0, 0, 'Hel'),
      streaming.delta(0, 3, 'lo'),
    ];
    for (const signal of known) {
      const later = { ...signal, type: 'of_a_later_build', of_a_later_build: { list: [1] } };
      for (const frame of [later, { ...later, turn_id: null }, { type: 'of_a_later_build' }, ['of_a_later_build']])
        world.bus.publish(liveChannel.nameOf(sessionId), frame as Json);
      world.bus.publish(liveChannel.nameOf(sessionId), { ...later, type: signal.type } as Json);
    }
    await eventually('the text', () => sink.frames.at(-1)?.data.text === 'lo');
    const frames = sink.more();
    expect(names(frames)).toEqual(['message.upsert', 'message.block', 'message.delta', 'message.delta']);
    expect(frames.map(({ data }) => data.text).join('')).toBe('Hello');
    expect(sink.raw).not.toContain('of_a_later_build');
  });

  test('what is committed does not stream again, however late its signals come', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    const late = new Streaming(history.turnId, history);
    await world.append(...history.called('a'));
    await world.append(...history.answered('a'));
    await eventually('the patch', () => names(sink.frames).includes('message.block.patch'));
    sink.more();
    publish(
      world,
      late.started(),
      late.block(0, { type: 'text', text: '' }),
      late.delta(0, 0, 'late'),
      late.tool('a', 1, { percent: 99 }),
    );
    const next = new Streaming(history.turnId, history);
    publish(world, next.started());
    await eventually('the next row', () => sink.raw.includes(next.messageId));
    expect(names(sink.more())).toEqual(['message.upsert']);
    const done = new Streaming(history.turnId, history);
    await world.append(...history.ended('failed'));
    await eventually('the end', () => sink.ended);
    publish(world, done.started());
    expect(names(sink.more())).toEqual(['turn.upsert', 'stream.end']);
  });

  test('a slow reader gets live frames where they belong between the rows', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const [slow, quick] = [
      await world.watch({ protocol: 'v2', after: -1 }),
      await world.watch({ protocol: 'v2', after: -1 }),
    ];
    await saw(slow.sink, 'stream.ready');
    slow.sink.more();
    slow.sink.block();
    publish(world, new Streaming(history.turnId, history).started());
    await eventually('the first row streams', () => quick.sink.frames.at(-1)?.data.turn_index === 1);
    await world.append(...history.said('one'));
    await eventually('the first row is final', () => quick.sink.frames.at(-1)?.data.status === 'final');
    publish(world, new Streaming(history.turnId, history).started());
    await eventually('the second row streams', () => quick.sink.frames.at(-1)?.data.turn_index === 2);
    slow.sink.resume();
    await eventually('all of it', () => slow.sink.frames.at(-1)?.data.turn_index === 2);
    expect(slow.sink.more().map(({ data }) => [data.turn_index, data.status])).toEqual([
      [1, 'streaming'],
      [1, 'final'],
      [2, 'streaming'],
    ]);
  });

  test('hidden rows never show, in either protocol', async () => {
    const world = streamsWorld();
    const history = new History();
    await world.append(...history.opened(), ...history.queued('secret', true));
    await world.append(...history.partial(), ...history.ended('failed'));
    for (const protocol of ['v1', 'v2'] as const) {
      const { sink } = await world.watch({ protocol, after: -1 });
      await eventually('the end', () => sink.ended);
      expect(sink.raw).not.toContain('app-page');
      expect(sink.raw).not.toContain('half');
    }
  });

  test('interactions show in v2 only', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    await world.append(...history.interaction('iact_1', 'pending'), ...history.parked('iact_1'));
    const [v1, v2] = [
      await world.watch({ protocol: 'v1', after: -1 }),
      await world.watch({ protocol: 'v2', after: -1 }),
    ];
    await saw(v2.sink, 'interaction.upsert');
    await saw(v1.sink, 'turn.upsert');
    expect(names(v1.sink.frames)).not.toContain('interaction.upsert');
    expect(v2.sink.frames.find(({ event }) => event === 'turn.upsert')?.data.wait).toBeUndefined();
    expect(v2.sink.ended).toBe(false);
  });
});

describe('v1', () => {
  test('rows after the position with their numbers, turns without, signals last', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    await world.append(...history.said('one'), ...history.ended());
    await world.append(...history.queued('again'));
    await world.append(...history.claimed());
    const { sink } = await world.watch({ protocol: 'v1', after: -1 });
    await eventually('the open turn', () => sink.frames.length >= 6);
    expect(
      sink.more().map(({ event, id, data }) => [event, id, data.sequence ?? data.status ?? data.dedupe_key]),
    ).toEqual([
      ['user.message', '1', 1],
      ['agent.message', '2', 2],
      ['turn.upsert', undefined, 'completed'],
      ['turn.completed', undefined, `turn:${String(sink.frames[2]?.data.id)}:completed`],
      ['user.message', '3', 3],
      ['turn.upsert', undefined, 'running'],
    ]);
    await world.append(...history.nudge());
    await world.append(...history.said('two'), ...history.ended('cancelled'));
    await eventually('the end', () => sink.ended);
    expect(names(sink.more())).toEqual([
      'nudge.queued',
      'agent.message',
      'turn.upsert',
      'turn.cancelled',
      'stream.end',
    ]);
  });

  test('live text and tools carry no id', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const calling = new Streaming(history.turnId, history);
    await world.append(...history.called('a'));
    const { sink } = await world.watch({ protocol: 'v1', after: -1 });
    await saw(sink, 'turn.upsert');
    sink.more();
    const streaming = new Streaming(history.turnId, history);
    publish(
      world,
      streaming.started(),
      streaming.block(0, { type: 'text', text: '' }),
      streaming.delta(0, 0, 'Hi'),
      streaming.block(0, { type: 'text', text: 'Hi' }, true),
      calling.tool('a', 1, { percent: 5 }),
    );
    await saw(sink, 'tool.call');
    const live = sink.more();
    expect(live.map(({ event, id }) => [event, id])).toEqual([
      ['generation.delta', undefined],
      ['session.message.preview', undefined],
      ['tool.call', undefined],
    ]);
    expect(live[0]?.data).toMatchObject({
      delta: { text: 'Hi' },
      turn_id: history.turnId,
      live_sequence: 3,
      delta_sequence: 0,
      model: 'm',
    });
    expect(live[1]?.data).toMatchObject({
      content: [{ type: 'text', text: 'Hi' }],
      metadata: { response_message_index: 2 },
    });
    expect(live[2]?.data).toMatchObject({ tool_call_id: 'a', progress: { percent: 5 } });
  });

  test('stays open while a pass that a turn set off runs; the summary comes before the end', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v1', after: -1 });
    await world.append(...history.said('one'), ...history.compacting());
    await world.append(...history.summarised(), ...history.ended());
    await eventually('the end', () => sink.ended);
    expect(names(sink.frames).slice(-5)).toEqual([
      'compaction.started',
      'compaction.created',
      'turn.upsert',
      'turn.completed',
      'stream.end',
    ]);
    const summary = sink.frames.find(({ event }) => event === 'compaction.created');
    expect(summary?.id).toBe(String(summary?.data.sequence));
  });

  test('an inline stream ends with its turn although another is open', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const first = history.turnId;
    const { sink } = await world.watch({ protocol: 'v1', after: -1, untilFinal: first });
    await world.append(...history.said('one'), ...history.ended(), ...history.queued('next'));
    await eventually('the end', () => sink.ended);
    expect(names(sink.frames).at(-1)).toBe('stream.end');
  });
});

describe('slow readers', () => {
  test('lose live frames only: v1 is told to look again, v2 is rotated', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const [v1, v2, quick] = await Promise.all([
      world.watch({ protocol: 'v1', after: -1 }),
      world.watch({ protocol: 'v2', after: -1 }),
      world.watch({ protocol: 'v2', after: -1 }),
    ]);
    await eventually('all there', () =>
      [v1, v2, quick].every(({ sink }) =>
        names(sink.frames).some((name) => name === 'stream.ready' || name === 'turn.upsert'),
      ),
    );
    v1.sink.block();
    v2.sink.block();
    const streaming = new Streaming(history.turnId, history);
    publish(world, streaming.started(), streaming.block(0, { type: 'text', text: '' }));
    for (let n = 0; n < waitingFramesMax + 10; n += 1) publish(world, streaming.delta(0, n, 'x'));
    await eventually(
      'the quick one has it all',
      () => names(quick.sink.frames).filter((name) => name === 'message.delta').length === waitingFramesMax + 10,
    );
    const revision = await world.append(...history.said('x'));
    await eventually('the quick one has the row', () => quick.sink.frames.at(-1)?.data.status === 'final');
    v1.sink.more();
    v2.sink.more();
    v1.sink.resume();
    v2.sink.resume();
    await eventually('v2 ends', () => v2.sink.ended);
    await saw(v1.sink, 'session.resync');
    expect(names(v1.sink.more())).toEqual(['agent.message', 'session.resync']);
    const told = v2.sink.more();
    expect(told.map(({ event, data }) => [event, data.status ?? data.reason])).toEqual([
      ['message.upsert', 'final'],
      ['stream.end', 'rotate'],
    ]);
    expect(world.cursors.open(orgId, sessionId, String(told[0]?.id))).toBe(revision);
  });

  test('a reader that takes nothing for a minute is dropped; others go on', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const [stuck, other] = [
      await world.watch({ protocol: 'v2', after: -1 }),
      await world.watch({ protocol: 'v2', after: -1 }),
    ];
    await saw(stuck.sink, 'stream.ready');
    stuck.sink.block();
    await world.append(...history.said('one'));
    await eventually('the other has it', () => other.sink.raw.includes('"one"'));
    world.clock.advance(30_000);
    expect(stuck.sink.isOpen).toBe(true);
    world.clock.advance(31_000);
    expect(stuck.sink.isOpen).toBe(false);
    expect(other.sink.isOpen).toBe(true);
  });
});

describe('upkeep', () => {
  test('with the bus down durable frames arrive within 2 s', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    world.bus.setHealthy(false);
    await world.append(...history.said('unheard'));
    const from = world.clock.monotonic();
    world.clock.advance(2_000);
    await eventually('the row', () => sink.raw.includes('unheard'));
    expect(world.clock.monotonic() - from).toBe(2_000);
  });

  test('a lost ring is made up by the next look at heads', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v1', after: -1 });
    await saw(sink, 'turn.upsert');
    world.bus.passes = () => [];
    await world.append(...history.said('unheard'));
    world.clock.advance(16_000);
    await eventually('the row', () => sink.raw.includes('unheard'));
  });

  test('a read that failed is tried again within a second, and nothing is lost or doubled', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v1', after: -1 });
    await saw(sink, 'turn.upsert');
    let failures = 0;
    const read = world.store.read.bind(world.store);
    world.store.read = async (...asked) => {
      failures += 1;
      if (failures <= 3) throw new StoreUnavailable('gone for now');
      return read(...asked);
    };
    await world.append(...history.said('one'), ...history.ended());
    await eventually('the end', () => {
      world.clock.advance(1_000);
      return sink.ended;
    });
    expect(names(sink.frames)).toEqual([
      'user.message',
      'turn.upsert',
      'agent.message',
      'turn.upsert',
      'turn.completed',
      'stream.end',
    ]);
  });

  test('whoever may not read any more is let go within 30 s', async () => {
    const world = streamsWorld();
    await openTurn(world);
    let mayRead = true;
    const { sink } = await world.watch({ protocol: 'v2', after: -1, mayRead: async () => mayRead });
    await saw(sink, 'stream.ready');
    world.clock.advance(31_000);
    expect(sink.ended).toBe(false);
    mayRead = false;
    world.clock.advance(31_000);
    await eventually('the end', () => sink.ended);
  });

  test('a session nobody watches costs nothing', async () => {
    const world = streamsWorld();
    await openTurn(world);
    const watching = [
      await world.watch({ protocol: 'v1', after: -1 }),
      await world.watch({ protocol: 'v2', after: -1 }),
    ];
    expect(world.feeds.size).toBe(1);
    for (const { leave } of watching) {
      leave();
      leave();
    }
    expect(world.feeds.size).toBe(0);
    world.clock.advance(1_000);
    expect(world.clock.pendingTimers).toBe(0);
  });
});

describe('TP14: what this process appended is handed over', () => {
  /** Frames of a turn with a large value, and how often the log was read for them. */
  async function followedTurn(isHandedOver: boolean): Promise<{ frames: SeenFrame[]; reads: number }> {
    const world = streamsWorld();
    if (!isHandedOver) jest.spyOn(world.decisions, 'ownEvents').mockReturnValue(null);
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    const reads = jest.spyOn(world.store, 'read');
    const follow = async (...events: SessionEvent[]) => {
      const seen = sink.frames.length;
      await world.append(...events);
      await eventually('its frames', () => sink.frames.length > seen);
    };
    await follow(...history.called('a'));
    await follow(...history.answered('a'));
    await follow(...history.results('a'));
    await follow(...history.said('x'.repeat(100_000)));
    await follow(...history.said('Hello'), ...history.ended());
    await eventually('the end', () => sink.ended);
    return { frames: sink.frames, reads: reads.mock.calls.length };
  }

  test('the frames are those of a feed that reads the log', async () => {
    const [handed, read] = [await followedTurn(true), await followedTurn(false)];
    expect(handed.frames).toEqual(read.frames);
    expect(handed.reads).toBeLessThan(read.reads);
  });

  test('a turn whose values fit into the log is followed without a read of it', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    const reads = jest.spyOn(world.store, 'read');
    await world.append(...history.said('Hello'), ...history.ended());
    await eventually('the end', () => sink.ended);
    expect(names(sink.more()).slice(-3)).toEqual(['message.upsert', 'turn.upsert', 'stream.end']);
    expect(reads).not.toHaveBeenCalled();
  });

  test('what another process appended is read', async () => {
    const world = streamsWorld();
    const history = await openTurn(world);
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await saw(sink, 'stream.ready');
    const elsewhere = jest.spyOn(world.decisions, 'ownEvents').mockReturnValueOnce(null);
    await world.append(...history.said('Hello'));
    await saw(sink, 'message.upsert');
    elsewhere.mockRestore();
    await world.append(...history.ended());
    await eventually('the end', () => sink.ended);
    expect(names(sink.frames).slice(-3)).toEqual(['message.upsert', 'turn.upsert', 'stream.end']);
  });
});
