import type { RedisSettings } from '../redis-connection.js';

/** The Redis that `tools/engine-tests.mjs` started or was given; a missing one fails the suite. */
export function redisSettings(): RedisSettings {
  const url = process.env['SVC_REDIS_URL'];
  if (!url) throw new Error('SVC_REDIS_URL is not set: run tools/engine-tests.mjs');
  return { url, prefix: 'spec' };
}

/** A cluster of one node: keys of one call must share a slot as in any cluster. */
export function redisClusterSettings(): RedisSettings {
  const url = process.env['SVC_REDIS_CLUSTER_URL'];
  if (!url) throw new Error('SVC_REDIS_CLUSTER_URL is not set: run tools/engine-tests.mjs');
  return { url: `${url},${url}`, prefix: 'spec' };
}

/** Stops or starts the Redis of this run. Resolves when that is done. */
export async function engineRedis(verb: 'restart' | 'halt' | 'kill' | 'resume'): Promise<void> {
  const control = process.env['SVC_ENGINES_CONTROL'];
  if (!control) throw new Error('SVC_ENGINES_CONTROL is not set: run tools/engine-tests.mjs without SVC_REDIS_URL');
  const answer = await fetch(`${control}/redis/${verb}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`redis ${verb}: ${await answer.text()}`);
}
