import type { Clock, LiveBus } from '@aos/kernel';
import { previewEveryMs, previewKey, type LivePreview, type LiveSignal } from '@aos/sessions/published';
import { LiveRows, type LiveChange, type LiveRow } from '../frames/live-row.frames.js';
import type { SessionEventAt } from './session-log.js';
import { deferredSignalsMax, previewReadsMax } from './stream.limits.js';

export interface LivePreviewOptions {
  sessionId: string;
  bus: LiveBus;
  clock: Clock;
  tell: (change: LiveChange) => void;
  /** Whether a turn is open and its row at this index is not committed yet. */
  isAhead: (turnId: string, turnIndex: number) => boolean;
  onTrouble: (error: unknown) => void;
}

/** A turn whose preview is being read. */
interface Gap {
  /** Those that wait for it. */
  signals: LiveSignal[];
  reads: number;
  /** Its first signal came when no read had begun behind it. */
  isYoung: boolean;
}

/**
 * The rows that stream in one session, kept whole: a gap in the signals is closed from the preview on the bus.
 *
 * While a turn's preview is read its signals wait. A gap that the preview does not close within a few reads is left to
 * the final row.
 */
export class LivePreviews {
  private readonly rows = new LiveRows();
  private readonly gaps = new Map<string, Gap>();
  private reading = false;
  private timer: { cancel(): void } | null = null;
  private closed = false;

  constructor(private readonly options: LivePreviewOptions) {}

  close(): void {
    this.closed = true;
    this.timer?.cancel();
  }

  /** Rows of turns that are open, not yet committed. */
  streaming(): LiveRow[] {
    return this.rows.all().filter(({ turnId, turnIndex }) => this.options.isAhead(turnId, turnIndex));
  }

  /** A gap in a row holds no signal of a call up: the row of a call is committed. */
  apply(signal: LiveSignal): void {
    if (signal.type === 'tool_call' || signal.type === 'tool_result') {
      this.show(signal);
      return;
    }
    const turnId = signal.turn_id ?? '';
    const gap = this.gaps.get(turnId);
    if (gap && signal.type !== 'row_started') {
      // the read that is under way may have been too early for what the run wrote down before it said this
      if (gap.signals.length === 0) Object.assign(gap, { reads: 0, isYoung: true });
      if (gap.signals.length < deferredSignalsMax) gap.signals.push(signal);
      return;
    }
    if (signal.type === 'row_started') this.gaps.delete(turnId);
    if (this.show(signal) === 'gap') {
      this.gaps.set(turnId, { signals: [signal], reads: 0, isYoung: true });
      this.read().catch(this.options.onTrouble);
    }
  }

  /** Reads the previews of turns that may have streamed before this process listened. */
  async refresh(turnIds: readonly string[]): Promise<void> {
    for (const turnId of turnIds)
      if (!this.gaps.has(turnId)) this.gaps.set(turnId, { signals: [], reads: previewReadsMax - 1, isYoung: false });
    if (turnIds.length > 0) await this.read();
  }

  /** The log went on: a committed row streams no more. */
  committed(event: SessionEventAt): void {
    switch (event.type) {
      case 'MessageAppended': {
        const { turn_id: turnId, turn_index: turnIndex } = event.data.row;
        if (turnId !== null && turnIndex !== null) this.forgetUntil(turnId, turnIndex);
        return;
      }
      case 'TurnCompleted':
      case 'TurnFailed':
      case 'TurnCancelled':
        this.forget(event.data.turn.id);
        return;
      default:
        return;
    }
  }

  private forget(turnId: string): void {
    this.rows.drop(turnId);
    this.gaps.delete(turnId);
  }

  /** Rows of a turn up to this one are committed: nothing waits for them any more. */
  private forgetUntil(turnId: string, turnIndex: number): void {
    if ((this.rows.get(turnId)?.turnIndex ?? Infinity) <= turnIndex) this.rows.drop(turnId);
    const gap = this.gaps.get(turnId);
    if (!gap) return;
    gap.signals = gap.signals.filter((signal) => !('turn_index' in signal) || signal.turn_index > turnIndex);
    if (gap.signals.length === 0) this.gaps.delete(turnId);
  }

  private show(signal: LiveSignal): 'gap' | null {
    const change = this.rows.apply(signal);
    if (change === 'gap') return change;
    if (change) this.options.tell(change);
    return null;
  }

  private async read(): Promise<void> {
    if (this.reading || this.closed) return;
    this.reading = true;
    for (const gap of this.gaps.values()) gap.isYoung = false;
    try {
      this.fill(await this.options.bus.preview(previewKey(this.options.sessionId)));
    } catch (error) {
      for (const gap of this.gaps.values()) gap.reads += 1;
      this.options.onTrouble(error);
    } finally {
      this.reading = false;
    }
    for (const [turnId, { reads }] of [...this.gaps]) if (reads >= previewReadsMax) this.gaps.delete(turnId);
    if (this.gaps.size === 0 || this.closed) return;
    if ([...this.gaps.values()].some(({ isYoung }) => isYoung)) return this.read();
    this.timer = this.options.clock.after(previewEveryMs, () => {
      this.read().catch(this.options.onTrouble);
    });
  }

  private fill(previews: ReadonlyMap<string, string>): void {
    for (const [turnId, gap] of [...this.gaps]) {
      gap.reads += 1;
      const text = previews.get(turnId);
      const preview = text === undefined ? null : (JSON.parse(text) as LivePreview);
      const change = preview && this.options.isAhead(turnId, preview.turn_index) ? this.rows.adopt(preview) : null;
      if (change) this.options.tell(change);
      if (this.replay(gap.signals)) this.gaps.delete(turnId);
    }
  }

  /** Applies what waited; false when the preview is not that far yet. */
  private replay(signals: LiveSignal[]): boolean {
    while (signals.length > 0) {
      if (this.show(signals[0] as LiveSignal) === 'gap') return false;
      signals.shift();
    }
    return true;
  }
}
