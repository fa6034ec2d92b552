import {
  collection,
  jsonSize,
  type Collection,
  type CollectionPage,
  type Json,
  type JsonObject,
  type Query,
  type QueryCursor,
  type ReadStore,
} from '@aos/kernel';
import { pageBytesMax } from '../decisions/page-size.js';

export { pageBytesMax } from '../decisions/page-size.js';

const scanPage = 100;
const scanPagesMax = 50;
/** Rows of the first read where rows may be large; each read that fits is followed by one of twice as many. */
const firstRead = 16;

export interface VisiblePage<T> {
  items: T[];
  /** Null on the last page. */
  next: QueryCursor | null;
}

/** Rows under the name of their collection are JSON. */
export type PageQueryOf<Doc extends object> = Omit<Query, 'after' | 'limit' | 'collection'> & {
  collection: string | Collection<Doc>;
};

/** The page that is asked for: its size and where the page before ended. */
export interface PageWanted {
  limit: number;
  after: QueryCursor | null;
  /** Items may be large, so that the page ends early at 8 MiB. */
  large?: boolean;
  /** A page that rows out of reach alone follow is the last one: that there are any shows nowhere (rules G1, G13). */
  hidesRest?: boolean;
}

type Visible<T, Doc> = (row: { key: string; doc: Doc }) => Promise<T | null>;

/**
 * One page of the rows that a caller may see.
 *
 * Takes    a query without its page, by the collection or its name; the page; what becomes of a row, null for one out
 *          of reach. It may be asked of one row more than once, and with `hidesRest` of rows behind the page too.
 * Gives    up to `limit` items. After some 5,000 rows out of reach in one go the page ends early, with more to come.
 */
export async function visiblePage<T, Doc extends object = JsonObject>(
  readStore: ReadStore,
  { collection: of, ...query }: PageQueryOf<Doc>,
  page: PageWanted,
  visible: Visible<T, Doc>,
): Promise<VisiblePage<T>> {
  const rows = typeof of === 'string' ? collection<Doc>(of) : of;
  const items: T[] = [];
  let { after } = page;
  let bytes = 0;
  let portion = page.large ? firstRead : scanPage;
  let isSparse = false;
  for (let scanned = 0; scanned < scanPagesMax; scanned += 1) {
    const wanted = page.limit - items.length;
    const limit = Math.max(1, isSparse ? portion : Math.min(portion, wanted));
    const found = await rows.query(readStore, { ...query, limit, ...(after ? { after } : {}) });
    const more = await seen(found, wanted, visible);
    const size = page.large ? jsonSize(more as Json[]) : 0;
    if (more.length > wanted || (bytes + size > pageBytesMax && limit > 1)) {
      portion = Math.floor(limit / 2); // the place between two rows is known only where a read ends
      continue;
    }
    if (bytes + size > pageBytesMax && items.length > 0 && more.length > 0) return { items, next: after };
    bytes += size;
    portion = Math.min(scanPage, portion * 2);
    isSparse = more.length === 0;
    items.push(...more);
    after = found.next;
    if (!after) return { items, next: null };
    if (items.length < page.limit) continue;
    if (!page.hidesRest) return { items, next: after };
    const rest = await visiblePage(readStore, { collection: rows, ...query }, { ...restOf(page), after }, visible);
    return { items, next: rest.items.length > 0 || rest.next ? after : null };
  }
  return { items, next: after };
}

/** One item is enough to know that more follow. */
function restOf({ large }: PageWanted): { limit: number; large?: boolean } {
  return { limit: 1, ...(large === undefined ? {} : { large }) };
}

/** What of the rows is within reach: `wanted` of them, and one more where there are more. */
async function seen<T, Doc>({ rows }: CollectionPage<Doc>, wanted: number, visible: Visible<T, Doc>): Promise<T[]> {
  const items: T[] = [];
  for (const row of rows) {
    if (items.length > wanted) break;
    const item = await visible(row);
    if (item !== null) items.push(item);
  }
  return items;
}

/** A query's place as the text that a cursor seals. */
export function cursorToText(cursor: QueryCursor): string {
  return JSON.stringify([cursor.value, cursor.key]);
}

/** Reads `cursorToText`. */
export function cursorFromText(text: string): QueryCursor {
  const [value, key] = JSON.parse(text) as [number | string | null, string];
  return { value, key };
}
