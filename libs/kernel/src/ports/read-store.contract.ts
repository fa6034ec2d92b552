import { eventually, uniqueName } from '../testing/eventually.js';
import { CheckpointConflict, type Query, type QueryCursor, type ReadRow, type ReadStore } from './read-store.js';

export interface OpenedReadStore {
  store: ReadStore;
  close(): Promise<void>;
}

const deadlineMs = 180_000;
const position = (n: number) => String(n).padStart(20, '0');

interface Place {
  collection: string;
  scope: readonly string[];
}

function row(
  place: Place,
  key: string,
  revision: number,
  index: ReadRow['index'] = {},
  doc: ReadRow['doc'] = { key, revision },
): ReadRow {
  return { ...place, key, revision, doc, index };
}

async function keys(store: ReadStore, query: Query): Promise<string[]> {
  return (await store.query(query)).rows.map(({ key }) => key);
}

/** Reads page by page; `between` runs after each page. */
async function allPages(
  store: ReadStore,
  query: Query,
  between: () => Promise<void> = async () => undefined,
): Promise<string[]> {
  const found: string[] = [];
  let after: QueryCursor | undefined;
  for (let page = 0; page < 100; page += 1) {
    const { rows, next } = await store.query({ ...query, ...(after ? { after } : {}) });
    found.push(...rows.map(({ key }) => key));
    if (!next) return found;
    after = next;
    await between();
  }
  throw new Error('more than 100 pages');
}

/** The ReadStore port's suite. Takes how an adapter is opened; every test uses a collection of its own. */
export function readStoreContract(name: string, open: () => Promise<OpenedReadStore>): void {
  describe(`ReadStore: ${name}`, () => {
    let opened: OpenedReadStore;
    const store = () => opened.store;
    const newPlace = (): Place => ({ collection: uniqueName('things'), scope: [uniqueName('org_'), 'part'] });
    beforeAll(async () => {
      opened = await open();
    }, deadlineMs);
    afterAll(async () => {
      await opened.close();
    }, deadlineMs);

    rowContract(store, newPlace);
    conditionContract(store, newPlace);
    orderContract(store, newPlace);
    pagingContract(store, newPlace);
    commitContract(store, newPlace);
  });
}

type Store = () => ReadStore;
type NewPlace = () => Place;

