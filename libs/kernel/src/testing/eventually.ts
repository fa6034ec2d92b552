import { randomBytes } from 'node:crypto';

const pollMs = 5;
const triesMax = 3;

/**
 * Waits until `holds` gives a truthy value, and gives that value.
 *
 * Refuses  with `what` when it did not hold within `deadlineMs`.
 */
export async function eventually<T>(what: string, holds: () => T | Promise<T>, deadlineMs = 60_000): Promise<T> {
  const started = performance.now();
  for (;;) {
    const value = await holds();
    if (value) return value;
    if (performance.now() - started > deadlineMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, pollMs);
    });
  }
}

/**
 * How long something takes, as `measure` gives it. What is not below the limit is measured again, twice at most, and
 * the least counts: a machine may be slow at any moment.
 */
export async function quickest(limit: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < triesMax && least >= limit; tried += 1) least = Math.min(least, await measure());
  return least;
}

/** A lower-case name that no other run used: servers keep what earlier tests wrote. */
export function uniqueName(prefix: string): string {
  return `${prefix}${randomBytes(8).toString('hex')}`;
}
