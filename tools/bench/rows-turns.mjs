// Acknowledgements, turns, and what a turn costs in a long session.
import { caller, percentiles, repeat } from './client.mjs';
import { pause, startBare, startService } from './processes.mjs';
import { allCompleted, invocation, makeAgent, tokens, waiting } from './requests.mjs';

const connections = 16;
const ackWarmUp = 15_000;
const ackRounds = 5;
const warmTurns = 1_500;
const settledMs = 100; // until what follows the last answers is done
const longSizes = [10, 1_000, 10_000];

/** Measures `work` and what it costs the server. */
async function measured(server, count, work) {
  const before = await server.cpuMs();
  const result = await work();
  return { ...result, cpuMs: ((await server.cpuMs()) - before) / count };
}

/**
 * What acknowledges over so many connections: its calls warm it up, then are measured in bursts of `burst`, each until
 * what followed is done.
 */
async function acknowledging(server, { over, warmUp, burst }, begin) {
  const client = caller(server, over);
  const { ack, settled } = await begin(client);
  await repeat(over, warmUp, ack);
  await settled();
  const sum = { ms: 0, cpuMs: 0, times: [] };
  return {
    async burst() {
      const { ms, times, cpuMs } = await measured(server, 1, async () => {
        const result = await repeat(over, burst, ack);
        await settled();
        return result;
      });
      sum.ms += ms;
      sum.cpuMs += cpuMs;
      sum.times.push(...times);
    },
    async end() {
      await client.close();
      await server.stop();
      const calls = sum.times.length;
      return { perSecond: calls / (sum.ms / 1000), cpuMs: sum.cpuMs / calls, ...percentiles(sum.times) };
    },
  };
}

const afterAPause = () => pause(settledMs);

async function bareAcks(load) {
  return acknowledging(await startBare(), load, (client) => ({
    ack: () => client.send('POST', '/', invocation('agent', tokens(50))),
    settled: afterAPause,
  }));
}

/** Bursts of both in turn, because the machine is not the same from second to second; gives what to report of each. */
async function inTurn(ours, bare) {
  for (let round = 0; round < ackRounds; round += 1) {
    await ours.burst();
    await bare.burst();
  }
  const [service, best] = [await ours.end(), await bare.end()];
  return {
    rate: { ours: service.perSecond, bare: best.perSecond, ratio: best.perSecond / service.perSecond },
    both: (what) => ({ ours: service[what], bare: best[what] }),
  };
}

/** How fast turns are admitted, and a bare server's answers; then with the turns that they set off. */
export async function acks(report) {
  const load = { over: connections, warmUp: ackWarmUp, burst: 3_000 };
  const ours = await acknowledging(await startService({ SVC_TURN_CONCURRENCY: '1' }), load, async (client) => {
    const agent = await makeAgent(client);
    // the one runner is busy with it, so that nothing else runs
    await client.post('/v1/agents/invoke', invocation(agent, waiting(500_000)));
    const ack = () => client.send('POST', '/v1/agents/invoke', invocation(agent, tokens(50)));
    return { ack, settled: afterAPause };
  });
  const { rate, both } = await inTurn(ours, await bareAcks({ ...load, burst: 9_000 }));
  report('acks', 'acknowledged invocations/s, new session each', { ...rate, aim: '<= 3' });
  report('acks', 'processor time of one, ms', both('cpuMs'));
  report('acks', 'p50, ms', both('p50'));
  report('acks', 'p99, ms', both('p99'));
  for (const over of [16, 64]) await acksWithTurns(report, over);
}

/** An acknowledgement is answered while turns of others run, which no one watches. */
async function acksWithTurns(report, over) {
  const load = { over, warmUp: warmTurns, burst: 1_000 };
  const ours = await acknowledging(await startService(), load, async (client) => {
    const agent = await makeAgent(client);
    let last = null;
    const ack = async () => {
      last = await client.post('/v1/agents/invoke', invocation(agent, tokens(50)));
    };
    return { ack, settled: () => allCompleted(client, [last]) };
  });
  const { rate, both } = await inTurn(ours, await bareAcks({ ...load, burst: 9_000 }));
  report('acks', `over ${over} connections, with the turns they set off: acknowledgements/s`, { ...rate, aim: 'x4.0' });
  report('acks', `over ${over} connections: processor time of one with its turn, ms`, both('cpuMs'));
}

/** Turns of 50 tokens to their end: nobody watching, and each read as the stream of its own request. */
export async function turns(report) {
  const count = 1_500;
  const server = await startService();
  const client = caller(server, connections);
  const agent = await makeAgent(client);
  const turn = (index) =>
    client.streamed('/v1/agents/invoke', invocation(agent, tokens(50), `viewer-${index % connections}`));
  await repeat(1, 100, turn);
  const own = Array.from({ length: connections }, (_, index) => index);
  const watched = await measured(server, count, () =>
    repeat(connections, count, async () => {
      const place = own.shift();
      await turn(place);
      own.push(place);
    }),
  );
  const acknowledged = [];
  const quiet = await measured(server, count, async () => {
    const startedAt = performance.now();
    const result = await repeat(connections, count, async () => {
      acknowledged.push(await client.post('/v1/agents/invoke', invocation(agent, tokens(50))));
    });
    await allCompleted(client, acknowledged.slice(-64));
    return { ...result, perSecond: count / ((performance.now() - startedAt) / 1000) };
  });
  await allCompleted(client, acknowledged);
  await client.close();
  await server.stop();
  report('turns', '50-token turns/s, nobody watching', { ours: quiet.perSecond });
  report('turns', 'processor time of one, ms', { ours: quiet.cpuMs });
  report('turns', 'acknowledged after p50 / p99, ms', { ours: quiet.p50, other: quiet.p99 });
  report('turns', '50-token turns/s, each streamed to its caller', { ours: watched.perSecond });
  report('turns', 'processor time of one, ms', { ours: watched.cpuMs });
  report('turns', 'first byte to last p50 / p99, ms', { ours: watched.p50, other: watched.p99 });
}

/** The cost of a turn after 10, 1,000 and 10,000 messages in one session whose context is never compacted. */
export async function long(report) {
  const server = await startService();
  const client = caller(server, 1);
  const agent = await makeAgent(client);
  const turn = () => client.streamed('/v1/agents/invoke', invocation(agent, tokens(50), 'long'));
  const fill = () =>
    client.streamed('/v1/agents/invoke', invocation(agent, 'What is next on the list for today?', 'long'));
  let messages = 0;
  const warm = (index) => client.streamed('/v1/agents/invoke', invocation(agent, tokens(50), `warm-${index % 20}`));
  await repeat(1, 300, warm);
  let first = null;
  for (const size of longSizes) {
    for (; messages < size; messages += 2) await fill();
    await pause(300);
    const times = [];
    const { cpuMs } = await measured(server, 200, async () => {
      for (let index = 0; index < 200; index += 1) {
        const began = performance.now();
        await turn();
        times.push(performance.now() - began);
      }
      return {};
    });
    messages += 400;
    first ??= cpuMs;
    report('long', `turn after ${size} messages: processor time, ms`, {
      ours: cpuMs,
      ratio: cpuMs / first,
      ...(size === 10_000 ? { aim: '<= 1.5' } : {}),
    });
    const { p50, p99 } = percentiles(times);
    report('long', `turn after ${size} messages: p50 / p99, ms`, { ours: p50, other: p99 });
  }
  await client.close();
  await server.stop();
}