function rowContract(store: Store, newPlace: NewPlace): void {
  test(
    'the scopes that have rows are told apart from those that have none, or tombstones only',
    async () => {
      const { collection } = newPlace();
      const scopes = Array.from({ length: 40 }, (_, n) => [`part-${n}`]);
      const at = (n: number): Place => ({ collection, scope: scopes[n]! });
      expect(await store().occupied(collection, scopes)).toEqual([]);
      await store().put([row(at(7), 'a', 1), row(at(23), 'a', 1), row(at(23), 'b', 1), row(at(39), 'a', 1)]);
      await store().put([row(at(39), 'a', 2, {}, null), row(at(23), 'a', 2, {}, null)]);
      expect(await store().occupied(collection, scopes)).toEqual([scopes[7], scopes[23]]);
      expect(await store().occupied(collection, scopes.slice(8).reverse())).toEqual([scopes[23]]);
      expect(await store().occupied(collection, [])).toEqual([]);
    },
    deadlineMs,
  );

  test(
    'a row changes only to a higher revision',
    async () => {
      const place = newPlace();
      await store().put([row(place, 'a', 3, { n: 1 }, { text: 'ä€😀' })]);
      await store().put([
        row(place, 'a', 2, { n: 2 }, { text: 'old' }),
        row(place, 'a', 3, { n: 3 }, { text: 'same' }),
      ]);
      expect(await store().get(place.collection, place.scope, 'a')).toEqual({ revision: 3, doc: { text: 'ä€😀' } });
      expect(await keys(store(), { ...place, where: [{ index: 'n', eq: 1 }], limit: 5 })).toEqual(['a']);
      await store().put([row(place, 'a', 4, { n: 9 })]);
      expect(await store().get(place.collection, place.scope, 'a')).toMatchObject({ revision: 4 });
      expect(await keys(store(), { ...place, where: [{ index: 'n', eq: 1 }], limit: 5 })).toEqual([]);
      expect(await keys(store(), { ...place, where: [{ index: 'n', eq: 9 }], limit: 5 })).toEqual(['a']);
    },
    deadlineMs,
  );

  test(
    'a tombstone hides the row and keeps lower revisions out',
    async () => {
      const place = newPlace();
      await store().put([row(place, 'a', 1, { tag: ['x'] }), row(place, 'b', 1, { tag: ['x'] })]);
      await store().put([row(place, 'a', 5, {}, null)]);
      await store().put([row(place, 'a', 4, { tag: ['x'] })]);
      expect(await store().get(place.collection, place.scope, 'a')).toBeNull();
      expect([...(await store().getMany(place.collection, place.scope, ['a', 'b', 'c'])).keys()]).toEqual(['b']);
      expect(await keys(store(), { ...place, limit: 5 })).toEqual(['b']);
      expect(await keys(store(), { ...place, where: [{ index: 'tag', has: 'x' }], limit: 5 })).toEqual(['b']);
      await store().put([row(place, 'a', 6, { tag: ['x'] })]);
      expect(await keys(store(), { ...place, where: [{ index: 'tag', has: 'x' }], limit: 5 })).toEqual(['a', 'b']);
    },
    deadlineMs,
  );

  test(
    'revisions are given in the order asked, of tombstones too, and none where there is no row',
    async () => {
      const place = newPlace();
      const elsewhere = { ...place, scope: [uniqueName('org_')] };
      await store().put([row(place, 'a', 4), row(place, 'b', 2, {}, null), row(elsewhere, 'a', 7)]);
      const asked = [
        { scope: elsewhere.scope, key: 'a' },
        { scope: place.scope, key: 'none' },
        { scope: place.scope, key: 'b' },
        { scope: elsewhere.scope, key: 'b' },
        { scope: place.scope, key: 'a' },
      ];
      expect(await store().revisions(place.collection, asked)).toEqual([7, null, 2, null, 4]);
      expect(await store().revisions(newPlace().collection, asked)).toEqual(asked.map(() => null));
      expect(await store().revisions(place.collection, [])).toEqual([]);
    },
    deadlineMs,
  );

  test(
    'scopes and collections are apart',
    async () => {
      const place = newPlace();
      const elsewhere = [
        { ...place, scope: [place.scope[0]!] },
        { ...place, scope: [...place.scope, 'more'] },
        { ...newPlace(), scope: place.scope },
      ];
      await store().put([row(place, 'a', 1, { n: 1 }), ...elsewhere.map((other) => row(other, 'z', 1, { n: 1 }))]);
      expect(await keys(store(), { ...place, limit: 5 })).toEqual(['a']);
      expect(await keys(store(), { ...place, where: [{ index: 'n', eq: 1 }], limit: 5 })).toEqual(['a']);
      expect(await store().get(place.collection, place.scope, 'z')).toBeNull();
      for (const other of elsewhere) expect(await keys(store(), { ...other, limit: 5 })).toEqual(['z']);
    },
    deadlineMs,
  );

  test(
    'a row that is put is seen at once, also among many puts',
    async () => {
      const place = newPlace();
      await Promise.all(
        Array.from({ length: 50 }, async (_, n) => {
          await store().put([row(place, `k${n}`, 1, { n })]);
          expect(await keys(store(), { ...place, where: [{ index: 'n', eq: n }], limit: 2 })).toEqual([`k${n}`]);
        }),
      );
    },
    deadlineMs,
  );
}

