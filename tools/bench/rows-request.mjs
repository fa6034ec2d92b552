// What one request costs before and behind its handler: a read of one agent beside a bare server's answer of as many
// bytes, and beside another build of ours where BENCH_BEFORE names its folder. Rounds of all in turn, medians over
// several starts: two processes of one build differ by up to a tenth.
import { caller, repeat } from './client.mjs';
import { startBare, startService } from './processes.mjs';
import { makeAgent } from './requests.mjs';

const starts = 4;
const rounds = 7;
const warmRequests = 8_000;
const requests = 2_000;
const connections = 16;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function service(build) {
  const server = await startService({}, null, build);
  const client = caller(server, connections);
  const agent = await makeAgent(client);
  return { server, client, ask: () => client.send('GET', `/v1/agents/${agent}`) };
}

async function bareServer() {
  const server = await startBare();
  const client = caller(server, connections);
  return { server, client, ask: () => client.send('GET', '/small') };
}

/** Microseconds of processor time of a request: of the main thread, and of all. */
async function round({ server, ask }, count) {
  const before = [server.threads().main.us, await server.cpuMs()];
  const { perSecond } = await repeat(connections, count, ask);
  return {
    mainUs: (server.threads().main.us - before[0]) / count,
    us: (((await server.cpuMs()) - before[1]) * 1000) / count,
    perSecond,
  };
}

/** One start of each server: adds what its rounds took to `measured`. */
async function start(makers, measured) {
  const targets = [];
  for (const [name, make] of makers) targets.push([name, await make()]);
  for (const [, target] of targets) await round(target, warmRequests);
  for (let index = 0; index < rounds; index += 1) {
    for (const [name, target] of index % 2 === 1 ? targets.toReversed() : targets)
      measured[name].push(await round(target, requests));
  }
  for (const [, { client, server }] of targets) {
    await client.close();
    await server.stop();
  }
}

/** A GET of one agent over 16 connections that stay open. */
export async function request(report) {
  const build = process.env.BENCH_BEFORE;
  const makers = [
    ['ours', () => service()],
    ...(build ? [['before', () => service(build)]] : []),
    ['bare', bareServer],
  ];
  const measured = Object.fromEntries(makers.map(([name]) => [name, []]));
  for (let index = 0; index < starts; index += 1) await start(index % 2 === 1 ? makers.toReversed() : makers, measured);
  const told = (what, of) => {
    const [ours, bare] = [measured.ours, measured.bare].map((each) => median(each.map(of)));
    report('request', what, {
      ours,
      ...(build && { other: median(measured.before.map(of)) }),
      bare,
      ratio: ours / bare,
    });
  };
  told('GET of one agent, 16 connections: processor time, us', ({ us }) => us);
  told('the same, main thread, us', ({ mainUs }) => mainUs);
  told('the same, a second', ({ perSecond }) => perSecond);
}
