/**
 * Leases are hints about who works on what. They may be lost at any time: the exact revision of an append is what
 * fences. Rejects with `StoreUnavailable` when it cannot answer.
 */
export abstract class Leases {
  /** True when the name was free or leased by this owner; it is then leased for `ttlMs`. */
  abstract acquire(name: string, owner: string, ttlMs: number): Promise<boolean>;
  /** True when this owner has the lease, or it was free and is taken again; false when another owner has it. */
  abstract renew(name: string, owner: string, ttlMs: number): Promise<boolean>;
  /** Gives the lease up if this owner has it. */
  abstract release(name: string, owner: string): Promise<void>;
  /** The owner of each name, in the order asked; null for a free name. */
  abstract holders(names: readonly string[]): Promise<(string | null)[]>;
  abstract close(): Promise<void>;
}
