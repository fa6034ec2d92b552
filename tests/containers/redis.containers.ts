import {
  RedisConnection,
  RedisLeases,
  RedisLiveBus,
  RedisReadStore,
  RedisSnapshots,
  type RedisSettings,
} from '@aos/adapters/redis';
import { leasesContract, liveBusContract, readStoreContract, snapshotsContract } from '@aos/kernel/contracts';
import { redisContainer } from './containers.js';

const NAME = 'Redis in a container';
const url = redisContainer();
const settings = (): RedisSettings => ({ url: url(), prefix: 'containers' });

readStoreContract(NAME, async () => {
  const store = new RedisReadStore(new RedisConnection(settings()));
  return { store, close: () => store.close() };
});

snapshotsContract(NAME, async () => {
  const snapshots = new RedisSnapshots(new RedisConnection(settings()));
  return { snapshots, close: () => snapshots.close() };
});

leasesContract(NAME, async () => {
  const leases = new RedisLeases(new RedisConnection(settings()));
  return { leases, close: () => leases.close() };
});

liveBusContract(NAME, async () => {
  const [bus, peer] = [new RedisLiveBus(settings()), new RedisLiveBus(settings())];
  return {
    bus,
    peer,
    close: async () => {
      await Promise.all([bus.close(), peer.close()]);
    },
  };
});
