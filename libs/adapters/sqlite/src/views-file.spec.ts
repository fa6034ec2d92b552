import { RowsInDoubt, type ReadRow } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteReadStore } from './sqlite-read-store.js';
import { ViewsFile } from './views-file.js';

const dayMs = 86_400_000;
const directory = mkdtempSync(join(tmpdir(), 'aos-views-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const row = (key: string, doc: ReadRow['doc'] = {}, revision = 1): ReadRow => ({
  collection: 'things',
  scope: ['org_1'],
  key,
  revision,
  doc,
  index: {},
});

async function withViews<T>(
  file: string,
  clock: ManualClock,
  use: (views: ViewsFile, store: SqliteReadStore) => Promise<T>,
): Promise<T> {
  const views = await ViewsFile.open({ file: join(directory, file), clock });
  try {
    return await use(views, new SqliteReadStore(views));
  } finally {
    await views.close();
  }
}

const countOf = (store: SqliteReadStore) => store.count({ collection: 'things', scope: ['org_1'] }, 10);

test('what was put outlives the process', async () => {
  const clock = new ManualClock();
  await withViews('kept.db', clock, (_views, store) =>
    store.commit({ projection: 'things@1', from: null, to: '5', rows: [row('a')] }),
  );
  await withViews('kept.db', clock, async (_views, store) => {
    expect(await countOf(store)).toBe(1);
    expect(await store.checkpoint('things@1')).toBe('5');
  });
});

test('a file of an older release keeps its rows and loses the tables that nothing uses', async () => {
  const clock = new ManualClock();
  const former = {
    leases: 'name TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL',
    topics: 'topic TEXT PRIMARY KEY, partitions INTEGER NOT NULL, retention_ms INTEGER NOT NULL',
    records: 'id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, value BLOB NOT NULL',
    commits: 'consumers TEXT NOT NULL, topic TEXT NOT NULL, record INTEGER NOT NULL',
  };
  await withViews('older.db', clock, (_views, store) =>
    store.commit({ projection: 'things@1', from: null, to: '5', rows: [row('a')] }),
  );
  const older = new DatabaseSync(join(directory, 'older.db'));
  for (const [name, columns] of Object.entries(former)) older.exec(`CREATE TABLE ${name} (${columns}) STRICT`);
  older.exec("INSERT INTO topics VALUES ('svc.events', 12, 1000); INSERT INTO records VALUES (1, 'svc.events', x'00')");
  older.close();
  await withViews('older.db', clock, async (views, store) => {
    expect(await countOf(store)).toBe(1);
    expect(await store.checkpoint('things@1')).toBe('5');
    const tables = views.all("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name);
    expect(tables).toEqual(expect.arrayContaining(['rows', 'checkpoints', 'snapshots']));
    for (const name of Object.keys(former)) expect(tables).not.toContain(name);
  });
});

test.each([
  [
    'not a database',
    (file: string) => {
      writeFileSync(file, 'x'.repeat(10_000));
    },
  ],
  [
    'of another version',
    (file: string) => {
      const database = new DatabaseSync(file);
      database.exec('PRAGMA user_version = 99');
      database.close();
    },
  ],
])('a file that is %s is made anew', async (_name, spoil) => {
  const clock = new ManualClock();
  await withViews('spoiled.db', clock, (_views, store) =>
    store.commit({ projection: 'things@1', from: null, to: '5', rows: [row('a')] }),
  );
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
    clock.jump(dayMs - 1000);
    await views.sweep();
    expect(await dumped()).toEqual(['gone', 'here']);
    clock.jump(2000);
    await views.sweep();
    expect(await dumped()).toEqual(['here']);
  });
});

test('one job that cannot be written does not fail the others, and begins another life', async () => {
  await withViews('mixed.db', new ManualClock(), async (_views, store) => {
    const { incarnation } = store;
    await Promise.all([store.put([row('a')]), store.put([row('b', {}, Number.NaN)]), store.put([row('c')])]);
    expect(await countOf(store)).toBe(2);
    expect(store.incarnation).not.toBe(incarnation);
  });
});

