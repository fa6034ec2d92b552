import { Clock, untilBeat } from '@aos/kernel';

const timeoutMaxMs = 2 ** 31 - 1; // longer timers fire at once in Node

/** The machine's clocks. Timers do not keep the process alive. */
export class SystemClock extends Clock {
  override now(): number {
    return Date.now();
  }

  override monotonic(): number {
    return performance.now();
  }

  override after(ms: number, action: () => void): { cancel(): void } {
    const due = performance.now() + ms;
    let timer: NodeJS.Timeout;
    const arm = () => {
      const left = Math.max(0, due - performance.now());
      timer = setTimeout(
        () => {
          if (due - performance.now() > 1) arm();
          else action();
        },
        Math.min(Math.ceil(left), timeoutMaxMs),
      );
      timer.unref();
    };
    arm();
    return {
      cancel: () => {
        clearTimeout(timer);
      },
    };
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
