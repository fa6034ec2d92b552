// Starts the fleet with two copies of what can have copies, runs tests/api and tests/fleet against it, stops it; then
// one with two copies of everything and wires between all parts, for tests/chaos; by name also one that begins as the
// release before and is upgraded: npm run test:fleet [-- api|fleet|console|rolling|chaos|upgrade ...] [jest arguments]
// Engines whose URL is set are used as they are; then the suites that
// stop and start them fail: they need their own.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildClient } from './client.mjs';
import { fillWithDemo } from './console/service.mjs';
import { buildConsole } from './console.mjs';
import { installChromium, installKafka } from './engines/install.mjs';
import { startFleet, stopFleet } from './fleet/start-fleet.mjs';
import { runJest } from './jest.mjs';
import { actionsPorts, freePort } from './ports.mjs';
import { releaseBefore } from './release-before.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tailLines = 30;
/**
 * Requests wait for each other nowhere, so three files of them run at once; what stops and starts parts of the fleet
 * runs alone.
 */
const atOnce = { api: ['--maxWorkers=3'] };
/** Suites that end processes and empty engines: each of their tests begins on a whole fleet. */
const beginsWhole = ['fleet', 'rolling', 'chaos'];
const suites = {
  api: '**/tests/api/**/*.spec.ts',
  fleet: '**/tests/fleet/**/*.fleet.ts',
  console: '**/tests/{console/**/*.flow,fleet/console.fleet}.ts',
  rolling: '**/tests/chaos/**/*.rolling.ts',
  chaos: '**/tests/chaos/**/*.chaos.ts',
  upgrade: '**/tests/chaos/**/*.upgrade.ts',
};
/**
 * Run only when they are named: `npm run test:console` runs the same flows against one process, and an upgrade takes
 * minutes.
 */
const byName = ['console', 'upgrade'];
/** Suites that share a fleet, and what it has beyond the others. */
const fleets = [
  { names: ['api', 'fleet', 'console'], env: {} },
  { names: ['rolling', 'chaos'], env: { SVC_FLEET_COPIES_OF: 'all', SVC_FLEET_WIRES: 'on' } },
  { names: ['upgrade'], env: { SVC_FLEET_COPIES_OF: 'all' }, beginsAs: releaseBefore },
];
const copies = ['access', 'session', 'blueprint', 'interaction', 'stream']
  .map((service) => `${service}-service`)
  .concat('gateway')
  .flatMap((service) => [`${service}-0`, `${service}-1`]);

/** The fleet that the suites meet, and what they need to know of it. */
async function testedFleet(folder, dist, more) {
  const ownerKey = `test_owner_${randomBytes(24).toString('hex')}`;
  const actions = await actionsPorts();
  const failpoint = join(folder, 'failpoint');
  const tracesPort = String(await freePort());
  writeFileSync(failpoint, '');
  const { child, url } = await startFleet(dist, folder, {
    SVC_PORT: String(await freePort()),
    SVC_BOOTSTRAP_ORG: 'Test',
    SVC_BOOTSTRAP_OWNER_KEY: ownerKey,
    SVC_SCRIPTED_MODEL: 'on',
    SVC_RATE_LIMIT_KEY_RPM: '0',
    SVC_RATE_LIMIT_ORG_RPM: '0',
    SVC_LEASE_SECONDS: '3',
    SVC_WORKER_LEASE_SECONDS: '6',
    SVC_FLEET_REPLICAS: '2',
    SVC_EGRESS_ALLOW: process.env.SVC_EGRESS_ALLOW ?? actions.ports.map((one) => `127.0.0.1:${one}`).join(','),
    SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'warn',
    SVC_FAILPOINT: failpoint,
    // only what a suite asks to be traced; it listens there itself
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${tracesPort}`,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    ...more,
  });
  return {
    child,
    env: {
      BASE_URL: url,
      OWNER_KEY: ownerKey,
      SERVICE_DATA_DIR: folder,
      TRACES_PORT: tracesPort,
      ...actions.env,
      KAFKA_CLASS_PATH: installKafka(),
      SVC_CHROMIUM: installChromium(),
    },
  };
}

function jest(name, env, args) {
  const setup = ['tools/jest-attempts.cjs', ...(beginsWhole.includes(name) ? ['tests/fleet/whole-fleet.ts'] : [])];
  const setups = setup.flatMap((file) => ['--setupFilesAfterEnv', join(root, file)]);
  const more = [...setups, ...(atOnce[name] ?? ['--runInBand']), '--testTimeout', '360000', ...args];
  return runJest(['--testMatch', suites[name], ...more], { ...process.env, ...env });
}

/** The ends of every log, and what was logged as an error anywhere. */
function showLogs(folder) {
  const logs = [
    join(folder, 'fleet'),
    ...['eventstore', 'redis', 'kafka'].map((name) => join(folder, 'engines', name)),
  ].flatMap((place) => {
    try {
      return readdirSync(place)
        .filter((file) => file.endsWith('.log'))
        .map((file) => join(place, file));
    } catch (error) {
      if (error.code === 'ENOENT') return [];
      throw error;
    }
  });
  for (const log of logs) {
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    console.error(
      `\n== ${log}\n${lines
        .slice(-tailLines)
        .map((line) => line.slice(0, 600))
        .join('\n')}`,
    );
  }
}

const given = process.argv.slice(2);
const wanted = Object.keys(suites).filter((name) => given.includes(name));
const args = given.filter((arg) => !(arg in suites));

/** Has every copy of the fleet begin as another build; gives what the launcher and the suites need to know. */
function beginning(folder, dist, build) {
  const file = join(folder, 'releases.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(copies.map((name) => [name, { dist: build }]))));
  return { FLEET_RELEASES: file, BUILD_BEFORE: build, BUILD_NOW: dist };
}

/** Starts a fleet, runs the suites against it, stops it; gives 0 when all went well. */
async function run(names, more, build) {
  const folder = mkdtempSync(join(tmpdir(), 'aos-fleet-'));
  const dist = join(root, 'dist', `fleet-tests-${process.pid}`);
  let code = 1;
  let fleet = null;
  try {
    await Promise.all([buildClient(), buildConsole()]);
    const env = { ...more, ...(build === undefined ? {} : beginning(folder, dist, build)) };
    fleet = await testedFleet(folder, dist, env);
    Object.assign(fleet.env, build === undefined ? {} : env);
    if (names.includes('console')) fillWithDemo(fleet.env.BASE_URL, fleet.env.OWNER_KEY);
    code = 0;
    for (const name of names) code = (await jest(name, fleet.env, args)) || code;
  } catch (error) {
    console.error(error.message);
  }
  if (code !== 0) showLogs(folder);
  if (fleet && fleet.child.exitCode === null && (await stopFleet(fleet.child)) !== 0) {
    console.error('the fleet did not stop cleanly');
    code ||= 1;
  }
  rmSync(dist, { recursive: true, force: true });
  if (code === 0) rmSync(folder, { recursive: true, force: true });
  else console.error(`the fleet's files are left in ${folder}`);
  return code;
}

let code = 0;
for (const { names, env, beginsAs } of fleets) {
  const asked = names.filter((name) => (wanted.length === 0 ? !byName.includes(name) : wanted.includes(name)));
  if (asked.length === 0) continue;
  const build = beginsAs?.();
  if (build === null) {
    console.error(`not run: ${asked.join(', ')}: the history of this project, with the release before, is not here`);
    code ||= 75;
  } else code = (await run(asked, env, build)) || code;
}
process.exit(code);
