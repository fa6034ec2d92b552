// Acknowledged appends a second of the SQLite log, after a build: node tools/run.mjs
// libs/adapters/sqlite/bench/appends.mjs [writers] [seconds] [events]
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const dist = process.env.AOS_DIST ?? join(import.meta.dirname, '../../../../dist');
const { SqliteEventStore } = require(join(dist, 'libs/adapters/sqlite/src/index.js'));
const { SystemClock } = require(join(dist, 'libs/adapters/system/src/index.js'));

const [writers, seconds, events] = [2, 3, 4].map((place, n) => Number(process.argv[place] ?? [16, 5, 1][n]));
const directory = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'aos-bench-'));
const store = await SqliteEventStore.open({ directory, clock: new SystemClock() });
const latencies = [];
const until = performance.now() + seconds * 1000;
const cpu = process.threadCpuUsage();
const cpuAll = process.cpuUsage();
let seen = 0;
const subscription = store.subscribe({ name: 'bench', prefixes: ['bench-'], from: 'start' }, async (batch) => {
  seen += batch.length;
});

async function write(writer) {
  for (let n = 0; performance.now() < until; n += 1) {
    const started = performance.now();
    const batch = Array.from({ length: events }, () => ({
      id: randomUUID(),
      type: 'MessageAppended',
      data: { message_id: `msg_${n}`, role: 'user', text: 'a short message of some fifty characters in all' },
      meta: { org_id: 'org_1', recorded_at: '2026-01-01T00:00:00.000Z', schema_version: '1' },
    }));
    await store.append(`bench-${writer}`, n === 0 ? 'none' : n * events - 1, batch);
    latencies.push(performance.now() - started);
  }
}

await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
const used = process.threadCpuUsage(cpu);
const usedAll = process.cpuUsage(cpuAll);
latencies.sort((a, b) => a - b);
const at = (part) => latencies[Math.floor(latencies.length * part)]?.toFixed(2);
console.log(
  JSON.stringify({
    writers,
    events,
    acks_per_s: Math.round(latencies.length / seconds),
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    max_ms: latencies.at(-1)?.toFixed(1),
    main_thread_cpu: ((used.user + used.system) / 1e6 / seconds).toFixed(2),
    process_cpu: ((usedAll.user + usedAll.system) / 1e6 / seconds).toFixed(2),
    subscribed: seen,
  }),
);
await subscription.close();
await store.close();
rmSync(directory, { recursive: true });
