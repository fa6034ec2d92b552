// Starts real engines and runs every *.engine.spec.ts of libs against them: node tools/run.mjs tools/engine-tests.mjs [jest arguments].
// An engine whose URL is set (SVC_KAFKA_BROKERS, SVC_REDIS_URL) is used as it is; then the specs that stop and start it fail: they need their own.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEngines } from './engines/index.mjs';
import { installChromium } from './engines/install.mjs';
import { redisEngine } from './engines/redis.mjs';

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
  const args = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', '--disable-warning=TimeoutNegativeWarning', join(root, 'node_modules/jest/bin/jest.js'),
    '--runInBand', '--testMatch', '**/libs/**/*.engine.spec.ts', ...process.argv.slice(2).flatMap((arg) => (arg.startsWith('-') ? [arg] : ['--testPathPatterns', arg]))];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => { child.once('exit', (code) => resolve(code ?? 1)); });
}

const dir = mkdtempSync(join(tmpdir(), 'engine-tests-'));
const own = { kafka: !process.env.SVC_KAFKA_BROKERS, redis: !process.env.SVC_REDIS_URL };
const engines = await startEngines({ dir, ...own });
const cluster = await redisEngine(join(dir, 'redis-cluster'), { cluster: true });
await cluster.start();
const server = await control(engines);
const env = { ...process.env, SVC_CHROMIUM: installChromium(), SVC_ENGINES_CONTROL: `http://127.0.0.1:${server.address().port}`, SVC_REDIS_CLUSTER_URL: cluster.url };
if (engines.kafka) env.SVC_KAFKA_BROKERS = engines.kafka.brokers;
if (engines.redis) env.SVC_REDIS_URL = engines.redis.url;
console.error(`engines: Kafka ${env.SVC_KAFKA_BROKERS} (${engines.kafka ? 'started' : 'given'}), Redis ${env.SVC_REDIS_URL} (${engines.redis ? 'started' : 'given'})`);
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
