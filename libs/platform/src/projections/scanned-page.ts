import type { CollectionPage, Collection, Query, QueryCursor, ReadStore } from '@aos/kernel';
import type { VisiblePage } from './visible-page.js';

/** Rows of one read. */
const readMax = 100;
/** Reads of one page. */
const readsMax = 50;

type Row<Doc> = CollectionPage<Doc>['rows'][number];

/**
 * One page of the rows that pass a test which no index knows: few of many.
 *
 * Takes    a query without its page; page size and where the page before ended; the cursor of a row; what becomes of a
 *          row, null for one that is left out. It is asked of rows behind the page too.
 * Gives    up to `limit` items; a page that no item follows is the last one (rules G1, G13). After 5,000 rows in one
 *          go the page ends early, with more to come: what follows begins at the row after.
 */
export async function scannedPage<T, Doc extends object>(
  readStore: ReadStore,
  { collection, ...query }: Omit<Query, 'after' | 'limit' | 'collection'> & { collection: Collection<Doc> },
  page: { limit: number; after: QueryCursor | null; cursorOf: (row: Row<Doc>) => QueryCursor },
  item: (row: Row<Doc>) => Promise<T | null>,
): Promise<VisiblePage<T>> {
  const items: T[] = [];
  let { after } = page;
  let lastTaken = after;
  for (let reads = 0; reads < readsMax; reads += 1) {
    const found = await collection.query(readStore, { ...query, limit: readMax, ...(after ? { after } : {}) });
    for (const row of found.rows) {
      const taken = await item(row);
      if (taken === null) continue;
      if (items.length === page.limit) return { items, next: lastTaken };
      items.push(taken);
      lastTaken = page.cursorOf(row);
    }
    after = found.next;
    if (!after) return { items, next: null };
  }
  return { items, next: after };
}
