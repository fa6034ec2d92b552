import { jsonSize, type CollectionPage, type Json, type QueryCursor } from '@aos/kernel';
import type { RowDoc } from './row.projection.js';

/** What one read of a scan is to hold: some hundredths of a second of the processor's time. Ours. */
const readBytes = 4 * 1024 * 1024;

export interface ScanPage {
  limit: number;
  after?: QueryCursor;
}

/**
 * The reads of a scan, in order. After each the process serves others, and the next has fewer rows where they are
 * large: a scan of large rows would hold the process up for seconds.
 *
 * Takes    how a page is read; the rows of the first read and of any; where to begin.
 */
export async function* scan(
  read: (page: ScanPage) => Promise<CollectionPage<RowDoc>>,
  { first, most, after }: { first: number; most: number; after: QueryCursor | null },
): AsyncGenerator<CollectionPage<RowDoc>> {
  let limit = first;
  let from = after;
  for (;;) {
    const page = await read({ limit, ...(from ? { after: from } : {}) });
    yield page;
    from = page.next;
    if (!from) return;
    const size = page.rows.reduce((sum, { doc }) => sum + jsonSize(doc as Json), 1);
    limit = Math.max(1, Math.min(most, limit * 4, Math.floor((page.rows.length * readBytes) / size)));
    await new Promise(setImmediate);
  }
}
