import type { Clock, Leases } from '@aos/kernel';
import { wasSuspended } from './suspension.js';

/**
 * Knows the owners without a lease for a full lease time: they are taken to be dead. Only a hint; the log's exact
 * revision fences.
 */
export class SilentOwners {
  /** Lease and attempt -> since when no lease was seen. */
  private missing = new Map<string, number>();
  private round = new Map<string, number>();

  constructor(
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly leaseMs: number,
  ) {}

  /**
   * Runs `look`, which asks about all open work. What it does not find missing is forgotten; when it throws, everything
   * is.
   */
  async during(look: () => Promise<void>): Promise<void> {
    this.round = new Map();
    this.missing = await look().then(
      () => this.round,
      (error: unknown) => {
        this.forget();
        throw error;
      },
    );
  }

  /**
   * Takes    the lease, the attempt it stands for (each attempt has a lease time of its own), and since when this look
   *          at it has been under way.
   * Gives    true when no round saw the lease for `leaseMs`. A look that this process may have slept through counts as
   *          a lease that was seen.
   * Refuses  with `StoreUnavailable` when the lease store cannot answer.
   * Units    monotonic milliseconds.
   */
  async isMissing(lease: string, attempt: number, askedAt = this.clock.monotonic()): Promise<boolean> {
    const [holder] = await this.leases.holders([lease]);
    if (holder || wasSuspended(this.clock, askedAt, this.leaseMs)) return false;
    const key = `${lease} ${attempt}`;
    const now = this.clock.monotonic();
    const since = this.missing.get(key) ?? now;
    this.round.set(key, since);
    return now - since >= this.leaseMs;
  }

  /** Nothing counts that was not seen before. */
  forget(): void {
    this.missing.clear();
  }
}