function conditionContract(store: Store, newPlace: NewPlace): void {
  test(
    'conditions on numbers, texts, tags and prefixes all hold together',
    async () => {
      const place = newPlace();
      await store().put([
        row(place, 'a', 1, { n: -1.5, s: 'ant', tags: ['x', 'y'], words: ['hello', 'world'] }),
        row(place, 'b', 1, { n: 2, s: 'bee', tags: ['y'], words: ['help', 'hell'] }),
        row(place, 'c', 1, { n: 10, s: 'ant', tags: [], words: ['word'] }),
        row(place, 'd', 1, { s: 'Über', tags: ['x:y', 'ü'] }),
      ]);
      const found = (where: Query['where']) => keys(store(), { ...place, ...(where ? { where } : {}), limit: 10 });
      expect(await found([{ index: 'n', eq: 2 }])).toEqual(['b']);
      expect(await found([{ index: 'n', gt: 2 }])).toEqual(['c']);
      expect(await found([{ index: 'n', gte: 2 }])).toEqual(['b', 'c']);
      expect(await found([{ index: 'n', lt: 2 }])).toEqual(['a']);
      expect(await found([{ index: 'n', gte: -1.5, lte: 2 }])).toEqual(['a', 'b']);
      expect(await found([{ index: 's', eq: 'ant' }])).toEqual(['a', 'c']);
      expect(await found([{ index: 's', eq: 'an' }])).toEqual([]);
      expect(await found([{ index: 's', gte: 'b', lt: 'c' }])).toEqual(['b']);
      expect(await found([{ index: 's', startsWith: 'an' }])).toEqual(['a', 'c']);
      expect(await found([{ index: 's', in: ['bee', 'Über', 'no'] }])).toEqual(['b', 'd']);
      expect(await found([{ index: 'n', in: [10, 2] }])).toEqual(['b', 'c']);
      expect(await found([{ index: 'n', in: [] }])).toEqual([]);
      expect(await found([{ index: 'tags', has: 'y' }])).toEqual(['a', 'b']);
      expect(await found([{ index: 'tags', has: 'x' }])).toEqual(['a']);
      expect(await found([{ index: 'tags', has: 'ü' }])).toEqual(['d']);
      expect(await found([{ index: 'words', startsWith: 'hel' }])).toEqual(['a', 'b']);
      expect(await found([{ index: 'words', startsWith: 'wor' }])).toEqual(['a', 'c']);
      expect(
        await found([
          { index: 'words', startsWith: 'hel' },
          { index: 's', eq: 'ant' },
        ]),
      ).toEqual(['a']);
      expect(
        await found([
          { index: 'tags', has: 'x' },
          { index: 'tags', has: 'y' },
        ]),
      ).toEqual(['a']);
      expect(
        await found([
          { index: 'tags', has: 'y' },
          { index: 'n', gt: 100 },
        ]),
      ).toEqual([]);
      expect(await found([{ index: 'unknown', eq: 1 }])).toEqual([]);
    },
    deadlineMs,
  );

  test(
    'counts up to the most asked for',
    async () => {
      const place = newPlace();
      await store().put(
        Array.from({ length: 30 }, (_, n) => row(place, `k${n}`, 1, { even: n % 2 === 0 ? 'yes' : 'no' })),
      );
      expect(await store().count(place, 100)).toBe(30);
      expect(await store().count(place, 7)).toBe(7);
      expect(await store().count({ ...place, where: [{ index: 'even', eq: 'yes' }] }, 100)).toBe(15);
      expect(await store().count({ ...place, where: [{ index: 'even', eq: 'yes' }] }, 4)).toBe(4);
    },
    deadlineMs,
  );
}

function orderContract(store: Store, newPlace: NewPlace): void {
  test(
    'orders by an index; ties go by key in the same direction; rows without a value come last',
    async () => {
      const place = newPlace();
      await store().put([
        row(place, 'e', 1, { n: 1 }),
        row(place, 'd', 1, { n: 3 }),
        row(place, 'c', 1, { n: 2 }),
        row(place, 'b', 1, { n: 2 }),
        row(place, 'a', 1, {}),
        row(place, 'f', 1, {}),
      ]);
      const ordered = (direction: 'asc' | 'desc', limit: number) =>
        allPages(store(), { ...place, orderBy: { index: 'n', direction }, limit });
      for (const limit of [1, 2, 3, 10]) {
        expect(await ordered('asc', limit)).toEqual(['e', 'b', 'c', 'd', 'a', 'f']);
        expect(await ordered('desc', limit)).toEqual(['d', 'c', 'b', 'e', 'f', 'a']);
      }
      const where = [{ index: 'n', gte: 2 }];
      expect(
        await allPages(store(), { ...place, where, orderBy: { index: 'n', direction: 'desc' }, limit: 2 }),
      ).toEqual(['d', 'c', 'b']);
      const whole = newPlace();
      await store().put([row(whole, 'b', 1, { n: 1 }), row(whole, 'a', 1, { n: 2 }), row(whole, 'c', 1, { n: 2 })]);
      const orderBy = { index: 'n', direction: 'asc', everyRow: true } as const;
      for (const limit of [1, 2, 3, 10])
        expect(await allPages(store(), { ...whole, orderBy, limit })).toEqual(['b', 'a', 'c']);
    },
    deadlineMs,
  );

  test(
    'orders numbers by size, whole ones beyond 2^53 and fractions too',
    async () => {
      const place = newPlace();
      await store().put(
        [1e17, -1e17, 0.5, 1, 1_700_000_000_000_000, -3].map((n, at) => row(place, `k${at}`, 1, { n })),
      );
      expect(await allPages(store(), { ...place, orderBy: { index: 'n', direction: 'asc' }, limit: 1 })).toEqual([
        'k1',
        'k5',
        'k2',
        'k3',
        'k4',
        'k0',
      ]);
    },
    deadlineMs,
  );

  test(
    'orders texts by their characters',
    async () => {
      const place = newPlace();
      await store().put(['b', 'a', 'aa', 'B', 'é', 'z'].map((s, n) => row(place, `k${n}`, 1, { s })));
      const { rows } = await store().query({ ...place, orderBy: { index: 's', direction: 'asc' }, limit: 10 });
      expect(rows.map(({ key }) => key)).toEqual(['k3', 'k1', 'k2', 'k0', 'k5', 'k4']);
    },
    deadlineMs,
  );
}

