import type { Clock } from './ports/clock.js';

/** Whether it resolves within so many milliseconds; no wait is left when it did. Rejects as it does before. */
export function resolvesWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const late = clock.after(ms, () => {
      resolve(false);
    });
    work
      .then(() => {
        resolve(true);
      }, reject)
      .finally(() => {
        late.cancel();
      });
  });
}
