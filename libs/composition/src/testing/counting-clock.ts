import { untilBeat } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';

/** Counts the timers that ran, and the moments at which any did: a process wakes once for all of one moment. */
export class CountingClock extends ManualClock {
  timers = 0;
  private readonly moments = new Set<number>();

  get wakes(): number {
    return this.moments.size;
  }

  reset(): void {
    this.timers = 0;
    this.moments.clear();
  }

  override after(ms: number, action: () => void): { cancel(): void } {
    return super.after(ms, () => {
      this.timers += 1;
      this.moments.add(Math.floor(this.monotonic()));
      action();
    });
  }

  /** As the machine's clock does. */
  override onBeat(ms: number, action: () => void): { cancel(): void } {
    return this.after(untilBeat(this.monotonic(), ms), action);
  }
}
