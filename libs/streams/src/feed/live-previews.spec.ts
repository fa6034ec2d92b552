import type { LiveBus } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import type { Block, LivePreview } from '@aos/sessions/published';
import type { LiveChange } from '../frames/live-row.frames.js';
import { History, Streaming } from '../testing/history.fixture.js';
import { LivePreviews } from './live-previews.js';
import { previewReadsMax } from './stream.limits.js';

const text: Block = { type: 'text', text: 'so far' };

/** Previews of one turn whose reads of the bus the test answers. */
function reading() {
  const history = new History();
  history.queued();
  history.claimed();
  const streaming = new Streaming(history.turnId, history);
  const clock = new ManualClock();
  const answers: ((kept: boolean) => void)[] = [];
  const preview: LivePreview = {
    turn_id: history.turnId,
    message_id: streaming.messageId,
    turn_index: streaming.turnIndex,
    created_at: '2026-01-01T00:00:00.000Z',
    model: 'm',
    content: [text],
    last_live_sequence: 1,
    updated_at: '2026-01-01T00:00:00.000Z',
  };
  const bus = {
    preview: () =>
      new Promise<Map<string, string>>((resolve) => {
        answers.push((isKept) => {
          resolve(new Map(isKept ? [[history.turnId, JSON.stringify(preview)]] : []));
        });
      }),
  } as unknown as LiveBus;
  const changes: LiveChange[] = [];
  const troubles: unknown[] = [];
  const previews = new LivePreviews({
    sessionId: 'ses_1',
    bus,
    clock,
    tell: (change) => void changes.push(change),
    isAhead: () => true,
    onTrouble: (error) => void troubles.push(error),
  });
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  };
  return { history, streaming, clock, answers, changes, troubles, previews, settle };
}

/** What a run says to a viewer that came in the middle: nothing new, so that it finds that something is missing. */
const endOf = (streaming: Streaming) => streaming.delta(0, 6, '');

describe('the row that streams when a viewer comes', () => {
  it('is found when the run says where it stands while the first preview is read', async () => {
    const { history, streaming, answers, changes, troubles, previews, settle } = reading();
    const refreshed = previews.refresh([history.turnId]);
    previews.apply(endOf(streaming));
    answers[0]?.(false); // read before the run wrote it
    await settle();
    answers[1]?.(true); // at once: no timer has fired
    await refreshed;
    expect(changes).toMatchObject([{ type: 'row', row: { turnId: history.turnId, content: [text] } }]);
    expect([previews.streaming().length, troubles]).toEqual([1, []]);
  });

  it('is left to the final row when the preview does not come within a few reads', async () => {
    const { history, streaming, clock, answers, changes, previews, settle } = reading();
    const refreshed = previews.refresh([history.turnId]);
    previews.apply(endOf(streaming));
    let answered = 0;
    for (; answered < answers.length; answered += 1) {
      answers[answered]?.(false);
      await settle();
      clock.advance(1_000);
      await settle();
    }
    await refreshed;
    expect(changes).toEqual([]);
    expect(answered).toBeLessThanOrEqual(previewReadsMax + 1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is read once where nothing streams', async () => {
    const { history, clock, answers, changes, previews, settle } = reading();
    const refreshed = previews.refresh([history.turnId]);
    answers[0]?.(false);
    await refreshed;
    await settle();
    expect([answers.length, clock.pendingTimers, changes]).toEqual([1, 0, []]);
  });
});
