import fc from 'fast-check';
import type { Json } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { MemoryLiveBus } from '@aos/adapters/memory';
import { Audience } from './audience.js';
import { LivePublisher } from './live-publisher.js';
import {
  liveChannel,
  previewKey,
  watchLookMs,
  watchTtlMs,
  watchedWord,
  type LivePreview,
  type LiveSignal,
} from './live.signals.js';
import { SessionWatches, type Announcement } from './session-watches.js';

const sessionId = 'ses_1';
const turnId = 'turn_1';

/** A bus that counts live signals, and loses words and breaks when it is asked to. */
class CountingBus extends MemoryLiveBus {
  signals = 0;
  losesWords = false;
  isBroken = false;

  override publish(channel: string, message: Json): void {
    if (channel === liveChannel.nameOf(sessionId)) this.signals += 1;
    if (message === watchedWord && this.losesWords) return;
    super.publish(channel, message);
  }
  override async preview(key: string): Promise<Map<string, string>> {
    if (this.isBroken) throw new Error('not reached');
    return super.preview(key);
  }
}

/** What a viewer in another process knows of the row: signals where they fit, the preview where one is missing. */
class Viewer {
  texts: string[] = [];
  private knows = false;
  private subscription: { close(): void } | null = null;

  constructor(private readonly bus: CountingBus) {}

  get isHere(): boolean {
    return this.subscription !== null;
  }

  /** Its process says so itself: it may be another one than the run's. */
  async come(announcement: Announcement): Promise<void> {
    if (this.subscription) return;
    this.subscription = liveChannel.subscribe(this.bus, sessionId, (signal) => {
      if (!this.takes(signal)) this.read().catch(fail);
    });
    announcement.say();
    await this.read();
  }

  leave(): void {
    this.subscription?.close();
    this.subscription = null;
    [this.texts, this.knows] = [[], false];
  }

  private takes(signal: LiveSignal): boolean {
    if (signal.type === 'row_started') [this.texts, this.knows] = [[], true];
    if (signal.type === 'block_opened') {
      if (!this.knows || signal.content_index > this.texts.length) return false;
      this.texts[signal.content_index] ??= '';
    }
    if (signal.type === 'delta') {
      const known = this.texts[signal.content_index];
      if (!this.knows || known === undefined || signal.offset > known.length) return false;
      this.texts[signal.content_index] = known + (signal.text ?? '').slice(known.length - signal.offset);
    }
    return true;
  }

  private async read(): Promise<void> {
    const text = (await this.bus.preview(previewKey(sessionId))).get(turnId);
    if (text === undefined || !this.subscription) return;
    const texts = (JSON.parse(text) as LivePreview).content.map((block) => String(block.text));
    if (this.knows && texts.join('').length < this.texts.join('').length) return;
    [this.texts, this.knows] = [texts, true];
  }
}

const troubles: unknown[] = [];
const fail = (error: unknown) => {
  troubles.push(error);
};

/** A run that shows a row, and processes in which viewers follow it. */
function shownRun() {
  const clock = new ManualClock();
  const bus = new CountingBus({ clock, onTrouble: fail });
  const watches = new SessionWatches(bus, clock);
  const audience = new Audience(watches, sessionId, clock, fail);
  const live = new LivePublisher(bus, clock, sessionId, turnId, audience, fail);
  const watch = bus.subscribe(`ring:session-${sessionId}`, (message) => {
    audience.hear(message);
  });
  const texts: string[] = [];
  return {
    clock,
    bus,
    watches,
    audience,
    live,
    texts,
    begin: () => {
      audience.begin(watch);
    },
    start() {
      texts.length = 0;
      live.startRow('row_1', 0, 'm');
      this.open();
    },
    open() {
      texts.push('');
      live.show({ type: 'block_start', index: texts.length - 1, block: { type: 'text' } });
    },
    say(text: string) {
      texts[texts.length - 1] += text;
      live.show({ type: 'text_delta', index: texts.length - 1, text });
    },
    end() {
      live.endRow();
      audience.close();
      watch.close();
    },
  };
}

