import { randomUUID } from 'node:crypto';
import { RedisConnection, RedisTokenBuckets, type RedisSettings } from './index.js';
import { redisClusterSettings, redisSettings } from './testing/engine.js';

/** A token comes back in six and in three seconds: later than a test looks. */
const key = { name: 'k', capacity: 10 };
const org = { name: 'o', capacity: 20 };

function promises(name: string, settings: () => RedisSettings): void {
  describe(`token buckets of ${name} (rule L1)`, () => {
    let buckets: RedisTokenBuckets;
    let orgId: string;
    beforeEach(() => {
      buckets = new RedisTokenBuckets(new RedisConnection(settings()));
      orgId = `org_${randomUUID()}`;
    });
    afterEach(() => buckets.close());
    const rounded = ({ short, left }: { short: number; left: number[] }) => [short, ...left.map(Math.floor)];

    it('take a cost from every bucket, below zero too, or from none when one is short', async () => {
      expect(rounded(await buckets.take(orgId, [key, org]))).toEqual([-1, 9, 19]);
      expect(rounded(await buckets.take(orgId, [key, org], 12))).toEqual([-1, -3, 7]);
      expect(rounded(await buckets.take(orgId, [key, org], 1))).toEqual([0, -3, 7]);
      expect(rounded(await buckets.take(orgId, [org], 1))).toEqual([-1, 6]);
    });

    it('take a forced cost in any case, down to their capacity below zero', async () => {
      expect(rounded(await buckets.take(orgId, [key, org], 15, true))).toEqual([-1, -5, 5]);
      expect(rounded(await buckets.take(orgId, [key, org], 15, true))).toEqual([-1, -10, -10]);
      expect(rounded(await buckets.take(`${orgId}_other`, [key, org]))).toEqual([-1, 9, 19]);
    });
  });
}

promises('Redis', redisSettings);
promises('Redis Cluster', redisClusterSettings);
