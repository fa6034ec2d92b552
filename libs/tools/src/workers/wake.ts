import type { Clock } from '@aos/kernel';

/**
 * Lets one waiter sleep until something happened, some time is over, or its signal is aborted; what happens before the
 * wait is not missed.
 */
export class Wake {
  private isSet = false;
  private resolve: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  wake(): void {
    this.isSet = true;
    this.resolve?.();
  }

  /** Never rejects: look at the signal afterwards. */
  async within(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.isSet && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = this.clock.after(ms, () => {
          done();
        });
        const done = () => {
          timer.cancel();
          signal.removeEventListener('abort', done);
          this.resolve = null;
          resolve();
        };
        this.resolve = done;
        signal.addEventListener('abort', done, { once: true });
      });
    }
    this.isSet = false;
  }
}
