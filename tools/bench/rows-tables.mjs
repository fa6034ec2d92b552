// A table of 100,000 rows: writing them, asking along an index, and asking what no index knows.
import { caller, percentiles } from './client.mjs';
import { startService } from './processes.mjs';

const rowCount = 100_000;
const batch = 500;
const groups = 2_000;
const asksPerQuery = 300;
const scans = 20;

const schema = {
  identity_column: 'id',
  columns: [
    { name: 'id', type: 'string' },
    { name: 'group', type: 'string', indexed: true },
    { name: 'amount', type: 'number', indexed: true },
    { name: 'note', type: 'string' },
  ],
};

const row = (index) => ({
  id: `row-${index}`,
  group: `g${index % groups}`,
  amount: (index * 7919) % rowCount,
  note: `note ${index % 97}`,
});

async function asked(client, path, count, body) {
  const times = [];
  let found = 0;
  for (let index = 0; index < count; index += 1) {
    const began = performance.now();
    found += (await client.post(path, body(index))).items.length;
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return { ...percentiles(times), p95: times[Math.floor(times.length * 0.95)], found: found / count };
}

/** Follows a query's pages to the end. */
async function followed(client, path, body) {
  let pages = 0;
  let found = 0;
  for (let cursor; ; pages += 1) {
    const page = await client.post(path, { ...body, ...(cursor === undefined ? {} : { cursor }) });
    found += page.items.length;
    cursor = page.next_cursor ?? undefined;
    if (cursor === undefined) return { pages: pages + 1, found };
  }
}

export async function rows(report) {
  const server = await startService();
  const client = caller(server, 4);
  const { id } = await client.post('/v1/tables', { name: 'bench_rows', schema });
  const path = `/v1/tables/${id}/query`;
  const began = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (next < rowCount) {
        const from = next;
        next += batch;
        await client.post(`/v1/tables/${id}/bulk`, {
          rows: Array.from({ length: batch }, (_, index) => row(from + index)),
        });
      }
    }),
  );
  report('rows', `rows/s written, ${batch} at a time`, { ours: rowCount / ((performance.now() - began) / 1000) });
  const equal = (index) => ({ filter: { group: `g${(index * 31) % groups}` }, limit: 50 });
  const range = (index) => ({
    filter: { amount: { $gte: (index * 331) % rowCount, $lt: ((index * 331) % rowCount) + 40 } },
    sort: [{ field: 'amount' }],
    limit: 50,
  });
  const both = (index) => ({ filter: { group: `g${index % groups}`, amount: { $lt: rowCount / 2 } }, limit: 50 });
  for (const [name, body] of [
    ['equal to, by index', equal],
    ['range of 40, by index and sorted along it', range],
    ['two indexes together', both],
  ]) {
    await asked(client, path, 50, body);
    const { p50, p95, found } = await asked(client, path, asksPerQuery, body);
    report('rows', `${name}, ${found.toFixed(0)} of ${rowCount}: p50 / p95, ms`, {
      ours: p50,
      other: p95,
      aim: 'p95 <= 10',
    });
  }
  const first = await asked(client, path, scans, (index) => ({ filter: { note: `note ${index}` }, limit: 50 }));
  report('rows', `first page of a scan without an index, ${first.found.toFixed(0)} rows: p50 / p99, ms`, {
    ours: first.p50,
    other: first.p99,
  });
  const scanBegan = performance.now();
  const whole = await followed(client, path, { filter: { note: 'note 13' }, limit: 100 });
  report('rows', `the whole scan, ${whole.found} rows in ${whole.pages} pages, ms`, {
    ours: performance.now() - scanBegan,
  });
  await client.close();
  await server.stop();
}
