/** How often a worker gives a sign of life, by the time after which it loses its job: 20 s of 60 s. Source: rule X4. */
export function heartbeatSecondsOf(leaseSeconds: number): number {
  return Math.max(1, Math.floor(leaseSeconds / 3));
}
/** A claim is answered by then, also when there is nothing to do. */
export const claimWaitMs = 25_000;
/**
 * A job without a lease fails after this time when no online worker would take it. The time is longer than a worker
 * needs to come back.
 */
export const unclaimedMs = 20_000;
/** Jobs without an outcome that an organization may have. */
export const openJobsMax = 1_000;
/** Jobs given in one answer to a claim, and the size of what they say together. */
export const claimedJobsMax = 32;
export const claimedBytesMax = 4 * 1024 * 1024;
/** Of one frame. */
export const frameBytesMax = 8 * 1024 * 1024 + 64 * 1024;
/** Names that a worker may list of each kind. */
export const listedMax = 1_000;
export const nameCharactersMax = 256;
export const messageCharactersMax = 4_000;
/** Of one piece of a model's answer. */
export const deltaBytesMax = 64 * 1024;
