import { SpecEngine } from '@aos/kernel/testing';
import type { RedisSettings } from '../redis-connection.js';

export const redisEngine = new SpecEngine('redis', 'SVC_REDIS_URL');
const clusterEngine = new SpecEngine('redis-cluster', 'SVC_REDIS_CLUSTER_URL');

/** The Redis of this run. */
export function redisSettings(): RedisSettings {
  return { url: redisEngine.address, prefix: 'spec' };
}

/** A cluster of one node: keys of one call must share a slot as in any cluster. */
export function redisClusterSettings(): RedisSettings {
  return { url: `${clusterEngine.address},${clusterEngine.address}`, prefix: 'spec' };
}
