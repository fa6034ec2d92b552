// What a turn writes as a process has more and more sessions, beside another build of ours where BENCH_BEFORE names its
// folder: keyed sessions, whose ids are hashes, so that new ones lie anywhere in an index, and among them sessions
// without a key, whose ids are in the order of time. Counts, which hardly move.
import { caller, repeat } from './client.mjs';
import { pause, perTurn, startService } from './processes.mjs';
import { invocation, makeAgent, tokens } from './requests.mjs';

const connections = 16;
const step = 7_919; // from one session that is there to the next: a prime, so that none is asked twice at once
const stages = (process.env.BENCH_SESSIONS ?? '1500,5000,10000,25000').split(',').map(Number);
const measured = 3_000; // a journal is folded into its file once in about a thousand
const settledMs = 1_500; // until rows that are gathered behind the answers are written

/** A service of a build, and how it goes on: turns of 50 tokens, each in a new session, or in ones that are there. */
async function target(build) {
  const server = await startService({}, null, build);
  const setUp = caller(server, 1);
  const agent = await makeAgent(setUp);
  await setUp.close();
  let sessions = 0;
  let old = 0;
  const turns = async (count, keyOf) => {
    const client = caller(server, connections);
    await repeat(connections, count, () =>
      client.timed('/v1/agents/invoke', invocation(agent, tokens(50), keyOf()), 'generation.delta'),
    );
    await client.close();
    await pause(settledMs);
  };
  return {
    server,
    count: () => sessions,
    inNew: (count) => turns(count, () => `disk-${sessions++}`),
    inNewWithoutKeys: (count) => turns(count, () => null),
    inOld: (count) => turns(count, () => `disk-${(old += step) % sessions}`),
  };
}

async function written(server, work) {
  const before = server.threads();
  await work(measured);
  const { main, log, views, rest } = perTurn(before, server.threads(), measured);
  const sum = (what) => main[what] + log[what] + views[what] + rest[what];
  return { kib: sum('kib'), calls: sum('calls'), log: log.kib, views: views.kib };
}

/** KiB to the disk and write calls of a turn, after so many sessions. */
export async function disk(report) {
  const build = process.env.BENCH_BEFORE;
  const targets = { ours: await target(), ...(build && { before: await target(build) }) };
  const line = (what, results) => {
    const cells = (of) => ({ ours: of(results.ours), ...(build && { other: of(results.before) }) });
    report(
      'disk',
      `${what}: KiB to disk a turn`,
      cells(({ kib }) => kib),
    );
    report(
      'disk',
      `${what}: of them the log's, the views'`,
      cells(({ log, views }) => `${log.toFixed(1)} ${views.toFixed(1)}`),
    );
    report(
      'disk',
      `${what}: write calls a turn`,
      cells(({ calls }) => calls),
    );
  };
  const each = async (measure) =>
    Object.fromEntries(await Array.fromAsync(Object.entries(targets), async ([name, of]) => [name, await measure(of)]));
  for (const stage of stages) {
    for (const of of Object.values(targets)) await of.inNew(stage - of.count());
    line(`new session among ${stage}`, await each(({ server, inNew }) => written(server, inNew)));
  }
  const without = await each(({ server, inNewWithoutKeys }) => written(server, inNewWithoutKeys));
  line(`new session without a key among ${stages.at(-1)}`, without);
  line('session that is there', await each(({ server, inOld }) => written(server, inOld)));
  for (const { server } of Object.values(targets)) await server.stop();
}
