import { CheckpointConflict, RowsInDoubt, StoppedAt, StoreUnavailable } from '@aos/kernel';

/**
 * What a fault means to a consumer of the log.
 *
 * repeat   it passes: the subscription gives the same events again; a claim is tried again later.
 * restart  another process may be at it: the subscription ends, and the lease is asked for again later.
 * stop     it cannot go on: it stays where it is, loudly, and nothing is skipped.
 */
export type Verdict = 'repeat' | 'restart' | 'stop';

/**
 * The verdict of a projection: a store comes back, a checkpoint that was moved or lost is read again, as one behind
 * which rows may be gone, and anything else is a fault of ours.
 */
export function projectionVerdict(error: unknown): Verdict {
  if (error instanceof StoreUnavailable) return 'repeat';
  return error instanceof CheckpointConflict || error instanceof RowsInDoubt ? 'restart' : 'stop';
}

/** What readiness says of a consumer of the log by what stopped it for good; null while it goes on. */
export function stopOf(failure: unknown): string | null {
  if (failure === null) return null;
  return failure instanceof StoppedAt ? `stopped at position ${failure.position}` : 'stopped';
}
