// A streamed turn beside a bare server's, and beside another build of ours where BENCH_BEFORE names its folder: rounds
// of all in turn, medians of the rounds. Counts (write calls, KiB to disk) hardly move, times do: look at the ratios.
import { caller, percentiles, repeat } from './client.mjs';
import { pause, perTurn, startBare, startService } from './processes.mjs';
import { invocation, makeAgent, tokens } from './requests.mjs';

const rounds = 5;
const coldTurns = 300;
const warmTurns = 1_500;
const roundTurns = 800; // of each target: a compiler sees as many turns of all of them
const settledMs = 700; // until rows that are gathered behind the answers are written
const tokenCount = 50;
const pacedMs = 20;
const pacedTurns = 32;
const manyConnections = 16;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Milliseconds that a fixed sum takes: how fast the machine was just then. */
function arithmetic() {
  const began = performance.now();
  let sum = 0;
  for (let index = 0; index < 30_000_000; index += 1) sum = (sum + index * 7) % 1_000_003;
  return performance.now() - began + (sum < 0 ? 1 : 0);
}

/** A server and how a turn of it is asked for. */
async function service(build) {
  const server = await startService({}, null, build);
  const setUp = caller(server, 1);
  const agent = await makeAgent(setUp);
  await setUp.close();
  return {
    server,
    turn: (client, everyMs) =>
      client.timed('/v1/agents/invoke', invocation(agent, tokens(tokenCount, everyMs)), 'generation.delta'),
  };
}

async function bareServer() {
  return {
    server: await startBare(),
    turn: (client, every) => client.timed('/turn', { tokens: tokenCount, every }, 'event: delta'),
  };
}

async function round({ server, turn }, connections, count, everyMs = 0) {
  const client = caller(server, connections);
  const [firsts, lasts] = [[], []];
  const [before, threads] = [server.written(), server.threads()];
  const { perSecond } = await repeat(connections, count, async () => {
    const { first, last } = await turn(client, everyMs);
    firsts.push(first);
    lasts.push(last);
  });
  await pause(settledMs);
  const after = server.written();
  const ofThreads = perTurn(threads, server.threads(), count);
  await client.close();
  return {
    us: Object.values(ofThreads).reduce((sum, { us }) => sum + us, 0),
    perSecond,
    calls: (after.calls - before.calls) / count,
    kib: (after.kib - before.kib) / count,
    ofThreads,
    first: percentiles(firsts).p50,
    last: percentiles(lasts).p50,
  };
}

/** One line: medians of ours, of the build before and of the bare server, and the median of the rounds' ratios. */
function told(report, what, { ours, before, bare }, of, { ratio = (a, b) => a / b, ...rest } = {}) {
  report('speed', what, {
    ours: median(ours.map(of)),
    ...(before && { other: median(before.map(of)) }),
    bare: median(bare.map(of)),
    ratio: median(ours.map((each, index) => ratio(of(each), of(bare[index])))),
    ...rest,
  });
}

/** What each thread took, in one cell: the main thread, the log's writer, the views' writer, all others. */
function toldByThread(report, what, { ours, before, bare }, of) {
  const cell = (rounds) =>
    ['main', 'log', 'views', 'rest']
      .map((group) => median(rounds.map(({ ofThreads }) => of(ofThreads[group]))))
      .map((value) => value.toFixed(value >= 100 ? 0 : 1))
      .join(' ');
  report('speed', what, { ours: cell(ours), ...(before && { other: `| ${cell(before)}` }), bare: `| ${cell(bare)}` });
}

async function interleaved(targets, times, measure) {
  const results = Object.fromEntries(Object.keys(targets).map((name) => [name, []]));
  const speeds = [];
  for (let index = 0; index < times; index += 1) {
    speeds.push(arithmetic());
    const order = Object.entries(targets);
    if (index % 2 === 1) order.reverse(); // of two equal builds the one behind the bare server took a tenth more
    for (const [name, target] of order) results[name].push(await measure(target));
  }
  return { results, spread: Math.max(...speeds) / Math.min(...speeds) };
}

const inverse = (a, b) => b / a;

function turnLines(report, connections, results, aims) {
  const label = `c${connections}`;
  told(report, `${label}: processor time of a streamed turn, us`, results, ({ us }) => us, { aim: aims.us });
  told(report, `${label}: turns/s (ratio: bare to ours)`, results, ({ perSecond }) => perSecond, { ratio: inverse });
  told(report, `${label}: first token p50, ms`, results, ({ first }) => first, { aim: aims.first });
  told(report, `${label}: whole turn p50, ms`, results, ({ last }) => last);
  told(report, `${label}: write calls a turn`, results, ({ calls }) => calls, { aim: aims.calls });
  told(report, `${label}: KiB to disk a turn`, results, ({ kib }) => kib, { aim: aims.kib });
  const threads = 'of main thread, log, views, others';
  toldByThread(report, `${label}: processor time ${threads}, us`, results, ({ us }) => us);
  toldByThread(report, `${label}: write calls ${threads}`, results, ({ calls }) => calls);
  toldByThread(report, `${label}: KiB ${threads}`, results, ({ kib }) => kib);
}

/** Turns of 50 tokens that are streamed to their callers, each in a new session: cold, warm, alone, and paced. */
export async function speed(report) {
  const build = process.env.BENCH_BEFORE;
  const targets = { ours: await service(), ...(build && { before: await service(build) }), bare: await bareServer() };
  const cold = await interleaved(targets, 1, (target) => round(target, manyConnections, coldTurns));
  told(report, `c${manyConnections}, first ${coldTurns} turns: processor time, us`, cold.results, ({ us }) => us);
  for (const target of Object.values(targets)) await round(target, manyConnections, warmTurns - coldTurns);
  const many = await interleaved(targets, rounds, (target) => round(target, manyConnections, roundTurns));
  turnLines(report, manyConnections, many.results, { us: 'x3.6', calls: '15', kib: '24' });
  const one = await interleaved(targets, rounds, (target) => round(target, 1, roundTurns / 4));
  turnLines(report, 1, one.results, { first: 'x2.5', calls: '24', kib: '40' });
  const paced = await interleaved(targets, rounds, (target) => round(target, manyConnections, pacedTurns, pacedMs));
  told(report, `a token each ${pacedMs} ms: processor time of one, us`, paced.results, ({ us }) => us / tokenCount, {
    aim: 'x2.2',
  });
  told(report, `a token each ${pacedMs} ms: write calls of one`, paced.results, ({ calls }) => calls / tokenCount, {
    aim: '1.9',
  });
  report('speed', 'fixed arithmetic, slowest to fastest round (repeat the run above 1.5)', {
    ratio: Math.max(many.spread, one.spread, paced.spread),
  });
  for (const { server } of Object.values(targets)) await server.stop();
}
