import {
  leasesContract,
  liveBusContract,
  membersContract,
  readStoreContract,
  snapshotsContract,
} from '@aos/kernel/contracts';
import {
  RedisConnection,
  RedisLeases,
  RedisLiveBus,
  RedisMembers,
  RedisReadStore,
  RedisSnapshots,
  type RedisSettings,
} from './index.js';
import { redisClusterSettings, redisSettings } from './testing/engine.js';

function contracts(name: string, settings: () => RedisSettings): void {
  readStoreContract(name, async () => {
    const store = new RedisReadStore(new RedisConnection(settings()));
    return { store, close: () => store.close() };
  });

  snapshotsContract(name, async () => {
    const snapshots = new RedisSnapshots(new RedisConnection(settings()));
    return { snapshots, close: () => snapshots.close() };
  });

  leasesContract(name, async () => {
    const leases = new RedisLeases(new RedisConnection(settings()));
    return { leases, close: () => leases.close() };
  });

  membersContract(name, async () => {
    const members = new RedisMembers(new RedisConnection(settings()));
    return { members, close: () => members.close() };
  });

  liveBusContract(name, async () => {
    const [bus, peer] = [new RedisLiveBus(settings()), new RedisLiveBus(settings())];
    return {
      bus,
      peer,
      close: async () => {
        await Promise.all([bus.close(), peer.close()]);
      },
    };
  });
}

contracts('Redis', redisSettings);
contracts('Redis Cluster', redisClusterSettings);
