const backoffFirstMs = 5_000;
const backoffMaxMs = 3 * 60 * 60 * 1000;
/** Share of the delay by which it may be shorter or longer. */
const backoffJitter = 0.1;

/**
 * How long to wait after a failed try of a delivery (rule I35).
 *
 * Takes    which try failed, from 1; a random number from 0 to 1.
 * Units    milliseconds.
 */
export function backoffMs(failedTry: number, random: number): number {
  const plain = Math.min(backoffMaxMs, backoffFirstMs * 2 ** Math.min(failedTry - 1, 30));
  return Math.round(plain * (1 + backoffJitter * (2 * random - 1)));
}
