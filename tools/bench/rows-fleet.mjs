// The fleet on this machine with its engines: what it takes at rest, and what a turn takes beyond that, by process and
// by Redis command. BENCH_COPIES=1,2,4 measures it with as many copies of session- and stream-service in turn;
// BENCH_PARTS=turns or transcript measures only these; for a profile BENCH_READS says how often the transcript is read,
// BENCH_STARTED after how many milliseconds from its start the fleet is at rest.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startFleet, stopFleet } from '../fleet/start-fleet.mjs';
import { freePort } from '../ports.mjs';
import { caller, percentiles, repeat } from './client.mjs';
import { built, cpuMs, pause, profiling } from './processes.mjs';
import { allCompleted, invocation, makeAgent, readAll, tokens } from './requests.mjs';

const connections = 16;
const restMs = 20_000;
const startedMs = 25_000; // after the start, until its work is done: connections, compiled code
// until each process collected once what its start left: half a second of processor for each, at 30 to 110 s
const settledMs = Number(process.env.BENCH_STARTED ?? 120_000);
const settleMs = 5_000; // after a load, until what follows it is done
const warmTurns = 600; // for each copy
const measuredTurns = 600;
const commandTurns = 200;
const messages = 1_000;
const warmReads = 150; // as many requests as other rows have turns
const reads = Number(process.env.BENCH_READS ?? 100); // few of them, and what the fleet at rest takes meanwhile outweighs them
const commandsShown = 8;

/** Parts of the row that are measured. */
const parts = (process.env.BENCH_PARTS ?? 'turns,transcript').split(',');

/** A running fleet; `look` gives what its parts have spent until now. */
async function runningFleet(copies) {
  const folder = mkdtempSync(join(tmpdir(), 'aos-bench-'));
  const key = `bench_owner_${randomBytes(24).toString('hex')}`;
  const { child, url } = await startFleet(built, folder, {
    SVC_PORT: String(await freePort()),
    SVC_BOOTSTRAP_ORG: 'Bench',
    SVC_BOOTSTRAP_OWNER_KEY: key,
    SVC_SCRIPTED_MODEL: 'on',
    SVC_LOG_LEVEL: 'warn',
    SVC_RATE_LIMIT_KEY_RPM: '0',
    SVC_RATE_LIMIT_ORG_RPM: '0',
    SVC_FLEET_REPLICAS: String(copies),
    ...profiling(),
  });
  const { services, engines } = JSON.parse(readFileSync(join(folder, 'fleet.json'), 'utf8'));
  const redis = new Redis(engines.find(({ name }) => name === 'redis').url);
  return {
    url,
    key,
    redis,
    look: async () => ({
      at: performance.now(),
      cpu: sums([...services, ...engines].map(({ name, pid }) => [name, cpuMs(pid)])),
      commands: commandCounts(await redis.info('commandstats')),
    }),
    async stop() {
      redis.disconnect();
      await stopFleet(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function sums(entries) {
  const sum = new Map();
  for (const [name, value] of entries) sum.set(name, (sum.get(name) ?? 0) + value);
  return sum;
}

/** How often each command was carried out, those inside scripts too. */
function commandCounts(info) {
  return new Map([...info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, calls]) => [name, Number(calls)]));
}

const minus = (after, before) => new Map([...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)]));
const total = (counts) => [...counts.values()].reduce((sum, value) => sum + value, 0);
const withoutKafka = (cpu) => total(cpu) - (cpu.get('kafka') ?? 0);

/** What was spent between two looks. */
function spent(before, after) {
  return {
    ms: after.at - before.at,
    cpu: minus(after.cpu, before.cpu),
    commands: minus(after.commands, before.commands),
  };
}

/** What `count` turns cost, each, beyond what the fleet at rest spends in the same time. */
function net(load, rest, count) {
  const share = (kind) =>
    new Map(
      [...load[kind]].map(([name, value]) => [
        name,
        (value - ((rest[kind].get(name) ?? 0) * load.ms) / rest.ms) / count,
      ]),
    );
  return { cpu: share('cpu'), commands: share('commands') };
}

/** Runs `work`, waits until what follows it is done; gives its answer and what was spent. */
async function loaded(fleet, work) {
  const before = await fleet.look();
  const result = await work();
  await pause(settleMs);
  return { result, load: spent(before, await fleet.look()) };
}

async function spentAtRest(fleet) {
  const before = await fleet.look();
  await pause(restMs);
  return spent(before, await fleet.look());
}

async function atRest(fleet, line) {
  const early = Math.min(startedMs, settledMs);
  await pause(early);
  const first = await spentAtRest(fleet);
  line('25 s after the start: processor time a second, all but Kafka, ms', {
    ours: (withoutKafka(first.cpu) * 1000) / first.ms,
  });
  await pause(Math.max(0, settledMs - early - restMs));
  const rest = await spentAtRest(fleet);
  const perSecond = (value) => (value * 1000) / rest.ms;
  line('at rest: processor time a second, all but Kafka, ms', {
    ours: perSecond(withoutKafka(rest.cpu)),
    aim: '<= 60',
  });
  line('at rest: processor time a second, Kafka, ms', { ours: perSecond(rest.cpu.get('kafka') ?? 0) });
  line('at rest: Redis commands a second', { ours: perSecond(total(rest.commands)), aim: '<= 60' });
  return rest;
}

