import { GenerationalCache, type Clock, type Identity } from '@aos/kernel';
import { countedAddress } from './client-address.js';
import { RefusalWithHeaders } from './envelope.js';
import type { Soon } from './when-there.js';

const windowSeconds = 60;
/** Of its key's requests a browser token may take this share, and they count for the key as well (rule A39). */
const tokenShare = 1 / 4;
/** Buckets kept at most. Beyond it the least recently used one is dropped, which can only admit a request sooner. */
const bucketsMax = 50_000;

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

/** Owner of the buckets: without a principal only the bucket of the organization is meant. */
export type RateHolder = Pick<Identity, 'orgId'> & Partial<Pick<Identity, 'principalId' | 'apiKeyId' | 'token'>>;

/** One bucket of a holder, by its scope and the name of what it belongs to within the organization. */
export interface RateBucket {
  readonly scope: RateScope;
  readonly name: string;
  readonly capacity: number;
}

/**
 * Counts requests per key and per organization (rule L1). Neither method throws: a limiter whose store is down lets
 * requests pass.
 *
 * A request is allowed while a whole token is left. What it costs beyond that is taken below zero, down to one empty
 * bucket more, so that a limit lower than the cost of one request delays the next request and refuses none for ever.
 */
export abstract class RateLimiter {
  /** Gives the standing that binds more tightly, or null when both limits are off. */
  abstract take(holder: RateHolder, cost?: number): Soon<RateStanding | null>;
  /** Takes what turned out to be the further cost of a request that was let in. */
  abstract charge(holder: RateHolder, cost: number): Promise<void>;
}

/** The buckets of a holder whose limits are on, the tighter scope first. */
export function bucketsOf(
  { apiKeyId, principalId, token }: RateHolder,
  { keyPerMinute, orgPerMinute }: RateLimits,
): RateBucket[] {
  const key = apiKeyId ?? principalId;
  return [
    ...(keyPerMinute > 0 && token
      ? [{ scope: 'key' as const, name: `t:${token.id}`, capacity: Math.ceil(keyPerMinute * tokenShare) }]
      : []),
    ...(keyPerMinute > 0 && key !== undefined
      ? [{ scope: 'key' as const, name: `k:${key}`, capacity: keyPerMinute }]
      : []),
    ...(orgPerMinute > 0 ? [{ scope: 'org' as const, name: 'o', capacity: orgPerMinute }] : []),
  ];
}

/** Token buckets by name that refill evenly over a minute. */
export class TokenBuckets {
  private readonly buckets = new GenerationalCache<{ tokens: number; at: number }>(bucketsMax);

  constructor(private readonly clock: Clock) {}

  /** What a bucket holds now. */
  level(name: string, capacity: number): number {
    const bucket = this.buckets.get(name);
    if (!bucket) return capacity;
    const elapsedSeconds = (this.clock.monotonic() - bucket.at) / 1000;
    return Math.min(capacity, bucket.tokens + (elapsedSeconds * capacity) / windowSeconds);
  }

  /** Takes one token; gives what is left, negative when there was none. */
  take(name: string, capacity: number): number {
    const left = this.level(name, capacity) - 1;
    return left < 0 ? left : this.charge(name, capacity, 1);
  }

  /** Takes tokens whether they are there or not; gives what is left, at least the whole capacity below zero. */
  charge(name: string, capacity: number, cost: number): number {
    const left = Math.max(-capacity, this.level(name, capacity) - cost);
    this.buckets.set(name, { tokens: left, at: this.clock.monotonic() });
    return left;
  }
}

export class LocalRateLimiter extends RateLimiter {
  private readonly buckets: TokenBuckets;

  constructor(
    private readonly limits: RateLimits,
    private readonly clock: Clock,
  ) {
    super();
    this.buckets = new TokenBuckets(clock);
  }

  override take(holder: RateHolder, cost = 1): RateStanding | null {
    const buckets = this.named(holder);
    if (buckets.length === 0) return null;
    const short = buckets.find(({ name, capacity }) => this.buckets.level(name, capacity) < 1);
    if (short) return this.standing(short, this.buckets.level(short.name, short.capacity), false);
    const standings = buckets.map((bucket) =>
      this.standing(bucket, this.buckets.charge(bucket.name, bucket.capacity, cost), true),
    );
    return standings.reduce((tightest, next) => (next.remaining < tightest.remaining ? next : tightest));
  }

  override charge(holder: RateHolder, cost: number): Promise<void> {
    for (const { name, capacity } of this.named(holder)) this.buckets.charge(name, capacity, cost);
    return Promise.resolve();
  }

  private named(holder: RateHolder): RateBucket[] {
    return bucketsOf(holder, this.limits).map((bucket) => ({ ...bucket, name: `${holder.orgId}:${bucket.name}` }));
  }

  private standing({ scope, capacity }: RateBucket, left: number, isAllowed: boolean): RateStanding {
    return standingOf({ scope, limit: capacity, left, isAllowed, nowMs: this.clock.now() });
  }
}

/** Works a standing out from what a bucket holds; shared by every limiter, so that headers mean the same everywhere. */
export function standingOf({
  scope,
  limit,
  left,
  isAllowed,
  nowMs,
}: {
  scope: RateScope;
  limit: number;
  left: number;
  isAllowed: boolean;
  nowMs: number;
}): RateStanding {
  const perSecond = limit / windowSeconds;
  return {
    scope,
    isAllowed,
    limit,
    remaining: Math.max(0, Math.floor(left)),
    resetAt: Math.ceil(nowMs / 1000 + (limit - left) / perSecond),
    retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond)),
  };
}

/** Headers of rule L2. */
export function rateHeaders({ scope, limit, remaining, resetAt }: RateStanding): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
    'x-ratelimit-scope': scope,
    'x-ratelimit-policy': `${limit};w=${windowSeconds}`,
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

/** Look-ups of unknown keys an address, or an IPv6 network of 64 bits, may cause in a minute (control S2). */
const unknownKeysPerMinute = 60;

/** Slows down who tries keys out. A key that is known is never counted and never refused. */
export class UnknownKeys {
  private readonly buckets: TokenBuckets;

  constructor(clock: Clock) {
    this.buckets = new TokenBuckets(clock);
  }

  /** Throws 429 for an address that has been wrong too often; counts nothing. */
  admit(ip: string | null): void {
    const left = this.buckets.level(countedAddress(ip), unknownKeysPerMinute) - 1;
    if (left < 0) throw tooManyUnknown(left);
  }

  /** Counts an unknown credential whose answer has left. */
  note(ip: string | null): void {
    this.buckets.take(countedAddress(ip), unknownKeysPerMinute);
  }

  /** Called for an unknown credential; throws 429 when its address did that too often. */
  count(ip: string | null): void {
    const left = this.buckets.take(countedAddress(ip), unknownKeysPerMinute);
    if (left < 0) throw tooManyUnknown(left);
  }
}

function tooManyUnknown(left: number): RefusalWithHeaders {
  const retryAfterSeconds = Math.max(1, Math.ceil((-left * windowSeconds) / unknownKeysPerMinute));
  return new RefusalWithHeaders(
    'rate_limit_exceeded',
    { 'retry-after': String(retryAfterSeconds) },
    {},
    'too many unknown credentials from this address',
  );
}
