import { StoreUnavailable, type Clock } from '@aos/kernel';
import {
  LocalRateLimiter,
  RateLimiter,
  bucketsOf,
  standingOf,
  type RateHolder,
  type RateLimits,
  type RateStanding,
} from '@aos/platform';

/** Token buckets that all gateways of a fleet share. */
export interface SharedBuckets {
  /**
   * Takes the cost from each bucket, or from none when one holds less than one token.
   *
   * Takes    one organization and its buckets: name and how many tokens it holds, refilled evenly over a minute. A
   *          bucket goes below zero by its capacity at most. `isForced`: the cost is taken from buckets that are short,
   *          too.
   * Gives    the place of the bucket that is short, or -1, and what each holds now. Refuses `StoreUnavailable`.
   */
  take(
    orgId: string,
    buckets: readonly { name: string; capacity: number }[],
    cost: number,
    isForced?: boolean,
  ): Promise<{ short: number; left: number[] }>;
}

/**
 * Counts requests for all gateways together; each counts for itself while the shared store does not answer (rule L1).
 */
export class SharedRateLimiter extends RateLimiter {
  private readonly local: LocalRateLimiter;

  constructor(
    private readonly shared: SharedBuckets,
    private readonly limits: RateLimits,
    private readonly clock: Clock,
  ) {
    super();
    this.local = new LocalRateLimiter(limits, clock);
  }

  override async take(holder: RateHolder, cost = 1): Promise<RateStanding | null> {
    const buckets = bucketsOf(holder, this.limits);
    if (buckets.length === 0) return null;
    try {
      const { short, left } = await this.shared.take(holder.orgId, buckets, cost);
      const standings = buckets.map(({ scope, capacity }, index) =>
        standingOf({
          scope,
          limit: capacity,
          left: left[index] ?? capacity,
          isAllowed: short < 0,
          nowMs: this.clock.now(),
        }),
      );
      const standing =
        short >= 0
          ? standings[short]
          : standings.reduce((tightest, next) => (next.remaining < tightest.remaining ? next : tightest));
      return standing ?? null;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      return this.local.take(holder, cost);
    }
  }

  override async charge(holder: RateHolder, cost: number): Promise<void> {
    const buckets = bucketsOf(holder, this.limits);
    if (buckets.length === 0) return;
    try {
      await this.shared.take(holder.orgId, buckets, cost, true);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      await this.local.charge(holder, cost);
    }
  }
}
