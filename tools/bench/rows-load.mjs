// What sessions and followed streams keep in memory, and what a greedy organization costs the others.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { caller, openStreams, percentiles, repeat } from './client.mjs';
import { built, pause, startService } from './processes.mjs';
import { invocation, makeAgent, tokens } from './requests.mjs';

const connections = 16;
const warmUp = 1_500;
const sessions = 5_000;
const streams = 5_000;
const settledMs = 3_000;

const calmOrganizations = 20;
const calmEveryMs = 500;
const calmMs = 20_000;
const greedyConnections = 64;

/** What a session that had a turn keeps, and what a stream that is followed through a turn keeps. */
export async function memory(report) {
  const server = await startService();
  const client = caller(server, connections);
  const agent = await makeAgent(client);
  const turn = (key) => client.streamed('/v1/agents/invoke', invocation(agent, tokens(50), key));
  await repeat(connections, warmUp, (index) => turn(`warm-${index % connections}-${Math.floor(index / connections)}`));
  await pause(settledMs);
  const rest = await server.rssKib();
  await repeat(connections, sessions, (index) => turn(`session-${index}`));
  await pause(settledMs);
  const held = await server.rssKib();
  report('memory', `${sessions} sessions that had a turn: KiB each`, { ours: (held - rest) / sessions });

  const { session_id: session } = await client.post(
    '/v1/agents/invoke',
    invocation(agent, tokens(120, 500), 'followed'),
  );
  const before = await server.rssKib();
  const opened = await openStreams(
    server,
    Array.from({ length: streams }, () => `/v1/sessions/${session}/transcript/stream`),
  );
  await pause(settledMs);
  const followed = await server.rssKib();
  opened.close();
  await client.close();
  await server.stop();
  report('memory', `${streams} streams that follow a turn: KiB each`, { ours: (followed - before) / streams });
}

/** An organization of its own on the running service. */
export async function organization(server, name) {
  const operator = join(built, 'apps', 'svc', 'src', 'main.js');
  const env = { ...process.env, SVC_DATA_DIR: server.folder };
  const { stdout } = await promisify(execFile)(process.execPath, [operator, 'org', 'create', name], { env });
  return { url: server.url, key: JSON.parse(stdout).owner_key };
}

/** Turns of each calm organization at fixed times, whatever the earlier ones do. Gives the percentiles of their times. */
async function calmTurns(organizations) {
  const times = [];
  const until = performance.now() + calmMs;
  const one = async ({ client, agent }) => {
    const began = performance.now();
    await client.streamed('/v1/agents/invoke', invocation(agent, tokens(50)));
    times.push(performance.now() - began);
  };
  await Promise.all(
    organizations.map(async (each, place) => {
      await pause((place * calmEveryMs) / organizations.length);
      const under = [];
      for (let at = performance.now(); at < until; at += calmEveryMs) {
        await pause(Math.max(0, at - performance.now()));
        under.push(one(each));
      }
      await Promise.all(under);
    }),
  );
  return percentiles(times);
}

/** Twenty organizations with two turns a second each: alone, and beside one that starts as many turns as it can. */
async function neighbours(build) {
  const server = await startService({}, null, build);
  const members = [];
  for (let index = 0; index < calmOrganizations; index += 1) {
    const client = caller(await organization(server, `calm-${index}`), 4);
    members.push({ client, agent: await makeAgent(client) });
  }
  const greedy = caller(await organization(server, 'greedy'), greedyConnections);
  const agent = await makeAgent(greedy);
  await repeat(connections, warmUp, () => greedy.streamed('/v1/agents/invoke', invocation(agent, tokens(50))));
  const alone = await calmTurns(members);
  let isOver = false;
  let count = 0;
  const noise = Promise.all(
    Array.from({ length: greedyConnections }, async () => {
      while (!isOver) {
        await greedy.streamed('/v1/agents/invoke', invocation(agent, tokens(50)));
        count += 1;
      }
    }),
  );
  const beside = await calmTurns(members);
  isOver = true;
  await noise;
  await Promise.all([...members.map(({ client }) => client.close()), greedy.close()]);
  await server.stop();
  return { alone, beside, greedyPerSecond: count / (calmMs / 1000) };
}

/** The same by the build of BENCH_BEFORE too, where it names one. */
export async function neighbour(report) {
  const builds = { '': built, ...(process.env.BENCH_BEFORE && { ', before': process.env.BENCH_BEFORE }) };
  for (const [label, build] of Object.entries(builds)) {
    const { alone, beside, greedyPerSecond } = await neighbours(build);
    const row = (what, { p50, p99 }) => {
      report('neighbour', `${what}: p50 / p99, ms${label}`, { ours: p50, other: p99 });
    };
    row(`${calmOrganizations} calm organizations: a turn alone`, alone);
    row(`beside a greedy one of ${greedyConnections} connections`, beside);
    report('neighbour', `turns a second of the greedy one, and of the calm ones together${label}`, {
      ours: greedyPerSecond,
      other: (calmOrganizations * 1000) / calmEveryMs,
    });
  }
}