/**
 * Redis commands of `work` as Redis sees them come in: `sent` by clients, by name, and `inside` of their scripts. To
 * watch them costs Redis more than to carry them out, so nothing else is measured meanwhile.
 */
async function watchedCommands(redis, work) {
  const monitor = await redis.monitor();
  const counted = { sent: new Map(), inside: 0 };
  monitor.on('monitor', (_time, [name], source) => {
    if (source === 'lua') counted.inside += 1;
    else counted.sent.set(name.toLowerCase(), (counted.sent.get(name.toLowerCase()) ?? 0) + 1);
  });
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  monitor.disconnect();
  return { ...counted, ms };
}

/** Those of `count` calls of `work`, each, beyond what the fleet at rest sends. */
async function commandsOf({ redis }, count, work) {
  const rest = await watchedCommands(redis, () => pause(settleMs));
  const load = await watchedCommands(redis, async () => {
    await work();
    await pause(settleMs);
  });
  const share = (ofLoad, ofRest = 0) => (ofLoad - (ofRest * load.ms) / rest.ms) / count;
  return {
    sent: new Map([...load.sent].map(([name, calls]) => [name, share(calls, rest.sent.get(name))])),
    inside: share(load.inside, rest.inside),
  };
}

function costs(line, what, { cpu, commands }, aim) {
  line(`${what}: processor time, all processes, ms`, { ours: total(cpu), aim });
  for (const [name, ms] of [...cpu].sort(([, a], [, b]) => b - a)) line(`  ${name}, ms`, { ours: ms });
  line(`${what}: Redis commands`, { ours: total(commands) });
  most(line, commands);
}

function most(line, commands) {
  const shown = [...commands].sort(([, a], [, b]) => b - a).slice(0, commandsShown);
  for (const [name, calls] of shown) line(`  ${name}`, { ours: calls });
}

/** Turns of 50 tokens, each in a new session: acknowledged and watched by none, then streamed to their callers. */
async function turnsOf(fleet, client, agent, { rest, line, copies }) {
  const streamed = () => client.streamed('/v1/agents/invoke', invocation(agent, tokens(50)));
  await repeat(connections, warmTurns * copies, streamed);
  const { result: acks, load: unwatched } = await loaded(fleet, async () => {
    const acknowledged = [];
    const times = await repeat(connections, measuredTurns, async () => {
      acknowledged.push(await client.post('/v1/agents/invoke', invocation(agent, tokens(50))));
    });
    await allCompleted(client, acknowledged.slice(-connections), { every: 100 });
    return times;
  });
  line('acknowledgements/s', { ours: acks.perSecond, aim: '180' });
  line('acknowledged after p50 / p99, ms', { ours: acks.p50, other: acks.p99 });
  costs(line, 'turn that none watches', net(unwatched, rest, measuredTurns), '10');
  const { sent, inside } = await commandsOf(fleet, commandTurns, async () => {
    let last = null;
    const acknowledge = async () => {
      last = await client.post('/v1/agents/invoke', invocation(agent, tokens(50)));
    };
    await repeat(connections, commandTurns, acknowledge);
    await allCompleted(client, [last], { every: 100 });
  });
  line('turn that none watches: Redis commands that clients send', { ours: total(sent), aim: '<= 12' });
  most(line, sent);
  line('turn that none watches: Redis commands inside of scripts', { ours: inside });
  const { result: turns, load: watched } = await loaded(fleet, () => repeat(connections, measuredTurns, streamed));
  line('streamed turns/s', { ours: turns.perSecond });
  costs(line, 'streamed turn', net(watched, rest, measuredTurns));
}

async function transcriptOf(fleet, client, agent, rest, line) {
  const turn = () => client.streamed('/v1/agents/invoke', invocation(agent, 'What is next?', 'long'));
  await repeat(1, messages / 2, turn);
  const { items } = await client.get('/v1/sessions?limit=1');
  const read = () => readAll(client, items[0].id);
  await repeat(1, warmReads, read);
  await pause(settleMs);
  const { result, load } = await loaded(fleet, () => repeat(1, reads, read));
  line(`transcript of ${messages} messages in pages of 100: p50, ms`, {
    ours: percentiles(result.times).p50,
    aim: '40',
  });
  costs(line, `transcript of ${messages} messages`, net(load, rest, reads), '25');
}

export async function fleet(report) {
  for (const copies of (process.env.BENCH_COPIES ?? '1').split(',').map(Number)) {
    const line = (what, cells) => report(copies === 1 ? 'fleet' : `fleet x${copies}`, what, cells);
    const running = await runningFleet(copies);
    const client = caller(running, connections);
    try {
      const rest = await atRest(running, line);
      const agent = await makeAgent(client);
      if (parts.includes('turns')) await turnsOf(running, client, agent, { rest, line, copies });
      if (parts.includes('transcript')) await transcriptOf(running, client, agent, rest, line);
    } finally {
      await client.close();
      await running.stop();
    }
  }
}
