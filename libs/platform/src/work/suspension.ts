import type { Clock } from '@aos/kernel';

/**
 * Whether something came so much later than expected that this process, or its machine, was suspended meanwhile.
 *
 * Takes    the monotonic time at which it was expected, and how long a lease lasts.
 * Gives    true past half a lease: what this process did not see by then says nothing about others.
 */
export function wasSuspended(clock: Clock, expectedAt: number, leaseMs: number): boolean {
  return clock.monotonic() - expectedAt > leaseMs / 2;
}