test('no checkpoint moves over a put before it that could not be written', async () => {
  await withViews('doubt.db', new ManualClock(), async (_views, store) => {
    await store.put([row('a', {}, Number.NaN)]);
    await expect(
      store.commit({ projection: 'things@1', from: null, to: '5', rows: [row('b')] }),
    ).rejects.toBeInstanceOf(RowsInDoubt);
    expect(await store.checkpoint('things@1')).toBeNull();
    expect(await countOf(store)).toBe(0);
    await store.commit({ projection: 'things@1', from: null, to: '5', rows: [row('b')] });
    expect(await countOf(store)).toBe(1);
  });
});

test('a put waits for nothing, whoever reads waits for it, and it is written though nobody reads', async () => {
  const file = join(directory, 'later.db');
  await withViews('later.db', new ManualClock(), async (_views, store) => {
    const other = new DatabaseSync(file, { readOnly: true });
    const written = () => other.prepare('SELECT count(*) AS n FROM rows').get()?.['n'];
    await store.put([row('a')]);
    await store.put([row('b')]);
    expect(written()).toBe(0);
    expect(await store.get('things', ['org_1'], 'b')).toEqual({ revision: 1, doc: {} });
    await store.put([row('c')]);
    await eventually('the third row is written though nobody asked', () => written() === 3);
    other.close();
  });
});

test('TP8: a read waits for the puts of its collection, and sends no others', async () => {
  const file = join(directory, 'apart.db');
  await withViews('apart.db', new ManualClock(), async (_views, store) => {
    const other = new DatabaseSync(file, { readOnly: true });
    const written = () => other.prepare('SELECT count(*) AS n FROM rows').get()?.['n'];
    await store.put([row('a'), { ...row('b'), collection: 'others' }]);
    const elsewhere = { collection: 'elsewhere', scope: ['org_1'] };
    expect((await store.query({ ...elsewhere, limit: 10 })).rows).toEqual([]);
    expect(await store.count(elsewhere, 10)).toBe(0);
    expect(await store.get('elsewhere', ['org_1'], 'a')).toBeNull();
    expect((await store.getMany('elsewhere', ['org_1'], ['a'])).size).toBe(0);
    expect(written()).toBe(0);
    expect(await store.get('others', ['org_1'], 'b')).toEqual({ revision: 1, doc: {} });
    expect(written()).toBe(2);
    other.close();
  });
});

test('TP8: a read finds every row that was put in its collection before it, in any order of puts, commits and reads', async () => {
  await withViews('model.db', new ManualClock(), async (_views, store) => {
    const model = new Map<string, number>();
    let at: string | null = null;
    const pick = (count: number) => Math.floor(Math.random() * count);
    const steps = Array.from({ length: 600 }, () => [pick(10), pick(4), pick(5)] as const);
    await Promise.all(
      [0, 1, 2].map(async (mine) => {
        for (const [n, [kind, key, ahead]] of steps.entries()) {
          const collection = `things${mine}`;
          const name = `${mine}/${key}`;
          if (kind < 5) {
            const revision = Math.max(0, (model.get(name) ?? 0) + ahead - 1);
            await store.put([{ ...row(String(key), { n }, revision), collection }]);
            model.set(name, Math.max(revision, model.get(name) ?? 0));
          } else if (kind < 6 && mine === 0) {
            const revision = (model.get(name) ?? 0) + 1;
            const to = String(n).padStart(6, '0');
            await store.commit({
              projection: 'things@1',
              from: at,
              to,
              rows: [{ ...row(String(key), { n }, revision), collection }],
            });
            at = to;
            model.set(name, revision);
          } else if (kind >= 6) {
            const found = await store.get(collection, ['org_1'], String(key));
            expect(found?.revision).toBe(model.get(name));
          }
        }
      }),
    );
  });
});

test('a writer waits for the file when more is put than it keeps up with', async () => {
  await withViews('many.db', new ManualClock(), async (views, store) => {
    let largest = 0;
    for (let n = 0; n < 5_000; n += 1) {
      await store.put([row(`k${n % 10}`, {}, n)]);
      largest = Math.max(largest, views.writer.unwritten);
    }
    expect(largest).toBeGreaterThan(100);
    expect(largest).toBeLessThan(2_000);
    expect(await countOf(store)).toBe(10);
  });
});
