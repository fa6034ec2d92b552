import { cursorFromText, cursorToText } from '@aos/platform';
import type { QueryCursor } from '@aos/kernel';

export interface PageAsked {
  limit: number;
  /** Position where the page before ended, from `PageGiven.next`; null for the first page. */
  after: string | null;
}

export interface PageGiven<T> {
  items: T[];
  /** Null on the last page. */
  next: string | null;
}

export type ReadStored<T> = (page: {
  limit: number;
  after: QueryCursor | null;
}) => Promise<{ items: T[]; next: QueryCursor | null }>;

/**
 * A list of a few derived items before the stored ones. Its positions are `d<n>` after n derived items, else the cursor
 * of a stored row.
 */
export async function derivedFirst<T>(
  derived: readonly T[],
  stored: ReadStored<T>,
  { limit, after }: PageAsked,
): Promise<PageGiven<T>> {
  const cursor = after === null || after.startsWith('d') ? null : cursorFromText(after);
  const skip = cursor ? derived.length : Number(after?.slice(1) ?? 0);
  const items = derived.slice(skip, skip + limit);
  const end = skip + items.length;
  if (end < derived.length) return { items, next: `d${end}` };
  const room = limit - items.length;
  if (room === 0) return { items, next: (await stored({ limit: 1, after: null })).items.length > 0 ? `d${end}` : null };
  const rest = await stored({ limit: room, after: cursor });
  return { items: [...items, ...rest.items], next: rest.next && cursorToText(rest.next) };
}

/** A list of stored items only. */
export function storedOnly<T>(stored: ReadStored<T>, page: PageAsked): Promise<PageGiven<T>> {
  return derivedFirst([], stored, page);
}
