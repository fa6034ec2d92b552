// One process under a load that it carries, for as long as is asked: STEADY_MINUTES, an hour by default. A
// hundred organizations send 70 % of the turns that it can; in every second part one of them is greedy and sends half
// of these. In the parts between the others send the whole load, which is what the greedy one is judged by: how it
// sends, not how much. They take turns, because a process is slower or faster with its age. At first the others are
// measured with their own half alone. Says what it saw in lines that begin with `said: `; ends with 1 where a bound is
// broken.
import { build } from '../build.mjs';
import { caller, percentiles, repeat } from '../bench/client.mjs';
import { built, pause, startService } from '../bench/processes.mjs';
import { invocation, makeAgent, tokens } from '../bench/requests.mjs';
import { organization } from '../bench/rows-load.mjs';
import { loadavg } from 'node:os';

const minutes = Number(process.env.STEADY_MINUTES ?? 60);
const calmOrganizations = 99;
const madeAtOnce = 4;
const connections = 16;
const warmTurns = 1_500;
const triedTurns = 3_000;
const loadShare = 0.7;
const greedyShare = 0.5; // of the load
const turnsOfSession = 20;
const readyMs = 120_000;
const lookEveryMs = 5_000;
const settledMinutes = 10;
const aloneShare = 1 / 12; // of the time
const rounds = 5; // of a part without the greedy one and a part with it
const memoryGrowthMax = 1.05;
const p99RatioMax = 1.5;
const turnsWaitingMax = 10_000; // of one organization, in a process

const say = (text) => console.log(`said: ${text}`);
const rounded = (value) => Math.round(value * 100) / 100;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** The next turn of an organization, in a session of its own that has none: a session ends after some turns. */
async function nextTurn(member) {
  const session = member.idle.pop() ?? { key: `steady-${member.opened++}`, turns: 0 };
  await member.client.streamed('/v1/agents/invoke', invocation(member.agent, tokens(50), session.key));
  session.turns += 1;
  if (session.turns < turnsOfSession) member.idle.push(session);
}

/**
 * Sends turns at random times, so many a second over all members, until `until`; a member whose turns are slow is not
 * asked less. Gives their times, and what was refused.
 */
async function load(members, perSecond, until) {
  const [times, refused, under] = [[], [], new Set()];
  const one = async (member) => {
    const began = performance.now();
    try {
      await nextTurn(member);
      times.push(performance.now() - began);
    } catch (error) {
      refused.push(error.message);
    }
  };
  for (let at = performance.now(); at < until;) {
    at += (-1000 * Math.log(1 - Math.random())) / perSecond;
    await pause(Math.max(0, at - performance.now()));
    const turn = one(members[Math.floor(Math.random() * members.length)]).finally(() => under.delete(turn));
    under.add(turn);
  }
  await Promise.all(under);
  return { times, refused };
}

/**
 * The whole load from the calm ones, then beside the greedy ones, in turn.
 * Gives what `load` gives: of the calm ones by themselves, of them beside the greedy ones, of the greedy ones.
 */
async function inTurn(greedy, calm, { whole, calmRate, partMs }) {
  const parts = [];
  for (let round = 0; round < rounds; round += 1) {
    const even = await load(calm, whole, performance.now() + partMs);
    const until = performance.now() + partMs;
    parts.push([even, ...(await Promise.all([load(calm, calmRate, until), load(greedy, whole - calmRate, until)]))]);
  }
  return [0, 1, 2].map((index) => {
    const ofKind = parts.map((part) => part[index]);
    return { times: ofKind.flatMap(({ times }) => times), refused: ofKind.flatMap(({ refused }) => refused) };
  });
}

