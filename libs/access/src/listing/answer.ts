import { positionOf, type CursorScope, type CursorSeal, type PageQuery } from '@aos/platform';
import type { PageAsked, PageGiven } from './derived-first.js';

const limitDefault = 20;
/** Most items of a list that is given whole because no page was asked for (rule G3). */
const wholeListMax = 5_000;

/** A page as the contract's lists show it. */
type PageAnswer<T> = { items: T[]; has_more: boolean; next_cursor?: string };

/** The page that a query asks for. Refuses `invalid_cursor`. */
export function pageAsked(seal: CursorSeal, scope: CursorScope, { limit, cursor }: PageQuery): PageAsked {
  return { limit: limit ?? limitDefault, after: positionOf(seal, scope, cursor) };
}

/** As `pageAsked`, for a list that is whole unless the caller sent `limit` or `cursor`. */
export function wholeOrPage(
  seal: CursorSeal,
  scope: CursorScope,
  query: PageQuery,
  sent: Readonly<Record<string, unknown>>,
): PageAsked {
  if (sent.limit === undefined && sent.cursor === undefined) return { limit: wholeListMax, after: null };
  return pageAsked(seal, scope, query);
}

export function pageAnswer<T>(seal: CursorSeal, scope: CursorScope, { items, next }: PageGiven<T>): PageAnswer<T> {
  return next === null ? { items, has_more: false } : { items, has_more: true, next_cursor: seal.seal(next, scope) };
}
