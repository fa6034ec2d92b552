import { randomUUID } from 'node:crypto';
import { eventually } from '@aos/kernel/testing';
import { RedisConnection, RedisExpiringSets, type RedisSettings } from './index.js';
import { redisClusterSettings, redisSettings } from './testing/engine.js';

const long = 30_000;

function promises(name: string, settings: () => RedisSettings): void {
  describe(`expiring sets of ${name}`, () => {
    let sets: RedisExpiringSets;
    let org: string;
    beforeEach(() => {
      sets = new RedisExpiringSets(new RedisConnection(settings()));
      org = `org_${randomUUID()}`;
    });
    afterEach(() => sets.close());

    it('take a member into all sets or into none', async () => {
      const [key, all] = [
        { name: 'k', limit: 1 },
        { name: 'o', limit: 2 },
      ];
      expect(await sets.join(org, 'a', [key, all], long)).toEqual({ full: -1, counts: [0, 0] });
      expect(await sets.join(org, 'b', [key, all], long)).toEqual({ full: 0, counts: [1, 1] });
      expect(await sets.join(org, 'c', [all], long)).toEqual({ full: -1, counts: [1] });
      expect(await sets.join(org, 'd', [{ name: 'other', limit: 1 }, all], long)).toEqual({ full: 1, counts: [0, 2] });
      await sets.leave(org, 'a', ['k', 'o']);
      expect(await sets.join(org, 'd', [key, all], long)).toEqual({ full: -1, counts: [0, 1] });
    });

    it('let no more in than the limit, whoever comes at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => sets.join(org, `m${at}`, [{ name: 'k', limit: 5 }], long)),
      );
      expect(answers.filter(({ full }) => full < 0)).toHaveLength(5);
    });

    it('forget members that nobody renews, and have back those that are renewed', async () => {
      const set = [{ name: 'k', limit: 2 }];
      await sets.join(org, 'kept', set, long);
      await sets.join(org, 'gone', set, 1);
      await eventually(
        'the place of the one that is gone',
        async () => (await sets.join(org, 'next', set, 1)).full < 0,
      );
      await sets.renew(org, 'k', ['kept', 'back'], long);
      expect((await sets.join(org, 'late', set, long)).full).toBe(0);
    });
  });
}

promises('Redis', redisSettings);
promises('Redis Cluster', redisClusterSettings);
