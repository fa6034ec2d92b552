import type { JsonObject, ReadStore } from '@aos/kernel';
import { pageLimitDefault, positionOf, type PageQuery } from '../http/paging.js';
import type { CursorScope, CursorSeal } from '../keys/cursor-seal.js';
import { cursorFromText, cursorToText, visiblePage, type PageQueryOf } from './visible-page.js';

/** One page as the contract's lists show it; `next_cursor` only when there are more. */
export type VisibleList<T> = { items: T[]; has_more: boolean; next_cursor?: string };

/** The page that a caller asks for, and what its cursors are sealed with and for. */
export type ListAsked = PageQuery & { seal: CursorSeal; scope: CursorScope; large?: boolean };

/**
 * One page of the rows that a caller may see, as a list answers it (rules G1, G4).
 *
 * Takes    what `visiblePage` takes, the page as the caller asks for it.
 * Refuses  invalid_cursor.
 */
export async function visibleList<T, Doc extends object = JsonObject>(
  readStore: ReadStore,
  query: PageQueryOf<Doc>,
  { cursor, limit = pageLimitDefault, seal, scope, large }: ListAsked,
  visible: (row: { key: string; doc: Doc }) => Promise<T | null>,
): Promise<VisibleList<T>> {
  const position = positionOf(seal, scope, cursor);
  const after = position === null ? null : cursorFromText(position);
  const page = { limit, after, hidesRest: true, ...(large === undefined ? {} : { large }) };
  const { items, next } = await visiblePage(readStore, query, page, visible);
  return { items, has_more: next !== null, ...(next && { next_cursor: seal.seal(cursorToText(next), scope) }) };
}
