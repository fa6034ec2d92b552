import type { ReadRow } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteLeases } from './sqlite-leases.js';
import { SqliteReadStore } from './sqlite-read-store.js';
import { ViewsFile } from './views-file.js';

const DAY_MS = 86_400_000;
const directory = mkdtempSync(join(tmpdir(), 'aos-views-'));
afterAll(() => { rmSync(directory, { recursive: true }); });

const row = (key: string, doc: ReadRow['doc'] = {}, revision = 1): ReadRow => ({ collection: 'things', scope: ['org_1'], key, revision, doc, index: {} });

async function withViews<T>(file: string, clock: ManualClock, use: (views: ViewsFile, store: SqliteReadStore) => Promise<T>): Promise<T> {
  const views = await ViewsFile.open({ file: join(directory, file), clock });
  try {
    return await use(views, new SqliteReadStore(views));
  } finally {
    await views.close();
  }
}

const countOf = (store: SqliteReadStore) => store.count({ collection: 'things', scope: ['org_1'] }, 10);

test('what was put outlives the process; leases do not', async () => {
  const clock = new ManualClock();
  await withViews('kept.db', clock, async (views, store) => {
    await store.commit({ projection: 'things@1', from: null, to: '5', rows: [row('a')] });
    await new SqliteLeases(views).acquire('turn', 'me', 1e9);
  });
  await withViews('kept.db', clock, async (views, store) => {
    expect(await countOf(store)).toBe(1);
    expect(await store.checkpoint('things@1')).toBe('5');
    expect(await new SqliteLeases(views).holders(['turn'])).toEqual([null]);
  });
});

test.each([
  ['not a database', (file: string) => { writeFileSync(file, 'x'.repeat(10_000)); }],
  ['of another version', (file: string) => {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
  }],
])('a file that is %s is made anew', async (_name, spoil) => {
  const clock = new ManualClock();
  await withViews('spoiled.db', clock, (_views, store) => store.commit({ projection: 'things@1', from: null, to: '5', rows: [row('a')] }));
  spoil(join(directory, 'spoiled.db'));
  await withViews('spoiled.db', clock, async (_views, store) => {
    expect(await store.checkpoint('things@1')).toBeNull();
    expect(await countOf(store)).toBe(0);
    await store.drop('things', 'things@1');
  });
});

test('a tombstone is kept a day', async () => {
  const clock = new ManualClock();
  await withViews('tombs.db', clock, async (views, store) => {
    const dumped = async () => {
      const keys: string[] = [];
      for await (const { key } of store.dump('things')) keys.push(key);
      return keys;
    };
    await store.put([row('gone', null, 2), row('here')]);
    clock.jump(DAY_MS - 1000);
    await views.sweep();
    expect(await dumped()).toEqual(['gone', 'here']);
    clock.jump(2000);
    await views.sweep();
    expect(await dumped()).toEqual(['here']);
  });
});

test('one job that cannot be written does not fail the others', async () => {
  await withViews('mixed.db', new ManualClock(), async (_views, store) => {
    const results = await Promise.allSettled([store.put([row('a')]), store.put([row('b', {}, Number.NaN)]), store.put([row('c')])]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await countOf(store)).toBe(2);
  });
});
