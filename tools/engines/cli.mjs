// node tools/run.mjs tools/engines/cli.mjs install | start [--dir <folder>] [--kafka] [--redis] [--foreground] | stop
// [--dir <folder>]
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endProcess, isAlive } from './engine.mjs';
import { startEngines } from './index.mjs';
import { installChromium, installKafka, installRedis } from './install.mjs';

const {
  values,
  positionals: [verb],
} = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'string', default: 'data/engines' },
    kafka: { type: 'boolean' },
    redis: { type: 'boolean' },
    foreground: { type: 'boolean' },
  },
});
const record = join(resolve(values.dir), 'engines.json');
const running = () => (existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : []);

/** Whether the pid still is the engine that was recorded, and not a stranger that was given its number. */
function isEngine({ pid, folder }) {
  if (!isAlive(pid)) return false;
  return !existsSync('/proc/self/cmdline') || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
}

async function start() {
  const left = running().filter(isEngine);
  if (left.length > 0)
    throw new Error(`already running: ${left.map(({ name, pid }) => `${name} (${pid})`).join(', ')}`);
  const all = !values.kafka && !values.redis;
  const engines = await startEngines({
    dir: values.dir,
    kafka: all || values.kafka,
    redis: all || values.redis,
    detached: !values.foreground,
  });
  const list = [engines.kafka, engines.redis].filter(Boolean);
  writeFileSync(record, JSON.stringify(list.map(({ name, pid, folder }) => ({ name, pid, folder }))));
  if (engines.kafka) console.log(`SVC_KAFKA_BROKERS=${engines.kafka.brokers}`);
  if (engines.redis) console.log(`SVC_REDIS_URL=${engines.redis.url}`);
  if (!values.foreground) return;
  await new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, done);
    setInterval(() => undefined, 60_000);
  });
  await engines.stop();
  rmSync(record, { force: true });
  process.exit(0);
}

async function stop() {
  for (const engine of running().filter(isEngine)) {
    await endProcess(engine.pid);
    console.log(`stopped ${engine.name} (${engine.pid})`);
  }
  rmSync(record, { force: true });
}

const verbs = {
  install: () => {
    installRedis();
    installKafka();
    installChromium();
  },
  start,
  stop,
};
if (!verbs[verb]) {
  console.error(
    'usage: cli.mjs install | start [--dir <folder>] [--kafka] [--redis] [--foreground] | stop [--dir <folder>]',
  );
  process.exit(2);
}
await verbs[verb]();
