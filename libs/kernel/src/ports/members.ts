/** A process of a group, as it says of itself. */
export type Member = {
  /** Where it is reached; unique in its group. */
  address: string;
  /** Its share beside the others', from 0 (it is going down) to 1. */
  weight: number;
  /** When it began, milliseconds since 1970, by its own clock. */
  startedAt: number;
  /** Its version. */
  build: string;
};

/**
 * Who is there of a group of processes, as far as is known: a hint, which may be lost or late at any time. Rejects with
 * `StoreUnavailable` when it cannot answer.
 *
 * Promises: a member that was not renewed for its time is not given any more, by one clock for all.
 */
export abstract class Members {
  /** Puts the member in, or renews it as it is now, for so long. */
  abstract renew(group: string, member: Member, ttlMs: number): Promise<void>;
  /** Takes a member out at once. */
  abstract leave(group: string, address: string): Promise<void>;
  /** Those that are there, by address. */
  abstract all(group: string): Promise<Member[]>;
  abstract close(): Promise<void>;
}
