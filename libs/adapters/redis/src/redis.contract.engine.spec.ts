import { leasesContract, liveBusContract, readStoreContract, snapshotsContract } from '@aos/kernel/contracts';
import { RedisConnection, RedisLeases, RedisLiveBus, RedisReadStore, RedisSnapshots } from './index.js';
import { redisSettings } from './testing/engine.js';

readStoreContract('Redis', async () => {
  const store = new RedisReadStore(new RedisConnection(redisSettings()));
  return { store, close: () => store.close() };
});

snapshotsContract('Redis', async () => {
  const snapshots = new RedisSnapshots(new RedisConnection(redisSettings()));
  return { snapshots, close: () => snapshots.close() };
});

leasesContract('Redis', async () => {
  const leases = new RedisLeases(new RedisConnection(redisSettings()));
  return { leases, close: () => leases.close() };
});

liveBusContract('Redis', async () => {
  const [bus, peer] = [new RedisLiveBus(redisSettings()), new RedisLiveBus(redisSettings())];
  return { bus, peer, close: async () => { await Promise.all([bus.close(), peer.close()]); } };
});
