/** Hooks of one organization (section 31 of the rules). */
export const webhooksMax = 50;

export const tryTimeoutMs = 10_000;
export const responseBytesMax = 64 * 1024;
/** Tries of an event, while others succeed: about 27 hours (rules TE122, I35). */
export const triesMax = 20;
/** A hook that is down is tried with its oldest event. */
export const probeFirstMs = 5_000;
export const probeMaxMs = 5 * 60_000;
/** A hook that was down for so long is disabled. */
export const downMaxMs = 72 * 60 * 60_000;
/** As long as the wait of rule I35 at its most. */
export const retryAfterMaxMs = 3 * 60 * 60_000;
/** The secret before signs beside the newest one for so long. */
export const previousSecretMs = 24 * 60 * 60_000;

/** Events that wait; with so many a hook reads no further. */
export const waitingMax = 256;
/** A redelivery leaves room for what comes. */
export const redeliveredWaitingMax = 128;
/** Newest events that were given up, kept for the list of deliveries. */
export const givenUpMax = 256;
export const redeliveredMax = 10_000;
/** Rows of the feed that a request looks through at most. */
export const lookedThroughMax = 100_000;

/** Under way at once. */
export const inFlight = { hook: 8, organization: 64, process: 256 };
/** Deliveries of an organization in a second: hooks and actions may feed each other. */
export const perSecondMax = 100;

const backoffFirstMs = 5_000;
const backoffMaxMs = 3 * 60 * 60_000;
const backoffJitter = 0.1;

/**
 * Wait after a failed try: 5 s doubling to 3 h, and a tenth of it either way.
 *
 * Takes    which try failed, from 1; a random number from 0 to 1.
 * Units    milliseconds.
 * Source   rules I35, TE122.
 */
export function backoffMs(failedTry: number, random: number): number {
  const plain = Math.min(backoffMaxMs, backoffFirstMs * 2 ** Math.min(failedTry - 1, 30));
  return Math.round(plain * (1 + backoffJitter * (2 * random - 1)));
}
