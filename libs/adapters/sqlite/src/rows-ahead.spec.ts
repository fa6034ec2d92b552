import { RowsInDoubt, type ReadRow } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteReadStore } from './sqlite-read-store.js';
import { ViewsFile } from './views-file.js';
import { aheadMax } from './views-writer.js';

const directory = mkdtempSync(join(tmpdir(), 'aos-rows-ahead-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const scope = ['org_1'];
const row = (key: string, text: string, revision = 1): ReadRow => ({
  collection: 'things@1',
  scope,
  key,
  revision,
  doc: { text },
  index: { size: text.length },
});

/** The file, with a checkpoint at the start of the log for two projections unless it is there already. */
async function open(name: string) {
  const file = join(directory, name);
  const views = await ViewsFile.open({ file, clock: new ManualClock() });
  const store = new SqliteReadStore(views);
  const build = (from: string | null, to: string, rows: ReadRow[], projection = 'things@1') =>
    store.commit({ projection, from, to, rows, isBuilding: from !== null });
  for (const projection of ['things@1', 'others@1'])
    if ((await store.take(projection)) === null) await build(null, '', [], projection);
  /** Keeps the thread from writing until it is called. */
  const hold = () => {
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    return () => {
      other.exec('ROLLBACK');
      other.close();
    };
  };
  const rowsThere = () => views.get('SELECT count(*) AS n FROM rows')?.['n'];
  return { views, store, build, hold, rowsThere };
}

test('TP19: a commit of rows that are built does not wait until they are written; what reads them does', async () => {
  const { views, store, build, hold, rowsThere } = await open('ahead.db');
  const release = hold();
  await build('', '1', [row('a', 'x')]);
  await build('1', '2', [row('b', 'y')]);
  expect(rowsThere()).toBe(0);
  release();
  expect(await store.checkpoint('things@1')).toBe('2');
  expect(rowsThere()).toBe(2);
  await build('2', '3', [row('c', 'z')]);
  expect(await store.lost([{ projection: 'things@1', at: '3' }])).toEqual([]);
  await build('3', '4', [row('d', 'z')]);
  expect(await store.get('things@1', scope, 'd')).toMatchObject({ doc: { text: 'z' } });
  await views.close();
});

test('TP19: no more characters are held for the thread than a bound, and one commit', async () => {
  const { views, build, hold } = await open('bound.db');
  const release = hold();
  const size = 256 * 1024;
  let built = 0;
  let waiting: Promise<void> | null = null;
  for (let n = 0; !waiting; n += 1) {
    const commit = build(n === 0 ? '' : String(n), String(n + 1), [row(`k${n}`, 'x'.repeat(size))]);
    const went = await Promise.race([commit.then(() => true), new Promise(setImmediate).then(() => false)]);
    if (went) built += 1;
    else waiting = commit;
  }
  expect(built * size).toBeLessThan(aheadMax);
  expect((built + 2) * size).toBeGreaterThan(aheadMax);
  release();
  await waiting;
  await views.close();
});

test('TP19: rows that could not be written are a loss: no commit of any projection goes on from them', async () => {
  const { views, store, build, rowsThere } = await open('lost.db');
  const { incarnation } = store;
  await build('', '1', [row('a', 'x'), row('b', 'y', Number.NaN)]);
  await build('1', '2', [row('c', 'z')]); // rests on the one that is lost
  await build('', '1', [row('d', 'z')], 'others@1');
  expect(await store.checkpoint('things@1')).toBe('');
  expect(await store.checkpoint('others@1')).toBe('');
  expect(store.incarnation).not.toBe(incarnation);
  expect(rowsThere()).toBe(0);
  await build('', '2', [row('a', 'x'), row('c', 'z')]);
  expect(await store.checkpoint('things@1')).toBe('2');
  await views.close();
});

test('TP19: a commit of rows that are built whose checkpoint was moved by another is a loss', async () => {
  const { views, store, build, rowsThere } = await open('moved.db');
  const { incarnation } = store;
  await build('', '1', [row('a', 'x')]);
  await build('', '2', [row('b', 'y')]);
  const rests = store.commit({ projection: 'others@1', from: '', to: '1', rows: [row('c', 'z')] });
  await expect(rests).rejects.toBeInstanceOf(RowsInDoubt);
  expect([await store.checkpoint('things@1'), rowsThere()]).toEqual(['1', 1]);
  expect(store.incarnation).not.toBe(incarnation);
  await views.close();
});

test('TP19: a file as a kill leaves it while rows are ahead has the rows up to its checkpoint, and is built on from there', async () => {
  const [many, size] = [64, 48 * 1024];
  const { views, store, build } = await open('killed-of.db');
  const commit = (into: typeof build, n: number) =>
    into(n === 0 ? '' : String(n), String(n + 1), [row(`k${n}`, 'x'.repeat(size))]);
  for (let n = 0; n < many; n += 1) {
    await commit(build, n);
    if (n !== many / 2) continue;
    const other = new DatabaseSync(join(directory, 'killed-of.db'));
    other.exec(`VACUUM INTO '${join(directory, 'killed.db')}'`);
    other.close();
  }
  expect(await store.checkpoint('things@1')).toBe(String(many));
  await views.close();
  const killed = await open('killed.db');
  const from = Number(await killed.store.checkpoint('things@1'));
  expect(killed.rowsThere()).toBe(from);
  expect(from).toBeLessThanOrEqual(many / 2 + 1);
  for (let n = from; n < many; n += 1) await commit(killed.build, n);
  expect(await killed.store.checkpoint('things@1')).toBe(String(many));
  expect(killed.rowsThere()).toBe(many);
  const where = [{ index: 'size', eq: size }];
  expect(await killed.store.count({ collection: 'things@1', scope, where }, 1000)).toBe(many);
  await killed.views.close();
});
