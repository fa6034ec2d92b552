// Builds the image and starts the compose file with a real Docker engine, then uses both: npm run test:docker [--all]
// [--keep] [--image] --all: every suite of tests/api and of the adapters instead of some; --keep: leaves the fleet and
// the engine running until it is told to stop; --image: only makes the image, which the next run finds made.
// Where there is no engine and none can be started (a machine that may not run containers) it says so, tests nothing and
// exits with 75.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DockerEngine, NoEngine } from './docker/engine.mjs';
import { ComposedFleet } from './docker/fleet.mjs';
import { Images } from './docker/images.mjs';
import { runBeside } from './docker/run.mjs';
import { runJest } from './jest.mjs';
import { actionsPorts } from './ports.mjs';
import { takeTour } from './tour.mjs';

const root = join(import.meta.dirname, '..');
const cache = join(root, '.cache', 'docker');
const imageTag = 'agent-orchestration-service:test';
const imageMbMax = 500;
/**
 * Of suites of tests/api, which wait more than they work; each file needs a port of its own where services reach its
 * action server.
 */
const atOnce = 2;
/** Exit code without an engine (EX_TEMPFAIL): the gate counts such a step neither as passed nor as failed. */
const notRun = 75;
const startedAgain = ['session-service', 'blueprint-service'];
/**
 * Suites of tests/api that touch every service and go through all engines; the others run against the fleet of
 * processes.
 */
const someSuites = [
  'auth',
  'conventions',
  'agents',
  'invoke',
  'turns',
  'streams-v1',
  'tools-http',
  'definitions-events',
];
const args = process.argv.slice(2);
const tally = { passed: 0, failed: 0 };

const interrupted = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve(1));
});

const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

/** One thing that must hold; a failure is told and counted, and the next is tried. */
async function holds(what, check) {
  const began = performance.now();
  try {
    const found = await check();
    tally.passed += 1;
    console.error(`ok    ${what}${found ? `: ${found}` : ''} (${seconds(began)} s)`);
  } catch (error) {
    tally.failed += 1;
    console.error(`FAIL  ${what}\n${error.message}`);
  }
}

function must(condition, message) {
  if (!condition) throw new Error(message);
}

function secrets() {
  const files = { npmrc: join(homedir(), '.npmrc'), ca: process.env.NODE_EXTRA_CA_CERTS ?? '' };
  return Object.entries(files)
    .filter(([, file]) => file && existsSync(file))
    .flatMap(([id, file]) => ['--secret', `id=${id},src=${file}`]);
}

async function buildImage(engine, nodeImage) {
  const began = performance.now();
  await runBeside(
    engine.docker,
    [
      'build',
      '--network',
      'host',
      ...secrets(),
      '--build-arg',
      `NODE_IMAGE=${nodeImage}`,
      '-f',
      'docker/Dockerfile',
      '-t',
      imageTag,
      '.',
    ],
    { cwd: root, env: engine.env },
  );
  console.error(`image built in ${seconds(began)} s`);
}

/** What the image promises by itself, without a compose file. */
async function checkImage(engine) {
  await holds('the image is small', () => {
    const mb = Math.round(Number(engine.run('image', 'inspect', '--format', '{{.Size}}', imageTag)) / 1e6);
    must(mb <= imageMbMax, `${mb} MB, at most ${imageMbMax}`);
    return `${mb} MB`;
  });
  await holds('it is not root, and only a number names its user', () => {
    const user = engine.run('image', 'inspect', '--format', '{{.Config.User}}', imageTag);
    must(/^[1-9]\d*:[1-9]\d*$/.test(user), `its user is ${user}`);
    return user;
  });
  await holds('it holds no sources, tests, compilers or secrets', () => {
    const found = engine.run(
      'run',
      '--rm',
      '--network',
      'none',
      '--entrypoint',
      'sh',
      imageTag,
      '-c',
      "cd /app && find . -path ./node_modules -prune -o \\( -name '*.ts' -o -name '*.spec.js' -o -name '.npmrc' -o -name '*.pem' \\) -print; ls -d node_modules/typescript node_modules/jest node_modules/@swc 2>/dev/null; ls /root/.npmrc 2>/dev/null; true",
    );
    must(found === '', found);
  });
  await holds('it refuses a program that is not there', () => {
    try {
      engine.run('run', '--rm', '--network', 'none', imageTag, 'nothing');
    } catch (error) {
      must(error.message.includes('no program nothing'), error.message);
      return;
    }
    throw new Error('it ran');
  });
  await holds('the whole service starts in one container with a read-only file system', () => startEmbedded(engine));
}

