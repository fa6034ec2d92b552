// Real engines for tests and for the fleet on one machine.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { kafkaEngine } from './kafka.mjs';
import { redisEngine } from './redis.mjs';

/**
 * Installs what is missing and starts the engines asked for.
 *
 * Takes    dir: their files live in <dir>/kafka and <dir>/redis, where ports are noted too: a later start finds the
 *          same ports and data. detached: they outlive this process; otherwise they end with it. onExit(name, how): one
 *          ended although nobody stopped it.
 * Gives    kafka {brokers, pid, log}, redis {url, pid, log} (null when not asked for; pid null while it is down), and
 *          restart(name), halt(name), kill(name), resume(name): same port, same data; stop(): all of them.
 * Refuses  with the log's tail when one does not start; those already started are stopped.
 */
export async function startEngines({ dir, kafka = false, redis = false, detached = false, onExit = () => undefined }) {
  const folder = resolve(dir);
  mkdirSync(folder, { recursive: true });
  const engines = {};
  if (redis) engines.redis = await redisEngine(join(folder, 'redis'), { detached });
  if (kafka) engines.kafka = await kafkaEngine(join(folder, 'kafka'), { detached });
  const stop = async () => {
    const results = await Promise.allSettled(Object.values(engines).map((engine) => engine.stop()));
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
  };
  const started = await Promise.allSettled(Object.values(engines).map((engine) => engine.start()));
  const failure = started.find(({ status }) => status === 'rejected');
  if (failure) {
    await stop();
    throw failure.reason;
  }
  for (const engine of Object.values(engines))
    engine.onExit((how) => {
      onExit(engine.name, how);
    });
  const named = (name) => {
    if (!engines[name]) throw new Error(`no engine named ${name} was started`);
    return engines[name];
  };
  return {
    kafka: engines.kafka ?? null,
    redis: engines.redis ?? null,
    restart: (name) => named(name).restart(),
    halt: (name) => named(name).stop(),
    kill: (name) => named(name).kill(),
    resume: (name) => named(name).start(),
    stop,
  };
}