/** Everything that was sent arrives. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise(setImmediate);
}

type Step =
  | { what: 'say'; text: string }
  | { what: 'open' | 'again' | 'come' | 'leave' | 'settle' }
  | { what: 'pass'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant('say' as const), text: fc.string({ minLength: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('open' as const, 'again' as const) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constantFrom('come' as const, 'leave' as const) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('settle' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('pass' as const), ms: fc.constantFrom(50, 250, 1_000, 40_000) }),
  },
);

beforeEach(() => {
  troubles.length = 0;
});

describe('TP30: text that is shown only while the session is followed', () => {
  test('a viewer who comes at any time has all of it, at once, and nothing is published while none is there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, isExpected) => {
        const run = shownRun();
        const other = new SessionWatches(run.bus, run.clock);
        const announcement = other.announcement(sessionId, fail);
        const viewer = new Viewer(run.bus);
        if (isExpected) run.watches.expect(sessionId);
        run.begin();
        run.start();
        let followedUntil = isExpected ? watchTtlMs : Number.NEGATIVE_INFINITY;
        for (const one of steps) {
          if (viewer.isHere) {
            announcement.renew();
            followedUntil = run.clock.monotonic() + watchTtlMs;
          }
          const before = run.bus.signals;
          const isQuiet = run.clock.monotonic() > followedUntil + 2 * watchLookMs && run.audience.isAbsent;
          if (one.what === 'say') run.say(one.text);
          if (one.what === 'open') run.open();
          if (one.what === 'again') {
            run.live.discardRow();
            run.start();
          }
          if (one.what === 'come') await viewer.come(announcement);
          if (one.what === 'leave') viewer.leave();
          if (one.what === 'pass')
            for (let ms = 0; ms < one.ms; ms += 250) {
              run.clock.advance(Math.min(250, one.ms - ms));
              await settle();
              if (viewer.isHere) announcement.renew();
            }
          if (one.what === 'settle') await settle();
          if (isQuiet && one.what !== 'come') expect(run.bus.signals).toBe(before);
          if (!viewer.isHere) continue;
          await settle();
          expect(viewer.texts.join('|')).toBe(run.texts.join('|'));
        }
        run.end();
        expect(troubles).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('a word that is lost costs a second at most', async () => {
    const run = shownRun();
    run.begin();
    run.start();
    run.say('all that was said before');
    await settle();
    expect([run.bus.signals, run.audience.isAbsent]).toEqual([0, true]);
    const viewer = new Viewer(run.bus);
    run.bus.losesWords = true;
    await viewer.come(new SessionWatches(run.bus, run.clock).announcement(sessionId, fail));
    await settle();
    expect(viewer.texts).toEqual([]);
    run.clock.advance(watchLookMs);
    await settle();
    expect(viewer.texts).toEqual(['all that was said before']);
    run.end();
  });

  test('while the bus does not answer, everything is published', async () => {
    const run = shownRun();
    run.bus.isBroken = true;
    run.begin();
    run.start();
    run.say('text');
    await settle();
    expect(run.audience.isPresent).toBe(true);
    expect(run.bus.signals).toBe(3);
    run.bus.isBroken = false;
    run.clock.advance(watchLookMs);
    await settle();
    expect(run.audience.isAbsent).toBe(true);
    run.end();
  });

  test('a word that comes while the key is looked for counts, whatever the look finds', async () => {
    const run = shownRun();
    run.begin();
    await settle();
    expect(run.audience.isAbsent).toBe(true);
    let answer: (found: Map<string, string>) => void = () => undefined;
    jest.spyOn(run.bus, 'preview').mockReturnValueOnce(
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    run.clock.advance(watchLookMs);
    run.audience.hear(watchedWord);
    answer(new Map());
    await settle();
    expect(run.audience.isPresent).toBe(true);
    run.end();
  });

  test('progress of a call is shown to who comes while it goes on, and cleared when it ends', async () => {
    const run = shownRun();
    run.begin();
    await settle();
    const shown = { message_id: 'row_1', content_index: 0, tool_call_id: 'c', tool_name: 't' };
    const call = { ...shown, name: 't', input: {}, delivery_id: 'dlv_1' };
    const progress = run.live.progressOf(shown, call);
    progress.report({ done: 1 });
    expect(run.bus.signals).toBe(0);
    expect(await run.bus.preview('progress:ses_1')).toEqual(new Map());
    const seen: LiveSignal[] = [];
    liveChannel.subscribe(run.bus, sessionId, (signal) => seen.push(signal));
    await new SessionWatches(run.bus, run.clock).announce(sessionId);
    await settle();
    expect(seen).toMatchObject([{ type: 'tool_call', tool_call_id: 'c', progress: { done: 1 } }]);
    expect([...(await run.bus.preview('progress:ses_1')).keys()]).toEqual([expect.stringMatching(/^dlv_1@/)]);
    progress.end();
    await settle();
    expect(seen.at(-1)).toMatchObject({ type: 'tool_call', tool_call_id: 'c', progress: null });
    expect(await run.bus.preview('progress:ses_1')).toEqual(new Map());
    run.end();
  });

  test('a row has a preview from 200 ms on though no one follows, for reads of the live state', async () => {
    const run = shownRun();
    run.begin();
    await settle();
    run.start();
    run.say('a');
    await settle();
    expect(await run.bus.preview(previewKey(sessionId))).toEqual(new Map());
    run.clock.advance(200);
    run.say('b');
    run.clock.advance(200);
    const kept = (await run.bus.preview(previewKey(sessionId))).get(turnId) ?? '';
    expect((JSON.parse(kept) as LivePreview).content).toEqual([{ type: 'text', text: 'ab' }]);
    run.end();
    expect(await run.bus.preview(previewKey(sessionId))).toEqual(new Map());
    expect(run.bus.signals).toBe(0);
  });
});
