import { StoreUnavailable, type Clock, type Identity } from '@aos/kernel';
import { LocalRateLimiter, RateLimiter, standingOf, type RateLimits, type RateScope, type RateStanding } from '@aos/platform';

/** Token buckets that all doors of a fleet share. */
export interface SharedBuckets {
  /**
   * Takes one token of each bucket, or of none when one is short.
   *
   * Takes    one organization and its buckets: name and how many tokens it holds, refilled evenly over a minute.
   * Gives    the place of the bucket that is short, or -1, and what each holds now. Refuses `StoreUnavailable`.
   */
  take(orgId: string, buckets: readonly { name: string; capacity: number }[]): Promise<{ short: number; left: number[] }>;
}

/** Counts requests for all doors together; each counts for itself while the shared store does not answer (decision L1). */
export class SharedRateLimiter extends RateLimiter {
  private readonly local: LocalRateLimiter;

  constructor(private readonly shared: SharedBuckets, private readonly limits: RateLimits, private readonly clock: Clock) {
    super();
    this.local = new LocalRateLimiter(limits, clock);
  }

  override async take(who: Pick<Identity, 'orgId' | 'principalId' | 'apiKeyId'>): Promise<RateStanding | null> {
    const { keyPerMinute, orgPerMinute } = this.limits;
    const buckets: { scope: RateScope; name: string; capacity: number }[] = [];
    if (keyPerMinute > 0) buckets.push({ scope: 'key', name: `k:${who.apiKeyId ?? who.principalId}`, capacity: keyPerMinute });
    if (orgPerMinute > 0) buckets.push({ scope: 'org', name: 'o', capacity: orgPerMinute });
    if (buckets.length === 0) return null;
    try {
      const { short, left } = await this.shared.take(who.orgId, buckets);
      const standings = buckets.map(({ scope, capacity }, place) => standingOf({ scope, limit: capacity, left: left[place] ?? capacity, isAllowed: short < 0, nowMs: this.clock.now() }));
      const standing = short >= 0 ? standings[short] : standings.reduce((tightest, next) => (next.remaining < tightest.remaining ? next : tightest));
      return standing ?? null;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      return this.local.take(who);
    }
  }
}
