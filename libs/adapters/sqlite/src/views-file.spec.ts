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

test.each([false, true])('no checkpoint moves over a put that was lost before it, gathered: %s', async (mayGather) => {
  const clock = new ManualClock();
  await withViews(`doubt${String(mayGather)}.db`, clock, async (_views, store) => {
    await store.put([row('a', {}, 1)]);
    await store.put([row('a', {}, Number.NaN)]); // in the place of the row that could be written
    const committed = store.commit({ projection: 'things@1', from: null, to: '5', rows: [row('b')], mayGather });
    clock.advance(500);
    await expect(committed).rejects.toBeInstanceOf(RowsInDoubt);
    expect(await store.checkpoint('things@1')).toBeNull();
    expect(await countOf(store)).toBe(0);
    await store.commit({ projection: 'things@1', from: null, to: '5', rows: [row('b')] });
    expect(await countOf(store)).toBe(1);
  });
});

/** How many rows the file has, seen from outside. */
function rowsIn(file: string): { written: () => unknown; close: () => void } {
  const other = new DatabaseSync(join(directory, file), { readOnly: true });
  return {
    written: () => other.prepare('SELECT count(*) AS n FROM rows').get()?.['n'],
    close: () => {
      other.close();
    },
  };
}

/** What was sent is written by now. */
const answered = (views: ViewsFile) => views.writer.run([['SELECT 1', []]]);

test('a put waits for nothing, whoever reads waits for it, and it is written though nobody reads', async () => {
  const clock = new ManualClock();
  await withViews('later.db', clock, async (_views, store) => {
    const { written, close } = rowsIn('later.db');
    await store.put([row('a')]);
    await store.put([row('b')]);
    expect(written()).toBe(0);
    expect(await store.get('things', ['org_1'], 'b')).toEqual({ revision: 1, doc: {} });
    await store.put([row('c')]);
    clock.advance(500);
    await eventually('the third row is written though nobody asked', () => written() === 3);
    close();
  });
});

test('TP9: rows gather for 500 ms from the first of them', async () => {
  const clock = new ManualClock();
  await withViews('gathered.db', clock, async (views, store) => {
    const { written, close } = rowsIn('gathered.db');
    const keys = (name: string, count: number) => Array.from({ length: count }, (_, n) => row(`${name}${n}`));
    await store.put(keys('a', 400));
    clock.advance(499);
    await store.put(keys('b', 50));
    expect([views.writer.unwritten, clock.pendingTimers, written()]).toEqual([450, 2, 0]);
    clock.advance(1);
    await eventually('all are written', () => written() === 450);
    await eventually('and answered', () => views.writer.unwritten === 0);
    await store.put(keys('c', 1));
    clock.advance(499);
    expect([clock.pendingTimers, written()]).toEqual([2, 450]);
    clock.advance(1);
    await eventually('the last one is written', () => written() === 451);
    close();
  });
});

test.each([
  ['2,048 rows', 2048, 1],
  ['8 MiB', 8, 1024 * 1024],
])('TP9: %s are sent at once', async (name, count, size) => {
  await withViews(`full${count}.db`, new ManualClock(), async (_views, store) => {
    const { written, close } = rowsIn(`full${count}.db`);
    for (let n = 0; n < count; n += 1) await store.put([row(`${name}${n}`, { text: 'x'.repeat(size) })]);
    await eventually('written while no time passes', () => written() === count);
    close();
  });
});

test('TP9: a commit hurries nothing, and keeps its order among puts', async () => {
  const clock = new ManualClock();
  await withViews('unhurried.db', clock, async (views, store) => {
    const { written, close } = rowsIn('unhurried.db');
    await store.commit({ projection: 'others@1', from: null, to: '1', rows: [] });
    await store.put([row('a')]);
    let isCommitted = false;
    const batch = { projection: 'others@1', from: '1', to: '2', rows: [row('b')], mayGather: true };
    const committed = store.commit(batch).then(() => {
      isCommitted = true;
    });
    await store.put([row('a', null, 2)]);
    clock.advance(499);
    expect([await store.checkpoint('things@1'), isCommitted, written()]).toEqual([null, false, 0]);
    clock.advance(1);
    await committed;
    await answered(views);
    expect(written()).toBe(2);
    expect(await store.get('things', ['org_1'], 'a')).toBeNull();
    close();
  });
});

