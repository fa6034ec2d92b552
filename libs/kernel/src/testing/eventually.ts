import { randomBytes } from 'node:crypto';

const pollMs = 5;

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

/** A lower-case name that no other run used: servers keep what earlier tests wrote. */
export function uniqueName(prefix: string): string {
  return `${prefix}${randomBytes(8).toString('hex')}`;
}
