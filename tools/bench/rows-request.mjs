// What one request costs before and behind its handler: a read of one agent beside a bare server's answer of as many
// bytes, and beside another build of ours where BENCH_BEFORE names its folder. Rounds of all in turn, medians.
import { caller, repeat } from './client.mjs';
import { startBare, startService } from './processes.mjs';
import { makeAgent } from './requests.mjs';

const rounds = 15;
const warmRequests = 20_000;
const requests = 4_000;
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

/** A GET of one agent over 16 connections that stay open. */
export async function request(report) {
  const build = process.env.BENCH_BEFORE;
  const targets = { ours: await service(), ...(build && { before: await service(build) }), bare: await bareServer() };
  const measured = Object.fromEntries(Object.keys(targets).map((name) => [name, []]));
  for (const target of Object.values(targets)) await round(target, warmRequests);
  for (let index = 0; index < rounds; index += 1) {
    const order = Object.entries(targets);
    if (index % 2 === 1) order.reverse();
    for (const [name, target] of order) measured[name].push(await round(target, requests));
  }
  const told = (what, of, aim) => {
    const [ours, before, bare] = ['ours', 'before', 'bare'].map(
      (name) => measured[name] && median(measured[name].map(of)),
    );
    report('request', what, { ours, ...(build && { other: before }), bare, ratio: ours / bare, aim });
  };
  told('GET of one agent, 16 connections: processor time, us', ({ us }) => us);
  told('the same, main thread, us', ({ mainUs }) => mainUs);
  told('the same, a second', ({ perSecond }) => perSecond);
  for (const { client, server } of Object.values(targets)) {
    await client.close();
    await server.stop();
  }
}
