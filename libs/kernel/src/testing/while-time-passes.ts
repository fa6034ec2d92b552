import type { ManualClock } from './manual-clock.js';

/**
 * Lets time pass on a manual clock, a step at a time, until the work has ended; gives or throws what the work does.
 *
 * Refuses  when it has not ended within `deadlineMs` of real time.
 */
export async function whileTimePasses<T>(
  clock: ManualClock,
  stepMs: number,
  work: Promise<T>,
  deadlineMs = 60_000,
): Promise<T> {
  const started = performance.now();
  let isDone = false;
  const ended = () => {
    isDone = true;
  };
  work.then(ended, ended);
  while (!isDone) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    if (performance.now() - started > deadlineMs) throw new Error(`not ended within ${deadlineMs} ms`);
    if (!isDone) clock.advance(stepMs);
  }
  return work;
}
