// Runs a named long run and writes what it did to docs/reports/<name>.md: `npm run soak -- simulation`, `npm run soak
// -- kills`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonCuts } from './python-client.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outputKept = 200_000;
const chunk = 2500;
/** Images of a disk, each of what a loss of power left of a storm. */
const powerLosses = Number(process.env.IMAGES ?? 10_000);

/** Specs that kill at a share of their places in the gate; SPECS names some of them, with commas between. */
const shared = [
  ...['failpoints', 'routines.kill', 'minute.kill', 'messaging.kill', 'ownership.kill'].map(
    (name) => `tests/crash/${name}`,
  ),
  'libs/blueprints/src/apply/crash',
];

/** A run of one part, which is given its amount in a variable of its environment, as the run itself is. */
function onePart({ variable, amount, unit, label = (given) => `${given} ${unit}`, runner, args, again, title }) {
  return {
    title,
    amount: Number(process.env[variable] ?? amount),
    unit,
    atOnce: 1,
    calls: (given) => [{ label: label(given), runner, args, env: { [variable]: String(given) } }],
    again,
  };
}

/** Each run: its amount, and the jest calls that make it up. */
const runs = {
  simulation: {
    title: 'Simulation of replicas on one log',
    amount: Number(process.env.SCHEDULES ?? 100_000),
    unit: 'schedules',
    atOnce: Number(process.env.WORKERS ?? Math.max(1, Math.min(4, cpus().length))),
    /** A seed makes a whole schedule: chunks of seeds run side by side. */
    calls(amount) {
      const first = Number(process.env.FIRST_SEED ?? 1);
      return Array.from({ length: Math.ceil(amount / chunk) }, (_, place) => ({
        label: `seeds ${first + place * chunk} to ${first + Math.min(amount, (place + 1) * chunk) - 1}`,
        args: ['tests/simulation', '-t', 'holds every invariant|loses nothing'],
        env: { FIRST_SEED: String(first + place * chunk), SCHEDULES: String(Math.min(chunk, amount - place * chunk)) },
      }));
    },
    again: 'SEED=<seed> npx jest tests/simulation -t "holds every invariant"',
  },
  model: onePart({
    title: 'The model of 1 to 32 replicas on one event store',
    variable: 'MODEL_SEEDS',
    amount: 4,
    unit: 'seeds',
    args: ['tests/growth/growth.spec.ts'],
    again: 'MODEL_SEEDS=<n> npx jest tests/growth',
  }),
  steady: onePart({
    title: 'One process at 70 % load: a hundred organizations, one of them greedy',
    variable: 'STEADY_MINUTES',
    amount: process.argv[3] ?? 60,
    unit: 'minutes',
    runner: 'tools/soak/steady.mjs',
    args: [],
    again: 'STEADY_MINUTES=<n> node tools/run.mjs tools/soak/steady.mjs',
  }),
  failpoints: {
    title: 'Embedded service killed at each failpoint',
    amount: 1,
    unit: 'run of all places',
    atOnce: 1,
    calls: () =>
      (process.env.SPECS?.split(',') ?? shared).map((spec) => ({
        label: `every place of ${spec}`,
        runner: 'tools/test.mjs',
        args: [spec],
        env: { FAILPOINTS: 'all' },
      })),
    again: 'SPECS=<part> npm run soak -- failpoints',
  },
  kills: {
    title: 'Embedded service killed with SIGKILL under load',
    amount: Number(process.env.KILLS ?? 1000),
    unit: 'kills',
    atOnce: 1,
    calls: (amount) => [
      { label: `${amount} kills`, args: ['tests/crash/kill.spec.ts'], env: { KILLS: String(amount) } },
      {
        label: 'kills in applies and deletes of blueprints',
        args: ['tests/crash/blueprint-apply.spec.ts'],
        env: { KILLS: String(Math.max(4, Math.round(amount / 50))) },
      },
    ],
    again: 'KILLS=<n> npx jest tests/crash/kill.spec.ts',
  },
  'rebuild-kills': onePart({
    title: 'Rows built again, with SIGKILL in the middle and turns that are written meanwhile',
    variable: 'REBUILD_KILLS',
    amount: 100,
    unit: 'kills',
    args: ['tests/crash/rebuild.kill.spec.ts'],
    again: 'REBUILD_KILLS=<n> npx jest tests/crash/rebuild.kill.spec.ts',
  }),
  'tool-kills': onePart({
    title: 'Embedded service killed with SIGKILL between a tool call and its result',
    variable: 'TOOL_KILLS',
    amount: 100,
    unit: 'kills',
    args: ['tests/crash/tools.kill.spec.ts'],
    again: 'TOOL_KILLS=<n> npx jest tests/crash/tools.kill.spec.ts',
  }),
  log: {
    title: 'Embedded log killed in storms of appends, and cut off from power',
    amount: Number(process.env.LOG_KILLS ?? 1000),
    unit: `kills and ${powerLosses} losses of power`,
    atOnce: Number(process.env.WORKERS ?? Math.max(1, Math.min(2, cpus().length))),
    /** Each part is of three logs: format 1, format 2, and one of both, which is killed while it has format 1 too. */
    calls: (kills) => [
      {
        label: `${kills} kills`,
        args: ['libs/adapters/sqlite/src/crash'],
        env: { LOG_KILLS: String(Math.ceil(kills / 4)) },
      },
      {
        label: `${powerLosses} losses of power`,
        args: ['libs/adapters/sqlite/src/power-loss'],
        env: { IMAGES: String(Math.ceil(powerLosses / 3)) },
      },
    ],
    again:
      'LOG_KILLS=<n> npx jest libs/adapters/sqlite/src/crash; IMAGES=<n> npx jest libs/adapters/sqlite/src/power-loss',
  },
  relay: {
    title: 'Relay to Kafka: broker down under load, relay killed at each failpoint',
    amount: Number(process.env.KAFKA_DOWN_MS ?? 60_000) / 1000,
    unit: 'seconds without Kafka, and every failpoint of the relay',
    atOnce: 1,
    calls: (seconds) => [
      {
        label: 'a fleet with two copies',
        runner: 'tools/fleet-tests.mjs',
        args: ['fleet', 'relay'],
        env: { KAFKA_DOWN_MS: String(seconds * 1000), FAILPOINTS: 'all' },
      },
    ],
    again: 'KAFKA_DOWN_MS=60000 FAILPOINTS=all npm run test:fleet -- fleet relay',
  },
  chaos: onePart({
    title: 'Chaos: kills, pauses, cuts and delays of every part of a fleet under load',
    variable: 'CHAOS_SECONDS',
    amount: 600,
    unit: 'seconds of faults',
    label: () => 'a fleet with two copies of every service',
    runner: 'tools/fleet-tests.mjs',
    args: ['chaos'],
    again: 'CHAOS_SECONDS=600 CHAOS_SEED=<seed> npm run test:fleet -- chaos',
  }),
  clients: {
    title:
      'Streams of the clients cut at random bytes, and the packages of client and command line on each Node that they are for',
    amount: Number(process.env.CUTS ?? 1000),
    unit: 'cuts of each client, and the packages on Node 20 and this one',
    atOnce: 1,
    calls: (cuts) => [
      { label: `${cuts} cuts`, args: ['tests/clients/cuts.spec.ts'], env: { CUTS: String(cuts) } },
      pythonCuts(cuts),
      {
        label: 'the package',
        runner: 'tools/test.mjs',
        args: ['tests/clients/package.spec.ts', 'tests/cli/package'],
        env: { CLIENT_NODES: `${oldestNode()},${process.execPath}` },
      },
    ],
    again:
      'CUTS=<n> SEED=<seed> npm test -- tests/clients/cuts; CLIENT_CUTS=<n> CLIENT_SEED=<seed> npm run test:python -- cuts',
  },
  uploads: onePart({
    title: 'A file that is larger than the process it goes through',
    variable: 'UPLOAD_MIB',
    amount: 2048,
    unit: 'MiB in and out through a process of 256 MiB',
    label: (mebibytes) => `a file of ${mebibytes} MiB`,
    runner: 'tools/test.mjs',
    args: ['tests/crash/large-uploads'],
    again: 'UPLOAD_MIB=<n> npm test -- tests/crash/large-uploads',
  }),
  webhooks: {
    title: 'Web hooks: an endpoint that is away, slow and lying, and a service killed with SIGKILL while it delivers',
    amount: Number(process.env.WEBHOOK_EVENTS ?? 10_000),
    unit: 'events, and kills',
    atOnce: 1,
    calls: (events) => [
      {
        label: `${events} events`,
        args: ['libs/events/src/webhook-deliveries/hard-endpoint'],
        env: { WEBHOOK_EVENTS: String(events) },
      },
      {
        label: 'kills',
        args: ['tests/crash/webhooks.kill.spec.ts'],
        env: { WEBHOOK_KILLS: process.env.WEBHOOK_KILLS ?? '50' },
      },
    ],
    again:
      'WEBHOOK_EVENTS=<n> SEED=<seed> npm test -- libs/events/src/webhook-deliveries/hard-endpoint; WEBHOOK_KILLS=<n> npm test -- tests/crash/webhooks.kill',
  },
  upgrade: {
    title: 'A fleet of the release before that is upgraded copy by copy under load',
    amount: 1,
    unit: 'upgrade, with a step back on the way',
    atOnce: 1,
    calls: () => [
      { label: 'a fleet with two copies of every service', runner: 'tools/fleet-tests.mjs', args: ['upgrade'] },
    ],
    again: 'npm run test:fleet -- upgrade',
  },
  fuzz: onePart({
    title: 'Requests by chance from the contract, by two organizations',
    variable: 'FUZZ_REQUESTS',
    amount: 50_000,
    unit: 'requests',
    runner: 'tools/test.mjs',
    args: ['tests/api/fuzz'],
    again: 'FUZZ_REQUESTS=<n> FUZZ_SEED=<seed> npm test -- tests/api/fuzz',
  }),
  revocation: onePart({
    title: 'Revoked keys in the middle of everything else',
    variable: 'INTERLEAVINGS',
    amount: 10_000,
    unit: 'interleavings',
    args: ['libs/access/src/identity/revocation'],
    again: 'INTERLEAVINGS=1 FIRST_SEED=<seed> npx jest libs/access/src/identity/revocation',
  }),
};

