export { RedisConnection, type RedisSettings } from './redis-connection.js';
export { RedisReadStore } from './read-store.js';
export { RedisSnapshots } from './snapshots.js';
export { RedisLeases } from './leases.js';
export { RedisLiveBus } from './live-bus.js';
export { RedisTokenBuckets } from './token-buckets.js';
