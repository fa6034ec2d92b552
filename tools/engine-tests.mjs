// Starts real engines and runs every *.engine.spec.ts of libs against them: node tools/run.mjs tools/engine-tests.mjs [jest arguments].
// An engine whose address is set (SVC_KAFKA_BROKERS, SVC_REDIS_URL) is used as it is, and tests that would stop or empty it are skipped.
// EventStoreDB is checked where SVC_EVENTSTOREDB_URL is set: there is none to install, and `npm test` runs its contract on the twin.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEngines } from './engines/index.mjs';
import { installChromium } from './engines/install.mjs';
import { redisEngine } from './engines/redis.mjs';
import { withoutSecrets } from './fleet/launch.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const VERBS = ['restart', 'halt', 'kill', 'resume'];

/** Lets specs stop and start the engines: POST /<engine>/<verb>, answered when it is done. */
function control(engines) {
  return new Promise((resolve) => {
    const server = createServer(async (request, response) => {
      const [, name, verb] = request.url.split('/');
      try {
        if (!VERBS.includes(verb)) throw new Error(`no verb ${verb}`);
        await engines[verb](name);
        response.writeHead(204).end();
      } catch (error) {
        response.writeHead(500).end(error.message);
      }
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function jest(env) {
  const flags = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=TimeoutNegativeWarning',
  ];
  const reporters = ['--reporters', 'default', '--reporters', join(root, 'tools/jest-not-run.cjs')];
  const chosen = process.argv.slice(2).flatMap((arg) => (arg.startsWith('-') ? [arg] : ['--testPathPatterns', arg]));
  const args = [
    ...flags,
    join(root, 'node_modules/jest/bin/jest.js'),
    '--runInBand',
    ...reporters,
    '--testMatch',
    '**/libs/**/*.engine.spec.ts',
    ...chosen,
  ];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** One engine of the first line that a run prints. */
function said(address, isOwn) {
  if (!address) return 'not checked (no address)';
  return `${withoutSecrets(address)} (${isOwn ? 'started' : 'given: what would stop or empty it is skipped'})`;
}

const dir = mkdtempSync(join(tmpdir(), 'engine-tests-'));
const own = { kafka: !process.env.SVC_KAFKA_BROKERS, redis: !process.env.SVC_REDIS_URL };
const engines = await startEngines({ dir, ...own });
const cluster = await redisEngine(join(dir, 'redis-cluster'), { cluster: true });
await cluster.start();
const server = await control(engines);
const env = {
  ...process.env,
  SVC_CHROMIUM: installChromium(),
  SVC_ENGINES_CONTROL: `http://127.0.0.1:${server.address().port}`,
  SVC_ENGINES_OWN: Object.keys(own)
    .filter((name) => own[name])
    .join(','),
  SVC_REDIS_CLUSTER_URL: cluster.url,
};
if (engines.kafka) env.SVC_KAFKA_BROKERS = engines.kafka.brokers;
if (engines.redis) env.SVC_REDIS_URL = engines.redis.url;
console.error(
  `engines: Kafka ${said(env.SVC_KAFKA_BROKERS, own.kafka)}, Redis ${said(env.SVC_REDIS_URL, own.redis)}, EventStoreDB ${said(env.SVC_EVENTSTOREDB_URL, false)}`,
);
let code = 1;
try {
  code = await jest(env);
} finally {
  server.close();
  await Promise.all([engines.stop(), cluster.stop()]);
  if (code === 0) rmSync(dir, { recursive: true, force: true });
  else console.error(`the engines' files are left in ${dir}`);
}
process.exit(code);