/** The oldest Node that the client runs on, from the npm registry: fetched once, beside the one of tools/runtime. */
function oldestNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const folder = join(root, '.cache', 'node-20');
  const binary = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', `${name}@20.20.2`];
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Node 20 could not be fetched: ${stderr}`);
  return binary;
}

function jest(call) {
  return new Promise((resolve) => {
    const program = call.runner
      ? [join(root, call.runner)]
      : [
          '--experimental-vm-modules',
          '--disable-warning=ExperimentalWarning',
          join(root, 'node_modules/jest/bin/jest.js'),
        ];
    const child = spawn(process.execPath, [...program, '--runInBand', ...call.args], {
      cwd: root,
      env: { ...process.env, ...call.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        output = (output + bytes).slice(-outputKept);
      });
    child.on('exit', (code) => resolve({ ...call, code: code ?? 1, output }));
  });
}

async function carryOut(run) {
  const waiting = run.calls(run.amount);
  const ended = [];
  const worker = async () => {
    for (let call = waiting.shift(); call; call = waiting.shift()) {
      const result = await jest(call);
      ended.push(result);
      console.log(`${result.code === 0 ? 'ok  ' : 'FAIL'} ${result.label}`);
      if (result.code !== 0) console.log(result.output);
      result.said = result.output
        .split('\n')
        .filter((line) => line.startsWith('said: '))
        .map((line) => line.slice('said: '.length));
    }
  };
  await Promise.all(Array.from({ length: run.atOnce }, worker));
  return ended;
}

function report(name, run, ended, startedAt) {
  const failed = ended.filter(({ code }) => code !== 0);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const lines = [
    `# ${run.title}`,
    '',
    `\`npm run soak -- ${name}\`, ${new Date(startedAt).toISOString()}: ${run.amount} ${run.unit} in ${seconds} s on ${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}.`,
    '',
    failed.length === 0 ? 'Nothing was found: every check held.' : `${failed.length} of ${ended.length} parts failed.`,
    '',
    ...ended.flatMap(({ said }) => said.flatMap((line) => [line, ''])),
    `One part again: \`${run.again}\`.`,
    '',
    ...failed.flatMap(({ label, output }) => [`## ${label}`, '', '```', output.slice(-6000), '```', '']),
  ];
  mkdirSync(join(root, 'docs', 'reports'), { recursive: true });
  writeFileSync(join(root, 'docs', 'reports', `${name}.md`), lines.join('\n'));
  return failed.length;
}

const name = process.argv[2] ?? '';
const run = runs[name];
if (!run) {
  console.error(`npm run soak -- <name>, with a name of: ${Object.keys(runs).join(', ')}`);
  process.exit(2);
}
const startedAt = Date.now();
const ended = await carryOut(run);
process.exit(report(name, run, ended, startedAt) === 0 ? 0 : 1);
