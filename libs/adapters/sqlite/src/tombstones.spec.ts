import type { ReadRow } from '@aos/kernel';
import { ManualClock, timeGrowth } from '@aos/kernel/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteReadStore } from './sqlite-read-store.js';
import { ViewsFile } from './views-file.js';

const directory = mkdtempSync(join(tmpdir(), 'aos-tombstones-'));
const opened: ViewsFile[] = [];
afterAll(async () => {
  for (const views of opened) await views.close();
  rmSync(directory, { recursive: true });
});

const scope = ['org_1'];
const row = (key: string, doc: ReadRow['doc'], revision = 1): ReadRow => ({
  collection: 'things',
  scope,
  key,
  revision,
  doc,
  index: doc === null ? {} : { of: key, tag: ['x'] },
});

async function open(file: string): Promise<SqliteReadStore> {
  const views = await ViewsFile.open({ file: join(directory, file), clock: new ManualClock() });
  opened.push(views);
  return new SqliteReadStore(views);
}

async function keysOf(store: SqliteReadStore, query: object = {}): Promise<string[]> {
  const { rows } = await store.query({ collection: 'things', scope, limit: 10, ...query });
  return rows.map(({ key }) => key);
}

async function dumped(store: SqliteReadStore): Promise<[string, number, boolean][]> {
  const all: [string, number, boolean][] = [];
  for await (const { key, revision, doc } of store.dump('things')) all.push([key, revision, doc !== null]);
  return all;
}

test.each<[string, (store: SqliteReadStore) => Promise<unknown>, unknown]>([
  ['listed', (store) => keysOf(store), ['a', 'z']],
  ['listed backwards', (store) => keysOf(store, { orderBy: { index: 'of', direction: 'desc' } }), ['z', 'a']],
  ['counted', (store) => store.count({ collection: 'things', scope }, 10), 2],
  ['looked for', (store) => store.occupied('things', [scope, ['org_2']]), [scope]],
])('the time in which rows are %s does not grow with the tombstones among them', async (what, read, expected) => {
  const growth = await timeGrowth(500, async (count) => {
    const store = await open(`${what} ${count}.db`);
    await store.put([row('a', {}), row('z', {})]);
    for (let n = 0; n < count; n += 1)
      await store.put([row(`k${n}`, null), { ...row(`k${n}`, null), scope: ['org_2'] }]);
    return async () => {
      expect(await read(store)).toEqual(expected);
    };
  });
  expect(growth).toBeLessThan(5);
});

test('a key has a row or a tombstone, whichever has the greater revision', async () => {
  const store = await open('one.db');
  const put = async (doc: ReadRow['doc'], revision: number) => {
    await store.put([row('a', doc, revision)]);
    return dumped(store);
  };
  expect(await put({}, 2)).toEqual([['a', 2, true]]);
  expect(await put(null, 1)).toEqual([['a', 2, true]]);
  expect(await put(null, 3)).toEqual([['a', 3, false]]);
  expect(await put({}, 3)).toEqual([['a', 3, false]]);
  expect(await keysOf(store, { where: [{ index: 'tag', has: 'x' }] })).toEqual([]);
  expect(await store.revisions('things', [{ scope, key: 'a' }])).toEqual([3]);
  expect(await put({}, 4)).toEqual([['a', 4, true]]);
  expect(await keysOf(store, { where: [{ index: 'tag', has: 'x' }] })).toEqual(['a']);
});

/** As the release before left its rows: a tombstone at the place of its collection and scope. */
const asVersion3 = 'UPDATE rows SET place = abs(place); PRAGMA user_version = 3';

test('a file of the release before keeps its rows and tombstones', async () => {
  const before = await open('older.db');
  await before.commit({ projection: 'things@1', from: null, to: '5', rows: [row('a', {}, 2), row('b', null, 2)] });
  await opened.pop()!.close();
  const older = new DatabaseSync(join(directory, 'older.db'));
  older.exec(asVersion3);
  older.close();
  for (const time of ['first', 'second']) {
    const store = await open('older.db');
    expect([time, await store.checkpoint('things@1')]).toEqual([time, '5']);
    await store.put([row('a', {}, 1), row('b', {}, 1)]);
    expect(await dumped(store)).toEqual([
      ['a', 2, true],
      ['b', 2, false],
    ]);
    await opened.pop()!.close();
  }
});

test('dropped rows leave no tombstone', async () => {
  const store = await open('dropped.db');
  await store.put([row('a', {}), row('b', null), { ...row('c', null), collection: 'others' }]);
  await store.drop('things', 'things@1');
  expect(await dumped(store)).toEqual([]);
  expect(await store.revisions('others', [{ scope, key: 'c' }])).toEqual([1]);
});
