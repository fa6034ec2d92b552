import { StoreUnavailable } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { SharedRateLimiter, type SharedBuckets } from './shared-rate-limiter.js';

const one = { orgId: 'org_1', principalId: 'prn_1', apiKeyId: 'cred_1' };

class Buckets implements SharedBuckets {
  readonly taken: unknown[] = [];
  isDown = false;

  take(orgId: string, buckets: readonly { name: string; capacity: number }[], cost: number, isForced = false) {
    if (this.isDown) return Promise.reject(new StoreUnavailable('redis'));
    this.taken.push([orgId, buckets.map(({ name }) => name), cost, isForced]);
    return Promise.resolve({ short: -1, left: buckets.map(({ capacity }) => capacity - cost) });
  }
}

it('rule L1: what a request costs is taken from the buckets that all doors share, or from the own ones while those do not answer', async () => {
  const buckets = new Buckets();
  const limiter = new SharedRateLimiter(buckets, { keyPerMinute: 10, orgPerMinute: 100 }, new ManualClock());
  expect(await limiter.take(one, 3)).toMatchObject({ remaining: 7 });
  await limiter.charge(one, 2);
  await limiter.charge({ orgId: 'org_1' }, 4);
  expect(buckets.taken).toEqual([
    ['org_1', ['k:cred_1', 'o'], 3, false],
    ['org_1', ['k:cred_1', 'o'], 2, true],
    ['org_1', ['o'], 4, true],
  ]);
  buckets.isDown = true;
  expect(await limiter.take(one)).toMatchObject({ isAllowed: true, remaining: 9 });
  await limiter.charge(one, 9);
  expect(await limiter.take(one)).toMatchObject({ isAllowed: false, scope: 'key' });
});