async function startEmbedded(engine) {
  const name = `aos-embedded-${process.pid}`;
  const began = performance.now();
  engine.run(
    'run',
    '-d',
    '--name',
    name,
    '--read-only',
    '--tmpfs',
    '/tmp',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
    '-v',
    '/data',
    '-p',
    '127.0.0.1::8080',
    imageTag,
  );
  try {
    const address = engine.run('port', name, '8080').split('\n')[0];
    for (const deadline = Date.now() + 60_000; ;) {
      if (
        await fetch(`http://${address}/readyz`).then(
          (answer) => answer.ok,
          () => false,
        )
      )
        break;
      must(Date.now() < deadline, `not ready:\n${engine.run('logs', name)}`);
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
    const ready = seconds(began);
    engine.run('exec', name, './healthcheck.sh');
    engine.run('stop', '--time', '40', name);
    const code = engine.run('inspect', '--format', '{{.State.ExitCode}}', name);
    must(code === '0', `it ended with ${code}`);
    return `ready in ${ready} s`;
  } finally {
    engine.run('rm', '-f', '-v', name);
  }
}

/** What runs beside prints where this prints its complaints. */
const stdio = ['ignore', 2, 2];

/** Runs a script of Node beside, so that its counts are seen; gives whether it ended well. */
function script(env, scriptArgs) {
  const child = spawn(process.execPath, scriptArgs, { cwd: root, stdio, env: { ...process.env, ...env } });
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** The contracts of the adapters, on containers of this engine; all their suites with --all. */
function engineTests(env) {
  const suites = args.includes('--all') ? 'libs/adapters' : 'libs/adapters/.*contract';
  return script(env, [join(root, 'tools', 'engine-tests.mjs'), suites]);
}

async function jest(env, jestArgs) {
  return (await runJest(['--testTimeout', '180000', ...jestArgs], { ...process.env, ...env }, stdio)) === 0;
}

async function checkFleet(engine, images) {
  const fleet = new ComposedFleet(engine, { image: imageTag, ...images });
  let sound = true;
  try {
    const began = performance.now();
    await holds('the compose file starts', async () => {
      await fleet.start();
      return `every service ready in ${seconds(began)} s`;
    });
    if (tally.failed > 0) throw new Error('the fleet does not stand');
    await holds('every container says that it is healthy', () => fleet.untilHealthy());
    await holds('services run read-only, without capabilities, as another than root', () => {
      for (const program of ['gateway', ...startedAgain]) {
        const told = engine.run(
          'inspect',
          '--format',
          '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.Config.User}}',
          fleet.containerOf(program),
        );
        must(told === 'true [ALL] 10001:10001', `${program}: ${told}`);
      }
    });
    await holds(
      'the README tour runs against it',
      async () => `${await takeTour(readFileSync(join(root, 'README.md'), 'utf8'), fleet)} blocks`,
    );
    sound = await apiSuites(fleet);
    if (args.includes('--keep')) await told(fleet);
    await holds('it stops by itself', () => fleet.stop());
  } catch (error) {
    console.error(error.message);
  } finally {
    if (tally.failed > 0 || !sound)
      console.error(
        fleet
          .logs('--tail=15')
          .split('\n')
          .map((line) => line.slice(0, 400))
          .join('\n'),
      );
    await fleet.remove();
  }
  return sound;
}

async function apiSuites(fleet) {
  const { ports, env } = await actionsPorts();
  await fleet.start({
    SVC_MODELS_FILE: '',
    SVC_EGRESS_ALLOW: ports.map((port) => `${fleet.modelHost}:${port}`).join(','),
    SVC_RATE_LIMIT_KEY_RPM: '0',
    SVC_RATE_LIMIT_ORG_RPM: '0',
    SVC_LEASE_SECONDS: '3',
    SVC_WORKER_LEASE_SECONDS: '6',
    SVC_TRUSTED_PROXIES: `${fleet.modelHost}/8`,
  });
  const suites = args.includes('--all')
    ? '**/tests/api/**/*.spec.ts'
    : `**/tests/api/@(${someSuites.join('|')}).api.spec.ts`;
  return jest(
    {
      ...fleet.engine.env,
      BASE_URL: fleet.url,
      OWNER_KEY: fleet.key,
      SVC_COMMAND: fleet.operatorCommand,
      ACTIONS_HOST: fleet.modelHost,
      ...env,
    },
    ['--testMatch', suites, `--maxWorkers=${atOnce}`],
  );
}

function told(fleet) {
  console.error(`the fleet is at ${fleet.url} with key ${fleet.key}; DOCKER_HOST=${fleet.engine.host}; SIGINT ends it`);
  return interrupted;
}

async function main() {
  const began = performance.now();
  const engine = new DockerEngine(join(cache, 'engine'));
  try {
    await engine.start();
  } catch (error) {
    if (!(error instanceof NoEngine)) throw error;
    console.error(`not run: ${error.message}`);
    return notRun;
  }
  try {
    const work = tryAll(engine, began);
    return await (args.includes('--keep') ? work : Promise.race([work, interrupted]));
  } finally {
    await engine.stop();
  }
}

async function tryAll(engine, began) {
  console.error(
    `Docker engine ${engine.run('version', '--format', '{{.Server.Version}}')} ${engine.isOwn ? 'started' : 'found'} at ${engine.host} (${seconds(began)} s)`,
  );
  const made = await new Images(engine, cache).make();
  console.error(`base images made (${seconds(began)} s)`);
  await buildImage(engine, made.node);
  if (args.includes('--image')) return 0;
  await checkImage(engine);
  const containers = { DOCKER_HOST: engine.host, REDIS_IMAGE: made.redis, KAFKA_IMAGE: made.kafka };
  let sound = await engineTests(containers);
  sound = (await checkFleet(engine, made)) && sound;
  console.error(
    `Tests: ${tally.failed > 0 ? `${tally.failed} failed, ` : ''}${tally.passed} passed, ${tally.passed + tally.failed} total`,
  );
  console.error(`docker: ${seconds(began)} s`);
  return sound && tally.failed === 0 ? 0 : 1;
}

process.exit(await main());
