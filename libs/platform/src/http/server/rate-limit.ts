import { Recent, type Clock, type Identity } from '@aos/kernel';
import { RefusalWithHeaders } from './envelope.js';

const WINDOW_SECONDS = 60;
/** Buckets kept at most; beyond it the one untouched longest is forgotten, which can only let somebody in sooner. */
const BUCKETS_MAX = 50_000;

export type RateScope = 'key' | 'org';

/** How a caller stands after one request. */
export interface RateStanding {
  readonly scope: RateScope;
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the bucket is full again. */
  readonly resetAt: number;
  /** Whole seconds until the next request can succeed; 0 when allowed. */
  readonly retryAfterSeconds: number;
}

export interface RateLimits {
  readonly keyPerMinute: number;
  readonly orgPerMinute: number;
}

/**
 * Counts requests per key and per organization (decision L1).
 *
 * Gives the standing that binds more tightly, or null when both limits are off. Does not throw: a limiter whose store is down lets requests pass.
 */
export abstract class RateLimiter {
  abstract take(identity: Pick<Identity, 'orgId' | 'principalId' | 'apiKeyId'>): Promise<RateStanding | null>;
}

/** Token buckets by name that refill evenly over a minute. */
export class TokenBuckets {
  private readonly buckets = new Recent<{ tokens: number; at: number }>(BUCKETS_MAX);

  constructor(private readonly clock: Clock) {}

  /** What a bucket holds now. */
  level(name: string, capacity: number): number {
    const bucket = this.buckets.get(name);
    if (!bucket) return capacity;
    const elapsedSeconds = (this.clock.monotonic() - bucket.at) / 1000;
    return Math.min(capacity, bucket.tokens + (elapsedSeconds * capacity) / WINDOW_SECONDS);
  }

  /** Takes one token; gives what is left, negative when there was none. */
  take(name: string, capacity: number): number {
    const left = this.level(name, capacity) - 1;
    if (left < 0) return left;
    this.buckets.set(name, { tokens: left, at: this.clock.monotonic() });
    return left;
  }
}

export class LocalRateLimiter extends RateLimiter {
  private readonly buckets: TokenBuckets;

  constructor(private readonly limits: RateLimits, private readonly clock: Clock) {
    super();
    this.buckets = new TokenBuckets(clock);
  }

  override take({ orgId, principalId, apiKeyId }: Pick<Identity, 'orgId' | 'principalId' | 'apiKeyId'>): Promise<RateStanding | null> {
    const { keyPerMinute, orgPerMinute } = this.limits;
    const scopes: { scope: RateScope; name: string; limit: number }[] = [];
    if (keyPerMinute > 0) scopes.push({ scope: 'key', name: `k:${orgId}:${apiKeyId ?? principalId}`, limit: keyPerMinute });
    if (orgPerMinute > 0) scopes.push({ scope: 'org', name: `o:${orgId}`, limit: orgPerMinute });
    if (scopes.length === 0) return Promise.resolve(null);
    const short = scopes.find(({ name, limit }) => this.buckets.level(name, limit) < 1);
    if (short) return Promise.resolve(this.standing(short.scope, short.limit, this.buckets.level(short.name, short.limit), false));
    const standings = scopes.map(({ scope, name, limit }) => this.standing(scope, limit, this.buckets.take(name, limit), true));
    return Promise.resolve(standings.reduce((tightest, next) => (next.remaining < tightest.remaining ? next : tightest)));
  }

  private standing(scope: RateScope, limit: number, left: number, isAllowed: boolean): RateStanding {
    return standingOf({ scope, limit, left, isAllowed, nowMs: this.clock.now() });
  }
}

/** Works a standing out from what a bucket holds; shared by every limiter, so that headers mean the same everywhere. */
export function standingOf({ scope, limit, left, isAllowed, nowMs }: { scope: RateScope; limit: number; left: number; isAllowed: boolean; nowMs: number }): RateStanding {
  const perSecond = limit / WINDOW_SECONDS;
  return {
    scope,
    isAllowed,
    limit,
    remaining: Math.max(0, Math.floor(left)),
    resetAt: Math.ceil(nowMs / 1000 + (limit - left) / perSecond),
    retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond)),
  };
}

/** Headers of decision L2. */
export function rateHeaders({ scope, limit, remaining, resetAt }: RateStanding): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
    'x-ratelimit-scope': scope,
    'x-ratelimit-policy': `${limit};w=${WINDOW_SECONDS}`,
  };
}

export function rateLimited(standing: RateStanding): RefusalWithHeaders {
  return new RefusalWithHeaders(
    'rate_limit_exceeded',
    { ...rateHeaders(standing), 'retry-after': String(standing.retryAfterSeconds) },
    { scope: standing.scope },
    `too many requests for this ${standing.scope === 'key' ? 'key' : 'organization'}`,
  );
}

/** Look-ups of unknown keys an address may cause in a minute (security S2). */
const UNKNOWN_KEYS_PER_MINUTE = 60;

/** Slows down who tries keys out. A key that is known is never counted and never refused. */
export class UnknownKeys {
  private readonly buckets: TokenBuckets;

  constructor(clock: Clock) {
    this.buckets = new TokenBuckets(clock);
  }

  /** Called for a credential that nobody knows; throws 429 when its address did that too often. */
  count(ip: string | null): void {
    const left = this.buckets.take(ip ?? 'unknown', UNKNOWN_KEYS_PER_MINUTE);
    if (left >= 0) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((-left * WINDOW_SECONDS) / UNKNOWN_KEYS_PER_MINUTE));
    throw new RefusalWithHeaders('rate_limit_exceeded', { 'retry-after': String(retryAfterSeconds) }, {}, 'too many unknown credentials from this address');
  }
}
