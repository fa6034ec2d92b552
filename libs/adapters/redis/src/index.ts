export { RedisConnection, type RedisSettings } from './redis-connection.js';
export { RedisReadStore } from './read-store.js';
export { RedisSnapshots } from './snapshots.js';
export { RedisLeases } from './leases.js';
export { RedisMembers } from './members.js';
export { RedisLiveBus } from './live-bus.js';
export { RedisExpiringSets } from './expiring-sets.js';
export { RedisTokenBuckets } from './token-buckets.js';
