import { StoreUnavailable, type Json } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { MemoryLiveBus } from '@aos/adapters/memory';
import type { ToolCall } from '../session/session.events.js';
import { Audience } from './audience.js';
import { LivePublisher } from './live-publisher.js';
import {
  liveChannel,
  previewTtlMs,
  progressEveryMs,
  progressKey,
  watchLookMs,
  watchTtlMs,
  watchedWord,
  type LiveSignal,
} from './live.signals.js';
import { SessionWatches } from './session-watches.js';

const sessionId = 'ses_1';
const call: ToolCall = { content_index: 1, tool_call_id: 'a', name: 'far', input: {}, delivery_id: 'dlv_a' };
const shown = { message_id: 'row_1', content_index: 1, tool_call_id: 'a', tool_name: 'far' };

/** Notes in which order things reach the bus, and keeps nothing while it is down. */
class NotedBus extends MemoryLiveBus {
  readonly noted: string[] = [];
  isDown = false;

  override publish(channel: string, message: Json): void {
    if (channel === liveChannel.nameOf(sessionId) && message !== watchedWord) this.noted.push('said');
    super.publish(channel, message);
  }
  override async setPreview(key: string, field: string, value: string, ttlMs: number): Promise<void> {
    if (this.isDown) throw new StoreUnavailable('gone for now');
    if (key === progressKey(sessionId)) this.noted.push('kept');
    await super.setPreview(key, field, value, ttlMs);
  }
}

/** Lets everything run that waits for a turn of the loop. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

/** A call under way, and a viewer's process that comes and goes; `beside` another process that shows the same call. */
function calling(beside?: { clock: ManualClock; bus: NotedBus }) {
  const clock = beside?.clock ?? new ManualClock();
  const troubles: unknown[] = [];
  const onTrouble = (error: unknown) => {
    troubles.push(error);
  };
  const bus = beside?.bus ?? new NotedBus({ clock, onTrouble });
  const watches = new SessionWatches(bus, clock); // of the run
  const audience = new Audience(watches, sessionId, clock, onTrouble);
  const live = new LivePublisher(bus, clock, sessionId, 'turn_1', audience, onTrouble);
  const watch = bus.subscribe(`ring:session-${sessionId}`, (message) => {
    audience.hear(message);
  });
  const seen: LiveSignal[] = [];
  const viewers = new SessionWatches(bus, clock);
  return {
    clock,
    bus,
    troubles,
    watches,
    viewers,
    progress: live.progressOf(shown, call),
    begin: () => {
      audience.begin(watch);
    },
    /** A viewer's process listens from here on, and says so. */
    async come(): Promise<void> {
      liveChannel.subscribe(bus, sessionId, (signal) => {
        seen.push(signal);
      });
      viewers.announcement(sessionId, onTrouble).say();
      await settle();
    },
    /** The viewer is gone, and the run knows it. */
    async leave(): Promise<void> {
      clock.advance(watchTtlMs + watchLookMs);
      await settle();
    },
    said: () => seen.map((signal) => ('progress' in signal ? signal.progress : signal.type)),
    async keptAt(from: number): Promise<string[]> {
      const texts = [...(await bus.preview(progressKey(sessionId))).values()];
      const signals = texts.map((text) => JSON.parse(text) as { progress?: unknown; reported_at?: number });
      return signals.map((one) => `${JSON.stringify(one.progress)} at ${(one.reported_at ?? 0) - from}`);
    },
    async kept(): Promise<unknown[]> {
      const texts = [...(await bus.preview(progressKey(sessionId))).values()];
      return texts.map((text) => (JSON.parse(text) as { progress?: unknown }).progress);
    },
  };
}

describe('TE80: progress that is said once', () => {
  test('before the first look is said when someone follows, and kept', async () => {
    const run = calling();
    await run.come();
    run.begin();
    run.progress.report({ step: 1 });
    expect(run.said()).toEqual([]);
    await settle();
    expect(run.said()).toEqual([{ step: 1 }]);
    expect(await run.kept()).toEqual([{ step: 1 }]);
  });

  test('between the look and its answer is said when the word comes meanwhile', async () => {
    const run = calling();
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    jest.spyOn(run.bus, 'preview').mockImplementationOnce(async () => {
      await answered;
      return new Map();
    });
    run.begin();
    await settle();
    run.progress.report({ step: 1 });
    await run.come();
    answer();
    await settle();
    expect(run.said()).toEqual([{ step: 1 }]);
  });

  test('while no one follows is said to who comes, once', async () => {
    const run = calling();
    run.begin();
    await settle();
    run.progress.report({ step: 1 });
    expect(run.bus.noted).toEqual([]);
    await run.come();
    run.viewers.announcement(sessionId, () => undefined).say();
    await settle();
    expect(run.said()).toEqual([{ step: 1 }]);
    expect(await run.kept()).toEqual([{ step: 1 }]);
  });

  test('by two processes is kept of both, each with the time of its report', async () => {
    const run = calling();
    run.clock.advance(1);
    const other = calling(run);
    for (const { begin } of [run, other]) begin();
    await run.come();
    const from = run.clock.now();
    for (const [step, { progress }] of [run, other, other, run].entries()) {
      progress.report({ step });
      run.clock.advance(1);
    }
    run.clock.advance(progressEveryMs);
    await settle();
    expect(await run.keptAt(from)).toEqual(['{"step":3} at 3', '{"step":2} at 2']);
    run.progress.end();
    await settle();
    expect(await run.keptAt(from)).toEqual(['{"step":2} at 2']);
  });

  test('after those who saw earlier progress are gone is what the next one sees', async () => {
    const run = calling();
    run.begin();
    await settle();
    run.progress.report({ step: 1 });
    await run.come();
    await run.leave();
    run.progress.report({ step: 2 });
    expect(await run.kept()).toEqual([{ step: 1 }]);
    await run.come();
    expect(await run.kept()).toEqual([{ step: 2 }]);
    expect(run.said().at(-1)).toEqual({ step: 2 });
  });

  test('is kept before it is published: who listens behind the signal finds it', async () => {
    const run = calling();
    run.watches.expect(sessionId);
    run.begin();
    run.progress.report({ step: 1 });
    expect(run.bus.noted).toEqual(['kept', 'said']);
  });

  test('while the bus keeps nothing is said again to who comes when it is back', async () => {
    const run = calling();
    run.watches.expect(sessionId);
    run.begin();
    run.bus.isDown = true;
    run.progress.report({ step: 1 });
    await settle();
    expect(run.troubles).toHaveLength(1);
    run.bus.isDown = false;
    await run.come();
    expect(run.said()).toEqual([{ step: 1 }]);
    expect(await run.kept()).toEqual([{ step: 1 }]);
  });

  test('is said again to who comes after the bus let go of it', async () => {
    const run = calling();
    run.begin();
    await settle();
    await run.come();
    run.progress.report({ step: 1 });
    await settle();
    run.clock.advance(previewTtlMs);
    expect(await run.kept()).toEqual([]);
    await run.come();
    expect(await run.kept()).toEqual([{ step: 1 }]);
  });

  test.each(['present', 'absent'] as const)(
    'is kept no longer than its call, with viewers %s at its end',
    async (end) => {
      const run = calling();
      run.begin();
      await settle();
      await run.come();
      run.progress.report({ step: 1 });
      await settle();
      if (end === 'absent') await run.leave();
      run.progress.end();
      await settle();
      expect(await run.kept()).toEqual([]);
      if (end === 'present') expect(run.said()).toEqual([{ step: 1 }, null]);
    },
  );
});
