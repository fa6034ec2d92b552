/**
 * Large values, by content. Promises: durable before `put` resolves; the same bytes of one organization are stored
 * once; no organization reads another's.
 */
export abstract class Blobs {
  /** Gives the digest: SHA-256 in hex. */
  abstract put(orgId: string, bytes: Uint8Array): Promise<string>;
  /** Null when there is none. Rejects with `StoreUnavailable` when the store does not answer. */
  abstract get(orgId: string, digest: string): Promise<Uint8Array | null>;
  /**
   * Removes a blob for good; one that is not there is none to remove. Its caller knows that nothing else names it: only
   * pieces of artifacts, each of which begins with random bytes of its upload (rule TE3). Rejects with
   * `StoreUnavailable` when the store does not answer.
   */
  abstract remove(orgId: string, digest: string): Promise<void>;
}
