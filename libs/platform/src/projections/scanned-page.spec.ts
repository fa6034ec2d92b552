import { collection, type QueryCursor } from '@aos/kernel';
import { MemoryReadStore } from '@aos/adapters/memory';
import { scannedPage } from './scanned-page.js';
import type { VisiblePage } from './visible-page.js';

const things = collection<{ n: number }>({ name: 'things', version: 1 });

/** Every page of the rows whose number is among those asked for, and how many rows each page looked at. */
async function pagesOf(count: number, limit: number, wanted: ReadonlySet<number>): Promise<[number[], number][]> {
  const store = new MemoryReadStore();
  const key = (n: number) => String(n).padStart(5, '0');
  await store.put(
    Array.from({ length: count }, (_, n) =>
      things.row({ scope: ['org_1'], key: key(n), revision: 1, doc: { n }, index: { at: n } }),
    ),
  );
  const pages: [number[], number][] = [];
  for (let after: QueryCursor | null = null, more = true; more;) {
    let looked = 0;
    const { items, next }: VisiblePage<number> = await scannedPage(
      store,
      { collection: things, scope: ['org_1'], orderBy: { index: 'at', direction: 'desc' } },
      { limit, after, cursorOf: (row) => ({ value: row.doc.n, key: row.key }) },
      async ({ doc: { n } }) => {
        looked += 1;
        return wanted.has(n) ? n : null;
      },
    );
    pages.push([items, looked]);
    after = next;
    more = next !== null;
  }
  return pages;
}

describe('a page of rows that no index finds', () => {
  it('is full as long as there are rows, and the next one begins after its last', async () => {
    expect(await pagesOf(300, 2, new Set([299, 250, 249, 100, 0]))).toEqual([
      [[299, 250], 51],
      [[249, 100], 250],
      [[0], 100],
    ]);
  });

  it('looks at 5,000 rows at most, and loses none over its end', async () => {
    expect(await pagesOf(10_001, 1, new Set([4, 0]))).toEqual([
      [[], 5_000],
      [[4], 5_000],
      [[0], 1],
    ]);
  });

  it('is the last one where no item follows', async () => {
    expect(await pagesOf(100, 1, new Set([0]))).toEqual([[[0], 100]]);
    expect(await pagesOf(300, 1, new Set([299]))).toEqual([[[299], 300]]);
    expect(await pagesOf(0, 1, new Set())).toEqual([[[], 0]]);
  });
});
