import type { JsonObject, Query, QueryCursor, ReadStore } from '@aos/kernel';

const scanPage = 100;
const scanPagesMax = 50;

export interface VisiblePage<T> {
  items: T[];
  /** Null on the last page. */
  next: QueryCursor | null;
}

/**
 * One page of the rows that somebody may see.
 *
 * Takes    a query without its page; page size and where the page before ended; what becomes of a row, null for one out of reach.
 * Gives    up to `limit` items. After 5,000 rows out of reach in one go the page ends early, with more to come.
 */
export async function visiblePage<T>(
  readStore: ReadStore, query: Omit<Query, 'after' | 'limit'>, page: { limit: number; after: QueryCursor | null },
  visible: (row: { key: string; doc: JsonObject }) => Promise<T | null>,
): Promise<VisiblePage<T>> {
  const items: T[] = [];
  let after = page.after;
  for (let scanned = 0; scanned < scanPagesMax; scanned += 1) {
    const wanted = Math.max(1, Math.min(scanPage, page.limit - items.length));
    const found = await readStore.query({ ...query, limit: wanted, ...(after ? { after } : {}) });
    for (const row of found.rows) {
      const item = await visible(row);
      if (item !== null) items.push(item);
    }
    after = found.next;
    if (!after || items.length >= page.limit) return { items, next: after };
  }
  return { items, next: after };
}

/** A query's place as the text that a cursor seals. */
export function placeText(place: QueryCursor): string {
  return JSON.stringify([place.value, place.key]);
}

/** Reads `placeText`. */
export function placeFrom(text: string): QueryCursor {
  const [value, key] = JSON.parse(text) as [number | string | null, string];
  return { value, key };
}
