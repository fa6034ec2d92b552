import type { ReadRow } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteReadStore } from './sqlite-read-store.js';
import { ViewsFile } from './views-file.js';

const directory = mkdtempSync(join(tmpdir(), 'aos-late-entries-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const scope = ['org_1'];
const row = (key: string, revision: number, tags: readonly string[]): ReadRow => ({
  collection: 'things@1',
  scope,
  key,
  revision,
  doc: { tags: [...tags] },
  index: { tag: tags, size: tags.length + 0.5, revision },
});

async function open(file: string) {
  const views = await ViewsFile.open({ file: join(directory, file), clock: new ManualClock() });
  const store = new SqliteReadStore(views);
  let to = 0;
  const commit = (rows: ReadRow[], isBuilding: boolean) => {
    to += 1;
    const from = to === 1 ? null : String(to - 1);
    return store.commit({ projection: 'things@1', from, to: String(to), rows, isBuilding });
  };
  const tagged = async (tag: string) => {
    const where = [{ index: 'tag', has: tag }];
    const { rows } = await store.query({ collection: 'things@1', scope, where, limit: 1000 });
    return rows.map(({ key }) => key);
  };
  const written = () => store.checkpoint('things@1'); // it waits for what is built
  const count = (sql: string) => views.get(`SELECT count(*) AS n FROM ${sql}`)?.['n'];
  return { views, store, commit, written, tagged, count };
}

/** What the triggers of a file of version 2 made, in the words of that release. */
const triggersOfVersion2 = `
  DROP TABLE late_entries;
  CREATE VIEW puts AS
    SELECT p.collection, p.scope, r.key, r.revision, r.at, r.idx, r.doc FROM rows r JOIN places p ON p.id = r.place;
  CREATE TRIGGER put INSTEAD OF INSERT ON puts BEGIN SELECT 1; END;
  CREATE TRIGGER rows_added AFTER INSERT ON rows BEGIN
    INSERT OR IGNORE INTO entries SELECT new.place, p.value ->> 0, p.value ->> 1, new.key FROM json_each(new.idx) p;
  END;
  CREATE TRIGGER rows_changed AFTER UPDATE OF idx ON rows WHEN old.idx <> new.idx BEGIN SELECT 1; END;
  PRAGMA user_version = 2;
`;

test('TP19: entries of rows that are built are made together, at the first read along an index', async () => {
  const { views, store, commit, written, tagged, count } = await open('together.db');
  for (let n = 0; n < 10; n += 1) await commit([row(`k${n}`, 1, ['a', `t${n}`])], true);
  await written();
  expect([count('rows'), count('entries'), count('late_entries')]).toEqual([10, 0, 1]);
  expect(await store.get('things@1', scope, 'k3')).toMatchObject({ revision: 1 }); // needs none
  expect(await store.revisions('things@1', [{ scope, key: 'k4' }])).toEqual([1]);
  expect(count('entries')).toBe(0);
  expect(await tagged('t3')).toEqual(['k3']);
  expect([count('entries'), count('late_entries')]).toEqual([40, 0]);
  expect(await store.count({ collection: 'things@1', scope, where: [{ index: 'tag', has: 'a' }] }, 100)).toBe(10);
  await views.close();
});

test('TP19: what is committed when the rows are built is found at once, with all before it', async () => {
  const { views, commit, tagged, count } = await open('built.db');
  await commit([row('a', 1, ['x'])], true);
  await commit([row('b', 1, ['x'])], false);
  expect([count('entries'), count('late_entries')]).toEqual([6, 0]);
  expect(await tagged('x')).toEqual(['a', 'b']);
  await views.close();
});

test('TP19: no more rows than a bound wait for their entries', async () => {
  const { views, commit, written, count } = await open('bound.db');
  const batch = 1024;
  for (let n = 0; n < 33 * batch; n += batch) {
    const rows = Array.from({ length: batch }, (_, at) => row(`k${n + at}`, 1, []));
    await commit(rows, true);
  }
  await written();
  expect(count('rows')).toBe(33 * batch);
  const late = Number(count('rows')) - Number(count('entries')) / 2;
  expect(late).toBeGreaterThan(0);
  expect(late).toBeLessThan(20 * batch); // 16,384 rows, and those of one transaction
  await views.close();
});

test('TP19: a process that ended while rows were built leaves none that is not found', async () => {
  const first = await open('ended.db');
  await first.commit([row('a', 1, ['x'])], true);
  await first.written();
  const kept = new DatabaseSync(join(directory, 'ended.db'));
  kept.exec(`VACUUM INTO '${join(directory, 'killed.db')}'`); // as a kill would leave it
  kept.close();
  await first.views.close();
  const killed = await open('killed.db');
  expect(killed.count('late_entries')).toBe(0);
  expect(await killed.tagged('x')).toEqual(['a']);
  await killed.views.close();
});

test('a file whose entries were made by triggers is taken over with its rows', async () => {
  const before = await open('triggers.db');
  await before.commit([row('a', 1, ['x'])], false);
  await before.views.close();
  const older = new DatabaseSync(join(directory, 'triggers.db'));
  older.exec(triggersOfVersion2);
  older.close();
  const { views, store, tagged, count } = await open('triggers.db');
  await store.put([row('a', 2, ['y']), row('b', 1, ['y'])]);
  expect(await tagged('y')).toEqual(['a', 'b']);
  expect(await tagged('x')).toEqual([]);
  expect([count('entries'), await store.checkpoint('things@1')]).toEqual([6, '1']);
  await views.close();
});

test('TP19: entries are those of the rows, in any order of puts, commits that build and others, deletions and reads', async () => {
  const tag = fc.constantFrom('a', 'b', 'c');
  const put = fc.record({ key: fc.nat(4), revision: fc.nat(5), tags: fc.uniqueArray(tag), isGone: fc.boolean() });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('put', 'commit', 'build'), rows: fc.array(put) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('read', 'drop'), rows: fc.constant([]) }) },
  );
  let file = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const { views, store, commit, tagged } = await open(`any${(file += 1)}.db`);
      for (const { kind, rows } of steps) {
        const all = rows.map(({ key, revision, tags, isGone }) => ({
          ...row(`k${key}`, revision, tags),
          ...(isGone && { doc: null, index: {} }),
        }));
        if (kind === 'put') await store.put(all);
        else if (kind === 'read') await tagged('a');
        else if (kind === 'drop') await store.drop('things@1', 'others@1');
        else await commit(all, kind === 'build');
      }
      for (const each of ['a', 'b', 'c']) {
        const keys: string[] = [];
        for await (const { key, doc } of store.dump('things@1'))
          if ((doc?.['tags'] as string[] | undefined)?.includes(each)) keys.push(key);
        expect(await tagged(each)).toEqual(keys);
      }
      const apart = `SELECT count(*) AS n FROM (SELECT place, name, value, key FROM entries EXCEPT
        SELECT place, value ->> 0, value ->> 1, r.key FROM rows r, json_each(r.idx))`;
      expect(views.get(apart)?.['n']).toBe(0);
      await views.close();
    }),
    { numRuns: 60 },
  );
}, 180_000);
