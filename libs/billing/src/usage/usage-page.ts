import type { Schema } from '@aos/contract';
import type { Condition, QueryCursor, ReadStore } from '@aos/kernel';
import { invalidCursor } from '@aos/platform';
import { callRows, counters, itemsOf, type UsageCall } from './usage.wire.js';

/** Reads of one page: a counter that most rows leave at 0 ends a page early, and the next one goes on there. */
const readsMax = 10;
/** Rows of one read at most, where a counter is asked for. */
const sparseRead = 1000;

/** Where an item stands: the row's key and time, and the number of its counter. */
export type UsageCursor = { key: string; at: string; number: number };

export type UsagePageQuery = {
  scope: readonly string[];
  where: readonly Condition[];
  /** As the contract names it. */
  counter: string | undefined;
  isNewestFirst: boolean;
  limit: number;
  /** The item before; null: from the beginning. */
  from: UsageCursor | null;
};

type Found = { cursor: UsageCursor; item: Schema<'BillingUsageEvent'> };

export function usageCursorToText({ at, key, number }: UsageCursor): string {
  return JSON.stringify([at, key, number]);
}

/** Refuses invalid_cursor. */
export function usageCursorFromText(text: string): UsageCursor {
  const [at, key, number] = JSON.parse(text) as unknown[];
  if (typeof at !== 'string' || typeof key !== 'string' || typeof number !== 'number') throw invalidCursor();
  return { at, key, number };
}

/**
 * Items of one page, in the order of the log, or newest first by time.
 *
 * Gives  up to `limit` items, and the cursor where the next page goes on; null when there is none.
 */
export async function usagePage(
  store: ReadStore,
  { scope, where, counter, isNewestFirst, limit, from }: UsagePageQuery,
): Promise<{ items: Schema<'BillingUsageEvent'>[]; next: UsageCursor | null }> {
  const foundIn = (key: string, doc: UsageCall): Found[] => {
    const items = itemsOf(doc).filter(({ item }) => counter === undefined || item.counter === counter);
    const found = items.map(({ number, item }) => ({ cursor: { key, at: doc.recorded_at, number }, item }));
    return isNewestFirst ? found.reverse() : found;
  };
  const begun = from && (await callRows.get(store, scope, from.key));
  const found: Found[] = begun
    ? foundIn(from.key, begun.doc).filter(({ cursor }) => isBehind(cursor.number, from.number, isNewestFirst))
    : [];
  let after: QueryCursor | null = from && { value: isNewestFirst ? from.at : null, key: from.key };
  let last: UsageCursor | null = from;
  for (let reads = 0; reads < readsMax && found.length <= limit; reads += 1) {
    const page = await callRows.query(store, {
      scope,
      where,
      limit: counter === undefined || reads === 0 ? limit + 1 : sparseRead,
      ...(isNewestFirst ? { orderBy: { index: 'at', direction: 'desc' as const } } : {}),
      ...(after ? { after } : {}),
    });
    for (const { key, doc } of page.rows) {
      found.push(...foundIn(key, doc));
      last = { key, at: doc.recorded_at, number: isNewestFirst ? -1 : counters.length };
    }
    after = page.next;
    if (after === null) break;
  }
  const shown = found.slice(0, limit);
  const cut = found.length > limit ? shown.at(-1) : undefined;
  return { items: shown.map(({ item }) => item), next: cut ? cut.cursor : after ? last : null };
}

function isBehind(number: number, before: number, isNewestFirst: boolean): boolean {
  return isNewestFirst ? number < before : number > before;
}
