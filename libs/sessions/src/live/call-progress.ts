import { jsonBytes, youngFunction, type Clock, type JsonObject } from '@aos/kernel';
import { progressBytesMax, progressEveryMs } from './live.signals.js';
import { PacedNewest } from './paced-newest.js';

/** Takes what is shown of a call, and when that was reported; null clears it. */
export type ShowProgress = (progress: JsonObject | null, reportedAt: number) => void;

/**
 * Paces the progress of one call (rule TE80): at most one in `progressEveryMs`, always the newest, null when the call
 * ends.
 */
export class CallProgress {
  private readonly paced: PacedNewest<{ progress: JsonObject; reportedAt: number }>;
  private isOver = false;

  constructor(
    private readonly clock: Clock,
    private readonly show: ShowProgress,
  ) {
    this.paced = new PacedNewest(clock, progressEveryMs, ({ progress, reportedAt }) => {
      show(progress, reportedAt);
    });
  }

  /** Takes one report. Larger ones than `progressBytesMax`, and those that come after the end, are dropped. */
  readonly report = youngFunction((progress: JsonObject): void => {
    if (!this.isOver && isProgressSmall(progress)) this.paced.offer({ progress, reportedAt: this.clock.now() });
  });

  /** The call is over, or goes on elsewhere. */
  end(): void {
    this.isOver = true;
    this.paced.stop();
    if (this.paced.hasShown) this.show(null, this.clock.now());
  }
}

export function isProgressSmall(progress: JsonObject): boolean {
  return jsonBytes(progress) <= progressBytesMax;
}