function pagingContract(store: Store, newPlace: NewPlace): void {
  test(
    'pages are stable under inserts: what was there all along is given once',
    async () => {
      const place = newPlace();
      const standing = Array.from({ length: 40 }, (_, n) =>
        row(place, `s${String(n).padStart(3, '0')}`, 1, { n: n % 7, tag: ['all'] }),
      );
      await store().put(standing);
      for (const shape of [
        {},
        { orderBy: { index: 'n', direction: 'desc' as const } },
        { orderBy: { index: 'n', direction: 'asc' as const }, where: [{ index: 'tag', has: 'all' }] },
      ]) {
        let inserted = 0;
        const found = await allPages(store(), { ...place, ...shape, limit: 9 }, async () => {
          inserted += 1;
          await store().put([0, 3, 6].map((n) => row(place, `i${Math.random()}`, inserted, { n, tag: ['all'] })));
        });
        const stable = found.filter((key) => key.startsWith('s'));
        expect([...stable].sort()).toEqual(standing.map(({ key }) => key));
        expect(new Set(found).size).toBe(found.length);
      }
    },
    deadlineMs,
  );

  test(
    'the last page says so, whether or not it is full',
    async () => {
      const place = newPlace();
      await store().put(['a', 'b', 'c', 'd'].map((key, n) => row(place, key, 1, { n })));
      const first = await store().query({ ...place, limit: 3 });
      expect(first.next).not.toBeNull();
      const last = await store().query({ ...place, limit: 3, after: first.next! });
      expect([last.rows.map(({ key }) => key), last.next]).toEqual([['d'], null]);
      expect((await store().query({ ...place, limit: 4 })).next).toBeNull();
      expect((await store().query({ ...place, orderBy: { index: 'n', direction: 'asc' }, limit: 4 })).next).toBeNull();
      expect(await store().query({ ...newPlace(), limit: 3 })).toEqual({ rows: [], next: null });
    },
    deadlineMs,
  );

  test(
    'a thousand rows are found by narrow and by wide conditions',
    async () => {
      const place = newPlace();
      const rows = Array.from({ length: 1000 }, (_, n) =>
        row(place, `k${String(n).padStart(4, '0')}`, 1, { n, half: n % 2, tag: [`t${n % 100}`] }),
      );
      for (let start = 0; start < rows.length; start += 200) await store().put(rows.slice(start, start + 200));
      const narrow = await allPages(store(), {
        ...place,
        where: [
          { index: 'tag', has: 't42' },
          { index: 'half', eq: 0 },
        ],
        orderBy: { index: 'n', direction: 'desc' },
        limit: 4,
      });
      expect(narrow).toEqual(
        [942, 842, 742, 642, 542, 442, 342, 242, 142, 42].map((n) => `k${String(n).padStart(4, '0')}`),
      );
      const wide = await allPages(store(), {
        ...place,
        where: [
          { index: 'half', eq: 1 },
          { index: 'n', gte: 900 },
        ],
        orderBy: { index: 'n', direction: 'asc' },
        limit: 20,
      });
      expect(wide).toHaveLength(50);
      expect(await allPages(store(), { ...place, limit: 300 })).toEqual(rows.map(({ key }) => key));
    },
    deadlineMs,
  );
}

