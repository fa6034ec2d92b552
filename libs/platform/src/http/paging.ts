import type { CursorScope, CursorSeal } from '../keys/cursor-seal.js';

/** One page of a list (rule G1). */
export interface ListPage<T> {
  items: readonly T[];
  has_more: boolean;
  next_cursor?: string | null;
}

/** What a query of the contract says about paging. */
export interface PageQuery {
  limit?: number;
  cursor?: string;
}

export const pageLimitDefault = 20;

/** The scope of a list's cursors: every member of the query but the paging itself is a filter. */
export function listScope(orgId: string, list: string, query: Readonly<Record<string, unknown>> = {}): CursorScope {
  const filters = Object.fromEntries(Object.entries(query).filter(([name]) => name !== 'cursor' && name !== 'limit'));
  return { orgId, list, filters };
}

/** The position that a query's cursor stands for, null for the first page. Refuses `invalid_cursor`. */
export function positionOf(seal: CursorSeal, scope: CursorScope, cursor: string | undefined): string | null {
  return cursor === undefined ? null : seal.open(cursor, scope);
}

/**
 * A page from rows that were read one further than asked for.
 *
 * Takes    up to `limit + 1` rows; how the position of a row is written.
 * Gives    at most `limit` items; `next_cursor` only when there are more.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  {
    seal,
    scope,
    position,
    item,
  }: { seal: CursorSeal; scope: CursorScope; position: (row: Row) => string; item: (row: Row) => Item },
): ListPage<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  if (rows.length <= limit || last === undefined) return { items: shown.map(item), has_more: false };
  return { items: shown.map(item), has_more: true, next_cursor: seal.seal(position(last), scope) };
}