describe('TP10: a commit that gathers goes at once', () => {
  const waited: [string, (store: SqliteReadStore) => unknown][] = [
    ['when its rows are read', (store) => store.get('things@1', ['org_1'], 'a')],
    ['when its checkpoint is read', (store) => store.checkpoint('things@1')],
    ['when its rows begin to be waited for', (store) => store.demand('things@1').hold()],
  ];

  test.each([
    ...waited.map(([name, wait]) => [name, wait, 'after'] as const),
    ...waited.map(([name, wait]) => [`${name} just before`, wait, 'before'] as const),
  ])('%s', async (name, wait, order) => {
    const clock = new ManualClock();
    await withViews(`${name.replaceAll(' ', '_')}.db`, clock, async (_views, store) => {
      await store.commit({ projection: 'things@1', from: null, to: '1', rows: [] });
      store.demand('things@1');
      if (order === 'before') await wait(store);
      clock.advance(999);
      const batch = { projection: 'things@1', from: '1', to: '2', rows: [row('a')], mayGather: true };
      const committed = store.commit(batch);
      if (order === 'after') await wait(store);
      await committed;
    });
  });

  test('and waits again a second after the last read, or when the rows are waited for no more', async () => {
    const clock = new ManualClock();
    await withViews('calm.db', clock, async (_views, store) => {
      const demand = store.demand('things@1');
      const release = demand.hold();
      const another = demand.hold();
      release();
      release();
      expect(demand.isPresent).toBe(true);
      another();
      expect(demand.isPresent).toBe(false);
      await store.get('things@1', ['org_1'], 'a');
      expect(demand.isPresent).toBe(true);
      clock.advance(1000);
      expect(demand.isPresent).toBe(false);
    });
  });

  test('but not when rows are read that are put by who changes them: they are there without it', async () => {
    const clock = new ManualClock();
    await withViews('put.db', clock, async (_views, store) => {
      const { written, close } = rowsIn('put.db');
      const demand = store.demand('things', { arePut: true });
      await store.put([row('a'), { ...row('b'), collection: 'others' }]);
      const committed = store.commit({ projection: 'things', from: null, to: '1', rows: [], mayGather: true });
      expect((await store.query({ collection: 'things', scope: ['org_1'], limit: 10 })).rows).toHaveLength(1);
      expect([demand.isPresent, written()]).toEqual([false, 1]);
      clock.advance(500);
      await committed;
      expect(written()).toBe(2);
      close();
    });
  });

  test('also after one that its projector makes was put: retention leaves tombstones that way', async () => {
    await withViews('retained.db', new ManualClock(), async (_views, store) => {
      const demand = store.demand('things');
      await store.put([row('a', null)]);
      await store.query({ collection: 'things', scope: ['org_1'], limit: 10 });
      expect(demand.isPresent).toBe(true);
    });
  });

  test('but not because the projectors ask whether rows were lost', async () => {
    await withViews('asked.db', new ManualClock(), async (_views, store) => {
      await store.commit({ projection: 'things@1', from: null, to: '5', rows: [] });
      const demand = store.demand('things@1');
      expect(await store.lost([{ projection: 'things@1', at: '6' }])).toHaveLength(1);
      expect(demand.isPresent).toBe(false);
    });
  });
});

test('TP8: a read waits for the puts of its collection, and sends no others', async () => {
  await withViews('apart.db', new ManualClock(), async (_views, store) => {
    const { written, close } = rowsIn('apart.db');
    await store.put([row('a'), { ...row('b'), collection: 'others' }]);
    const elsewhere = { collection: 'elsewhere', scope: ['org_1'] };
    expect((await store.query({ ...elsewhere, limit: 10 })).rows).toEqual([]);
    expect(await store.count(elsewhere, 10)).toBe(0);
    expect(await store.get('elsewhere', ['org_1'], 'a')).toBeNull();
    expect((await store.getMany('elsewhere', ['org_1'], ['a'])).size).toBe(0);
    expect(written()).toBe(0);
    expect(await store.get('others', ['org_1'], 'b')).toEqual({ revision: 1, doc: {} });
    expect(written()).toBe(1);
    close();
  });
});

test('TP8: who waits for all that was put is not forgotten when a reader has the last of it sent ahead', async () => {
  await withViews('last.db', new ManualClock(), async (views, store) => {
    await store.put([row('a')]);
    const all = views.writer.allSettled();
    expect(await store.get('things', ['org_1'], 'a')).toEqual({ revision: 1, doc: {} });
    await all;
    expect(views.writer.unwritten).toBe(0);
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
    for (let n = 0; n < 20_000; n += 1) {
      await store.put([row(`k${n}`)]);
      largest = Math.max(largest, views.writer.unwritten);
    }
    expect(largest).toBeGreaterThan(100);
    expect(largest).toBeLessThanOrEqual(8_192);
    expect(await store.count({ collection: 'things', scope: ['org_1'] }, 30_000)).toBe(20_000);
  });
});

test('a row is found by any text of its index', async () => {
  const texts = ['', ' ', 'a', '!#[]~', '"', '\\', '\n', '\u007f', '\u0000', 'é', '日', '😀', "it's", '["a",1]'];
  await withViews('texts.db', new ManualClock(), async (_views, store) => {
    await store.put(texts.map((text, n) => ({ ...row(`k${n}`), index: { [`by ${text}`]: text, all: texts } })));
    for (const [n, text] of texts.entries()) {
      const where = [
        { index: `by ${text}`, eq: text },
        { index: 'all', has: text },
      ];
      const { rows } = await store.query({ collection: 'things', scope: ['org_1'], where, limit: 10 });
      expect([text, rows.map(({ key }) => key)]).toEqual([text, [`k${n}`]]);
    }
  });
});