function commitContract(store: Store, newPlace: NewPlace): void {
  test(
    'rows and checkpoint move together, by compare-and-set; a missing one is told apart',
    async () => {
      const place = newPlace();
      const projection = `${place.collection}@1`;
      expect(await store().checkpoint(projection)).toBeNull();
      await expect(
        store().commit({ projection, from: position(1), to: position(2), rows: [row(place, 'x', 1)] }),
      ).rejects.toMatchObject({ projection, actual: null });
      await store().commit({ projection, from: null, to: position(5), rows: [row(place, 'a', 1), row(place, 'b', 1)] });
      expect(await store().checkpoint(projection)).toBe(position(5));
      await expect(
        store().commit({ projection, from: null, to: position(9), rows: [row(place, 'x', 1)] }),
      ).rejects.toBeInstanceOf(CheckpointConflict);
      await expect(
        store().commit({ projection, from: position(4), to: position(9), rows: [row(place, 'x', 1)] }),
      ).rejects.toMatchObject({ actual: position(5) });
      expect(await keys(store(), { ...place, limit: 5 })).toEqual(['a', 'b']);
      await store().commit({
        projection,
        from: position(5),
        to: position(9),
        rows: [row(place, 'a', 1, {}, { late: true }), row(place, 'c', 1)],
      });
      await store().commit({ projection, from: position(9), to: position(12), rows: [] });
      expect(await store().checkpoint(projection)).toBe(position(12));
      expect(await keys(store(), { ...place, limit: 5 })).toEqual(['a', 'b', 'c']);
      expect(await store().get(place.collection, place.scope, 'a')).toEqual({
        revision: 1,
        doc: { key: 'a', revision: 1 },
      });
    },
    deadlineMs,
  );

  test(
    'the checkpoint of a scope is past its rows at once, and the other scopes follow',
    async () => {
      const place = newPlace();
      const elsewhere = { ...place, scope: [uniqueName('org_')] };
      const projection = `${place.collection}@1`;
      expect(await store().take(projection)).toBeNull();
      await store().commit({ projection, from: null, to: position(1), rows: [] });
      await store().commit({ projection, from: position(1), to: position(2), rows: [row(place, 'a', 1)] });
      expect(await store().checkpoint(projection, place.scope)).toBe(position(2));
      expect([position(1), position(2)]).toContain(await store().checkpoint(projection, elsewhere.scope));
      expect(await store().lost([{ projection, at: position(2) }])).toEqual([]);
      await eventually(
        'the other scopes have followed',
        async () => (await store().checkpoint(projection, elsewhere.scope)) === position(2),
      );
      const from = await store().take(projection);
      expect([position(1), position(2)]).toContain(from);
      await store().commit({ projection, from, to: position(3), rows: [row(elsewhere, 'a', 1)] });
      expect(await store().checkpoint(projection)).toBe(position(3));
    },
    deadlineMs,
  );

  test(
    'of commits from one checkpoint exactly one is written',
    async () => {
      const place = newPlace();
      const projection = `${place.collection}@1`;
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) =>
          store().commit({ projection, from: null, to: position(n + 1), rows: [row(place, `k${n}`, 1)] }),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await store().count(place, 100)).toBe(1);
    },
    deadlineMs,
  );

  test(
    'a dropped collection and its checkpoint are gone, others stay; a dump shows every row in order',
    async () => {
      const [place, other] = [newPlace(), newPlace()];
      const projection = `${place.collection}@1`;
      const second = { ...place, scope: [`${place.scope[0]}x`, 'part'] };
      await store().commit({
        projection,
        from: null,
        to: position(1),
        rows: [row(second, 'a', 1), row(place, 'c', 1, { n: 1 }), row(place, 'b', 2, {}, null)],
      });
      await store().put([row(other, 'z', 1)]);
      const dumped: [string, number, boolean][] = [];
      const scopes = new Set<string>();
      for await (const line of store().dump(place.collection)) {
        dumped.push([line.key, line.revision, line.doc === null]);
        scopes.add(line.scope);
      }
      expect(scopes.size).toBe(2);
      expect([...dumped].sort()).toEqual([
        ['a', 1, false],
        ['b', 2, true],
        ['c', 1, false],
      ]);
      expect(dumped.findIndex(([key]) => key === 'b')).toBeLessThan(dumped.findIndex(([key]) => key === 'c'));
      await store().drop(place.collection, projection);
      expect(await store().checkpoint(projection)).toBeNull();
      expect(await keys(store(), { ...place, limit: 5 })).toEqual([]);
      expect(await keys(store(), { ...place, where: [{ index: 'n', eq: 1 }], limit: 5 })).toEqual([]);
      expect(await keys(store(), { ...other, limit: 5 })).toEqual(['z']);
      await eventually('lower revisions are welcome again', async () => {
        await store().put([row(place, 'b', 1)]);
        return (await keys(store(), { ...place, limit: 5 })).includes('b');
      });
    },
    deadlineMs,
  );
}
