/**
 * Hints who works on what. May be lost at any time: the log's exact revision is what fences. Rejects with
 * `StoreUnavailable` when it cannot answer.
 */
export abstract class Leases {
  /** True when nobody held it, or this owner did; then it is held for `ttlMs`. */
  abstract acquire(name: string, owner: string, ttlMs: number): Promise<boolean>;
  /** True when this owner holds it, or nobody does and it is put back; false when somebody else holds it. */
  abstract renew(name: string, owner: string, ttlMs: number): Promise<boolean>;
  /** Gives it up if this owner holds it. */
  abstract release(name: string, owner: string): Promise<void>;
  /** Who holds each, in the order asked; null for nobody. */
  abstract holders(names: readonly string[]): Promise<(string | null)[]>;
  abstract close(): Promise<void>;
}
