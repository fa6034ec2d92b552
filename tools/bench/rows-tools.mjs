// Turns that call tools: what a call costs as a session grows, what it stores, and how the next turn starts after ten
// thousand calls.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { caller } from './client.mjs';
import { pause, startService } from './processes.mjs';
import { disabledCompaction, invocation, tokens } from './requests.mjs';

const turnsInAll = 1_000;
const callsOfTurn = 10;
const parts = 5;
const probes = 20;

const callingTurn = JSON.stringify({
  script: [
    { calls: Array.from({ length: callsOfTurn }, () => ({ name: 'svc_table_list', input: {} })) },
    { say: 'done' },
  ],
});

function bytesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).reduce(
    (sum, entry) =>
      sum + (entry.isFile() ? (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0) : 0),
    0,
  );
}

const middle = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

/** Milliseconds until the answer to a plain turn begins, the middle of some; and the processor time of one. */
async function nextTurn(server, client, agent, count = probes) {
  const before = await server.cpuMs();
  const times = [];
  for (let probe = 0; probe < count; probe += 1) {
    const began = performance.now();
    await client.streamed('/v1/agents/invoke', invocation(agent, tokens(1), 'tools'));
    times.push(performance.now() - began);
  }
  return { ms: middle(times), cpuMs: ((await server.cpuMs()) - before) / count };
}

/** One session, its context never compacted: 1,000 turns of 10 calls each, in parts of 200 turns. */
export async function tools(report) {
  let server = await startService({ SVC_TURN_MAX_TOOL_CALLS: '20' });
  let client = caller(server, 1);
  const { id: agent } = await client.post('/v1/agents', {
    name: 'bench',
    model: 'svc-scripted-1',
    compaction_policy: disabledCompaction,
    visibility: 'organization',
    action_selectors: [{ selector_type: 'exact', selector: 'svc.table.list' }],
  });
  const turn = () => client.streamed('/v1/agents/invoke', invocation(agent, callingTurn, 'tools'));
  for (let warm = 0; warm < 60; warm += 1)
    await client.streamed('/v1/agents/invoke', invocation(agent, callingTurn, `warm-${warm % 6}`));
  await nextTurn(server, client, agent);
  const fresh = await nextTurn(server, client, agent);
  const calls = (turnsInAll / parts) * callsOfTurn;
  let first = null;
  for (let part = 1; part <= parts; part += 1) {
    const [cpuBefore, bytesBefore, began] = [await server.cpuMs(), bytesIn(server.folder), performance.now()];
    for (let index = 0; index < turnsInAll / parts; index += 1) await turn();
    const seconds = (performance.now() - began) / 1000;
    await pause(300);
    const cpuMs = ((await server.cpuMs()) - cpuBefore) / calls;
    const stored = (bytesIn(server.folder) - bytesBefore) / calls;
    first ??= { cpuMs, stored };
    report('tools', `calls ${(part - 1) * calls + 1} to ${part * calls}: processor time of one, ms`, {
      ours: cpuMs,
      ratio: cpuMs / first.cpuMs,
      aim: '<= 1.5',
    });
    report('tools', `calls ${(part - 1) * calls + 1} to ${part * calls}: bytes stored by one / calls a second`, {
      ours: stored,
      other: calls / seconds,
      ratio: stored / first.stored,
    });
  }
  const grown = await nextTurn(server, client, agent);
  report('tools', `the next turn, after ${probes * 2} turns and after 10,000 calls: ms`, {
    ours: fresh.ms,
    other: grown.ms,
    ratio: grown.ms / fresh.ms,
    aim: '<= 1.5',
  });
  report('tools', 'its processor time, ms', {
    ours: fresh.cpuMs,
    other: grown.cpuMs,
    ratio: grown.cpuMs / fresh.cpuMs,
    aim: '<= 1.5',
  });
  await client.close();
  await server.stop({ keep: true });
  server = await startService({}, server);
  client = caller(server, 1);
  await client.streamed('/v1/agents/invoke', invocation(agent, tokens(1), 'warm-0'));
  const cold = await nextTurn(server, client, agent, 1);
  report('tools', 'the first turn after a restart, 10,000 calls behind it: ms', { ours: cold.ms });
  await client.close();
  await server.stop();
}