async function gauge(server, name) {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** Looks at memory and queues until `until`. */
async function watched(server, until) {
  const looks = [];
  while (performance.now() < until) {
    looks.push({
      at: performance.now(),
      mib: (await server.rssKib()) / 1024,
      waiting: await gauge(server, 'turns_waiting'),
    });
    await pause(Math.min(lookEveryMs, Math.max(0, until - performance.now())));
  }
  return looks;
}

async function members(server, count) {
  const made = [];
  let begun = 0;
  await Promise.all(
    Array.from({ length: madeAtOnce }, async () => {
      while (begun < count) {
        const client = caller(await organization(server, `steady-${begun++}`), 64);
        made.push({ client, agent: await makeAgent(client), idle: [], opened: 0 });
      }
    }),
  );
  return made;
}

/** Memory in the first minute after all has settled, and in the last one. */
function growth(looks, from, settledMs) {
  const within = (begin, end) => median(looks.filter(({ at }) => at >= begin && at < end).map(({ mib }) => mib));
  const last = looks.at(-1).at;
  const window = Math.min(60_000, (last - from - settledMs) / 3);
  return [within(from + settledMs, from + settledMs + window), within(last - window, last + 1)];
}

await build(built);
const server = await startService({}, null, built, { readyMs });
const faults = [];
const check = (holds, text) => {
  if (!holds) faults.push(text);
};
try {
  const [greedy, ...calm] = await members(server, calmOrganizations + 1);
  await repeat(connections, warmTurns, () => nextTurn(greedy));
  const { perSecond: most } = await repeat(connections, triedTurns, (index) => nextTurn(calm[index % calm.length]));
  const whole = loadShare * most;
  const calmRate = (1 - greedyShare) * whole;
  say(
    `${Math.round(most)} turns a second over ${connections} connections; ${Math.round(whole)} were asked for, load of the machine ${rounded(loadavg()[0])}`,
  );

  const totalMs = minutes * 60_000;
  const alone = await load(calm, calmRate, performance.now() + totalMs * aloneShare);

  const from = performance.now();
  const until = from + totalMs * (1 - aloneShare);
  const [[even, beside, ofGreedy], looks] = await Promise.all([
    inTurn([greedy], calm, { whole, calmRate, partMs: (until - from) / rounds / 2 }),
    watched(server, until),
  ]);
  const [a, e, b, g] = [alone, even, beside, ofGreedy].map(({ times }) => percentiles(times));
  const ratio = b.p99 / e.p99;
  const [settled, last] = growth(looks, from, Math.min(settledMinutes * 60_000, (until - from) / 2));
  const waiting = Math.max(...looks.map((look) => look.waiting));
  const refused = [alone, even, beside, ofGreedy].flatMap((each) => each.refused);
  say(
    `99 organizations alone, ${Math.round(calmRate)} turns a second: p50 ${rounded(a.p50)} ms, p99 ${rounded(a.p99)} ms`,
  );
  say(`the same, ${Math.round(whole)} turns a second: p50 ${rounded(e.p50)} ms, p99 ${rounded(e.p99)} ms`);
  say(
    `beside the greedy one: p50 ${rounded(b.p50)} ms, p99 ${rounded(b.p99)} ms, ${rounded(ratio)} of the same load without it (at most ${p99RatioMax}), ${rounded(b.p99 / a.p99)} of alone; the greedy one p50 ${rounded(g.p50)}, p99 ${rounded(g.p99)}`,
  );
  say(
    `resident memory ${Math.round(settled)} MiB once settled, ${Math.round(last)} MiB at the end, ${rounded(last / settled)} (at most ${memoryGrowthMax})`,
  );
  say(
    `turns waiting at most ${waiting} (bound ${turnsWaitingMax}), refused ${refused.length}, load of the machine at the end ${rounded(loadavg()[0])}`,
  );
  check(
    ratio <= p99RatioMax,
    `p99 of the others beside the greedy one is ${rounded(ratio)} of the same load without it`,
  );
  check(last / settled <= memoryGrowthMax, `memory grew to ${rounded(last / settled)}`);
  check(waiting < turnsWaitingMax, 'a queue was at its bound');
  check(refused.length === 0, `refused: ${refused[0]}`);
  await Promise.all([greedy, ...calm].map(({ client }) => client.close()));
} finally {
  await server.stop();
}
for (const fault of faults) say(`not held: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
