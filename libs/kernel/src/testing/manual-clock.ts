import { Clock } from '../ports/clock.js';

interface Waiting {
  at: number;
  action: () => void;
}

/** A clock that moves only when told to. Wall time can jump without monotonic time moving. */
export class ManualClock extends Clock {
  private elapsed = 0;
  private offset: number;
  private waiting: Waiting[] = [];

  constructor(wallMs = Date.UTC(2026, 0, 1)) {
    super();
    this.offset = wallMs;
  }

  override now(): number {
    return this.offset + this.elapsed;
  }

  override monotonic(): number {
    return this.elapsed;
  }

  /** The wall clock is set; no timer fires. */
  jump(ms: number): void {
    this.offset += ms;
  }

  /** Time passes: timers due by then run in order of their time. */
  advance(ms: number): void {
    const until = this.elapsed + ms;
    for (;;) {
      const next = this.waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.waiting = this.waiting.filter((timer) => timer !== next);
      this.elapsed = Math.max(this.elapsed, next.at);
      next.action();
    }
    this.elapsed = until;
  }

  /** Monotonic time of the next timer; null when none waits. */
  get nextTimerAt(): number | null {
    return this.waiting.reduce<number | null>((next, { at }) => (next === null || at < next ? at : next), null);
  }

  get pendingTimers(): number {
    return this.waiting.length;
  }

  override after(ms: number, action: () => void): { cancel(): void } {
    const timer = { at: this.elapsed + ms, action };
    this.waiting.push(timer);
    return {
      cancel: () => {
        this.waiting = this.waiting.filter((other) => other !== timer);
      },
    };
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const timer = this.after(ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      const abort = () => {
        timer.cancel();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}
