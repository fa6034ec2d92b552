// A log of sessions whose rows are gone: how soon every projection is built again, by this build and, where BENCH_BEFORE
// names its folder, by another one in turn. BENCH_EVENTS says how long the log is, BENCH_ROUNDS how often it is built
// again.
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { caller } from './client.mjs';
import { built, pause, startService } from './processes.mjs';
import { invocation, makeAgent, tokens } from './requests.mjs';

const eventsWanted = Number(process.env.BENCH_EVENTS ?? 210_000);
const turnsOfSession = 3;
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const atOnce = 64;
const untilMs = 600_000;
const idLength = 26;
/** Answer 503 until the lists behind them are whole. */
const lists = ['/readyz', '/v1/events?limit=1', '/v1/audit?limit=1'];

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** A folder whose log holds sessions of some turns; all but the first are copies of it under other ids. */
async function folderOfSessions() {
  const server = await startService();
  const client = caller(server, 1);
  const agent = await makeAgent(client);
  for (let turn = 0; turn < turnsOfSession; turn += 1)
    await client.streamed('/v1/agents/invoke', invocation(agent, tokens(50), 'template'));
  const { items } = await client.get('/v1/sessions');
  await client.close();
  await server.stop({ keep: true });
  return { folder: server.folder, key: server.key, session: items[0].id };
}

async function fill({ folder, session }) {
  const load = (name) => createRequire(import.meta.url)(join(built, 'libs', 'adapters', name, 'src', 'index.js'));
  const { SqliteEventStore } = load('sqlite');
  const { SystemClock } = load('system');
  const store = await SqliteEventStore.open({ directory: folder, clock: new SystemClock() });
  const events = await store.read(`session-${session}`, { limit: 1000 });
  const own = session.slice(-idLength);
  const text = JSON.stringify(events.map(({ type, data, meta }) => ({ type, data, meta })));
  const copy = async () => {
    const other = randomUUID().replaceAll('-', '').slice(0, idLength);
    const appended = JSON.parse(text.replaceAll(own, other)).map((event) => ({ id: randomUUID(), ...event }));
    await store.append(`session-${session.replace(own, other)}`, 'none', appended);
  };
  let made = 0;
  for (; made * events.length < eventsWanted; made += atOnce) await Promise.all(Array.from({ length: atOnce }, copy));
  await store.close();
  return (made + 1) * events.length;
}

/** Starts on the folder without its rows; gives when all was built, in milliseconds of time and of processor. */
async function rebuilt({ folder, key }, build) {
  for (const file of globSync(join(folder, 'views.db*'))) rmSync(file);
  const server = await startService({}, { folder, key }, build, { readyMs: untilMs });
  const began = performance.now() - server.startMs;
  for (const list of lists) {
    while (!(await fetch(server.url + list, { headers: { authorization: `Bearer ${key}` } })).ok) {
      if (performance.now() - began > untilMs) throw new Error(`${list} was not built in ${untilMs} ms`);
      await pause(20);
    }
  }
  const ms = performance.now() - began;
  const [cpuMs, threads] = [await server.cpuMs(), server.threads()];
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  const peakMib = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  await server.stop({ keep: true });
  return { ms, cpuMs, threads, peakMib };
}

/** A start on rows that are there: what is no rebuild. */
async function started({ folder, key }, build) {
  const server = await startService({}, { folder, key }, build);
  const [cpuMs, threads] = [await server.cpuMs(), server.threads()];
  await server.stop({ keep: true });
  return { ms: server.startMs, cpuMs, threads };
}

/** Events a second of one process over all of its projections, and what an event costs. */
export async function rebuild(report) {
  const world = await folderOfSessions();
  const events = await fill(world);
  const builds = { ours: built, ...(process.env.BENCH_BEFORE && { other: process.env.BENCH_BEFORE }) };
  const results = Object.fromEntries(Object.keys(builds).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, build] of Object.entries(builds)) {
      const { ms, cpuMs, threads, peakMib } = await rebuilt(world, build);
      const rest = await started(world, build);
      results[name].push({
        perSecond: events / ((ms - rest.ms) / 1000),
        us: ((cpuMs - rest.cpuMs) * 1000) / events,
        ...Object.fromEntries(
          Object.entries(threads).map(([group, { us }]) => [group, (us - rest.threads[group].us) / events]),
        ),
        peakMib,
      });
    }
  }
  rmSync(world.folder, { recursive: true, force: true });
  const row = (what, of, aim) => {
    const values = Object.entries(results).map(([name, all]) => [name, median(all.map(of))]);
    report('rebuild', what, { ...Object.fromEntries(values), ...(aim && { aim }) });
  };
  row(
    `a log of ${events} events of sessions: events/s until every list is whole`,
    ({ perSecond }) => perSecond,
    '70000',
  );
  row('processor time of an event, all threads, us', ({ us }) => us);
  row('of it the main thread, us', ({ main }) => main);
  row('of it the writer of the views, us', ({ views }) => views);
  row('of it collection, compilation and the rest, us', (one) => one.rest);
  row('most memory, MiB', ({ peakMib }) => peakMib, '<= 512');
}
