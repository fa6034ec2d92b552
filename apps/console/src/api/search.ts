import { useEffect, useMemo } from 'react';
import type { Rows } from './hooks';

const searchedMax = 1_000;

export interface Found<Row> extends Rows<Row> {
  /** Said beside the list when not all of it was looked through. */
  note: string | null;
}

/**
 * The rows of a list that have each word of a text, in any case. The service knows exact names only: pages are loaded
 * until all are there or 1,000 rows were looked through.
 */
export function useFound<Row>(list: Rows<Row>, text: string, textOf: (row: Row) => string): Found<Row> {
  const words = useMemo(() => text.toLowerCase().split(/\s+/).filter(Boolean), [text]);
  const isSearching = words.length > 0;
  const { hasMore, isLoadingMore, loadMore } = list;
  const goesOn = isSearching && hasMore && list.error === null && list.rows.length < searchedMax;
  useEffect(() => {
    if (goesOn && !isLoadingMore) loadMore();
  }, [goesOn, isLoadingMore, loadMore]);
  if (!isSearching) return { ...list, note: null };
  const rows = list.rows.filter((row) => {
    const found = textOf(row).toLowerCase();
    return words.every((word) => found.includes(word));
  });
  const isWaiting = rows.length === 0 && goesOn;
  return {
    ...list,
    rows,
    isPending: list.isPending || isWaiting,
    hasMore: hasMore && !goesOn,
    note: hasMore && !goesOn ? `The first ${list.rows.length} were looked through. Load more to look further.` : null,
  };
}
