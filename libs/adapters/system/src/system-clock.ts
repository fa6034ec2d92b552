import { Clock, untilBeat } from '@aos/kernel';

const timeoutMaxMs = 2 ** 31 - 1; // longer timers fire at once in Node

function ring(timer: Timer): void {
  timer.ring();
}

/** One object for each: a token that is paced costs one. */
class Timer {
  private timeout: NodeJS.Timeout;

  constructor(
    private readonly due: number,
    private readonly action: () => void,
  ) {
    this.timeout = this.armed();
  }

  cancel(): void {
    clearTimeout(this.timeout);
  }

  ring(): void {
    if (this.due - performance.now() > 1) this.timeout = this.armed();
    else this.action();
  }

  private armed(): NodeJS.Timeout {
    const left = Math.max(0, this.due - performance.now());
    return setTimeout(ring, Math.min(Math.ceil(left), timeoutMaxMs), this).unref();
  }
}

/** The machine's clocks. Timers do not keep the process alive. */
export class SystemClock extends Clock {
  override now(): number {
    return Date.now();
  }

  override monotonic(): number {
    return performance.now();
  }

  override after(ms: number, action: () => void): { cancel(): void } {
    return new Timer(performance.now() + ms, action);
  }

  override onBeat(ms: number, action: () => void): { cancel(): void } {
    return this.after(untilBeat(performance.now(), ms), action);
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const abort = () => {
        timer.cancel();
        reject(signal?.reason as Error);
      };
      const timer = this.after(ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}
