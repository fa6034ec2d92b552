import { getHeapStatistics } from 'node:v8';
import { collectGarbage } from '@aos/kernel/testing';
import { LeaseRenewals } from './lease-renewals.js';
import type { RedisConnection } from './redis-connection.js';

const renewed = 30_000;

it('keeps nothing of what was sent: a process renews for as long as it lives', async () => {
  const connection = { isCluster: true, run: () => Promise.resolve([1]) } as unknown as RedisConnection;
  const renewals = new LeaseRenewals(connection);
  const heapAfter = async (count: number) => {
    for (let n = 0; n < count; n += 1) await renewals.renew('lease', 'owner', 1000);
    await collectGarbage();
    return getHeapStatistics().used_heap_size;
  };
  const before = await heapAfter(1000);
  expect((await heapAfter(renewed)) - before).toBeLessThan(renewed * 10);
  await renewals.close();
});
