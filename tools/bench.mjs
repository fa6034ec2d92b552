// Measures and prints; never asserts. node tools/bench.mjs [row ...]: speed, request, acks, turns, disk, long, tools,
// fanout, quiet, transcript, feed, relay, apply, rows, memory, neighbour, rebuild, start; fleet (it starts engines) and
// console (it starts a browser) run only when they are named.
// BENCH_PROFILE=<folder> leaves processor profiles of the service. Other programs' load moves the numbers: the ratios to
// the bare server of the same run move least.
import { cpus, loadavg } from 'node:os';
import { build } from './build.mjs';
import { built, startService } from './bench/processes.mjs';
import { consoleRows } from './bench/rows-console.mjs';
import { apply } from './bench/rows-blueprints.mjs';
import { disk } from './bench/rows-disk.mjs';
import { fleet } from './bench/rows-fleet.mjs';
import { rows as tableRows } from './bench/rows-tables.mjs';
import { memory, neighbour } from './bench/rows-load.mjs';
import { feed } from './bench/rows-events.mjs';
import { relay } from './bench/rows-relay.mjs';
import { rebuild } from './bench/rows-rebuild.mjs';
import { request } from './bench/rows-request.mjs';
import { tools } from './bench/rows-tools.mjs';
import { speed } from './bench/rows-speed.mjs';
import { acks, long, turns } from './bench/rows-turns.mjs';
import { fanout, quiet, transcript } from './bench/rows-streams.mjs';

async function start(report) {
  for (const what of ['first start, empty folder', 'second start, same folder']) {
    const server = await startService({}, start.earlier);
    start.earlier = server;
    const rss = await server.rssKib();
    report('start', `${what}: ready after, ms`, { ours: server.startMs, aim: '<= 3000' });
    report('start', `${what}: resident, MiB`, { ours: rss / 1024 });
    await server.stop({ keep: what.startsWith('first') });
  }
}

const rows = {
  start,
  speed,
  request,
  acks,
  turns,
  disk,
  long,
  tools,
  fanout,
  quiet,
  transcript,
  feed,
  relay,
  apply,
  rows: tableRows,
  memory,
  neighbour,
  rebuild,
  fleet,
  console: consoleRows,
};
const asked = process.argv.slice(2).filter((argument) => argument !== '--');
const unknown = asked.filter((name) => !(name in rows));
if (unknown.length > 0) {
  console.error(`no row ${unknown.join(', ')}; there are ${Object.keys(rows).join(', ')}`);
  process.exit(1);
}

const shown = (value) =>
  value === undefined ? '' : typeof value === 'string' ? value : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
const line = (cells) =>
  console.log(cells.map((cell, index) => (index < 2 ? cell.padEnd([11, 62][index]) : cell.padStart(9))).join(' '));

/**
 * Prints one line: our number, a second one of ours or of the build before, the bare server's, their ratio, and what it
 * should be.
 */
function report(row, what, { ours, other, bare, ratio, aim }) {
  line([row, what, shown(ours), shown(other), shown(bare), shown(ratio), shown(aim)]);
}

await build(built);
console.log(
  `Node ${process.versions.node}, ${cpus().length} processors (${cpus()[0]?.model.trim()}), load before ${loadavg()[0].toFixed(1)}\n`,
);
line(['row', 'what', 'service', '', 'bare', 'ratio', 'aim']);
const unasked = Object.keys(rows).filter((name) => !['fleet', 'console'].includes(name));
for (const name of asked.length > 0 ? asked : unasked) await rows[name](report);
