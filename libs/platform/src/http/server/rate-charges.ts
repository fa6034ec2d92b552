import type { RateHolder, RateLimiter } from './rate-limit.js';

/** What a request turned out to cost beyond being one request, reported by the code that did the work (rule L1). */
export class RateCharges {
  private limiter: RateLimiter | null = null;

  constructor(private readonly onTrouble: (error: unknown) => void) {}

  /** Where costs are counted from now on; before this they are not. */
  through(limiter: RateLimiter | null): void {
    this.limiter = limiter;
  }

  /** Counts without being waited for: the work is done already, and the next request meets what is left. */
  add(holder: RateHolder, cost: number): void {
    if (cost > 0) this.limiter?.charge(holder, cost).catch(this.onTrouble);
  }
}
