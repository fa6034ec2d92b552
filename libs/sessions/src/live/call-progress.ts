import type { Clock, JsonObject } from '@aos/kernel';
import { progressBytesMax, progressEveryMs } from './live.signals.js';

/** Takes what is shown of a call; null clears it. */
export type ShowProgress = (progress: JsonObject | null) => void;

/**
 * Paces the progress of one call (rule TE80): at most one in `progressEveryMs`, always the newest, null when the call
 * ends.
 */
export class CallProgress {
  private waiting: JsonObject | null = null;
  private shownAt = Number.NEGATIVE_INFINITY;
  private due: { cancel(): void } | null = null;
  private isOver = false;

  constructor(
    private readonly clock: Clock,
    private readonly show: ShowProgress,
  ) {}

  /** Takes one report. Larger ones than `progressBytesMax`, and those that come after the end, are dropped. */
  readonly report = (progress: JsonObject): void => {
    if (this.isOver || !isProgressSmall(progress)) return;
    this.waiting = progress;
    if (this.due) return;
    const waitMs = this.shownAt + progressEveryMs - this.clock.monotonic();
    if (waitMs <= 0) this.showNewest();
    else
      this.due = this.clock.after(waitMs, () => {
        this.showNewest();
      });
  };

  /** The call is over, or goes on elsewhere. */
  end(): void {
    this.isOver = true;
    this.due?.cancel();
    this.due = null;
    if (this.shownAt !== Number.NEGATIVE_INFINITY) this.show(null);
  }

  private showNewest(): void {
    this.due = null;
    if (!this.waiting) return;
    this.shownAt = this.clock.monotonic();
    this.show(this.waiting);
    this.waiting = null;
  }
}

export function isProgressSmall(progress: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(progress)) <= progressBytesMax;
}
