import type { ManualClock } from './manual-clock.js';

/** Lets time pass on a manual clock, a step at a time, until the work has ended; gives or throws what the work does. */
export async function whileTimePasses<T>(clock: ManualClock, stepMs: number, work: Promise<T>): Promise<T> {
  let isDone = false;
  const ended = () => { isDone = true; };
  work.then(ended, ended);
  while (!isDone) {
    await new Promise<void>((resolve) => { setImmediate(resolve); });
    if (!isDone) clock.advance(stepMs);
  }
  return work;
}
