import type { EgressFailure, EgressResponse } from '@aos/kernel';
import type { ActionAnnotations } from '@aos/definitions/published';

/** Tries after the first. */
export const retriesMax = 3;
export const replyBytesMax = 8 * 1024 * 1024;
const waitMs = 30_000;
const longRunningWaitMs = 120_000;
const jobSlackMs = 30_000;
/** An endpoint that took a call brings its result within this time (rule TE81). */
export const deferredMs = 24 * 60 * 60 * 1000;
/** Of the text by which such an endpoint says that the call failed. */
export const deferredErrorBytesMax = 4 * 1024;
const backoffBaseMs = 500;
const backoffMaxMs = 20_000;
const retriedStatuses = [408, 425, 429];

/** The result of one attempt. */
export type Tried = { reply: EgressResponse } | { failure: Pick<EgressFailure, 'reason' | 'connected' | 'message'> };

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** How long one try waits for its answer (rule R24). */
export function timeoutMsOf({ long_running: longRunning }: ActionAnnotations): number {
  return longRunning ? longRunningWaitMs : waitMs;
}

/** How long a call outside its turn may take in all: every try, and the waits between them. */
export function jobTimeoutMsOf(annotations: ActionAnnotations): number {
  return (retriesMax + 1) * timeoutMsOf(annotations) + retriesMax * backoffMaxMs + jobSlackMs;
}

/**
 * How often a call may be sent again because the service stopped before it had a result: once, more where repeating is
 * safe (rule R24).
 */
export function resendsOf({ idempotent, read_only: readOnly }: ActionAnnotations): number {
  return idempotent === true || readOnly === true ? retriesMax : 1;
}

/**
 * Whether another try may help and does no harm: the action says that repeating is safe, or nothing ever reached the
 * receiver.
 *
 * Source   rule R24.
 */
export function mayRetry(tried: Tried, { idempotent, read_only: readOnly }: ActionAnnotations): boolean {
  const repeatable = idempotent === true || readOnly === true;
  if ('reply' in tried)
    return repeatable && (retriedStatuses.includes(tried.reply.status) || tried.reply.status >= 500);
  const { reason, connected } = tried.failure;
  return (reason === 'timeout' || reason === 'unreachable') && (repeatable || !connected);
}

/**
 * Wait before retry `retry` (from 1): doubled each time, the receiver's own wish first, at most 20 s. `random` from 0
 * to 1 spreads it.
 */
export function backoffMs(retry: number, tried: Tried, random: number): number {
  const asked = 'reply' in tried ? Number(tried.reply.headers['retry-after'] ?? NaN) : NaN;
  if (Number.isFinite(asked) && asked >= 0) return Math.min(backoffMaxMs, asked * 1000);
  return Math.min(backoffMaxMs, backoffBaseMs * 2 ** (retry - 1)) * (0.5 + random / 2);
}
