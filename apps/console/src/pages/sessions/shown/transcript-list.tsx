import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Button, EmptyState, ErrorNote, Skeleton } from '../../../ui';
import { ItemRow } from './item-row';
import type { FeedState } from '../transcript/session-feed';
import { useFeedState, useItems, useTranscript } from '../transcript/transcript-context';
import type { Item } from '../transcript/transcript-items';

/** Older rows are read when so many pixels are left above. */
const nearTop = 1_500;
const nearEnd = 120;
/** So often a row is scrolled to: those around it are measured as they are rendered. */
const settlingPictures = 12;
const estimates: Readonly<Record<Item['kind'], number>> = { row: 110, turn: 36, end: 40, question: 220 };

interface TranscriptListProps {
  /** What stands under the heading when there are no rows. */
  empty: string;
  label?: string;
  /** Sequence of a row to begin at, in place of the end. */
  row?: number | null;
}

/**
 * The transcript, of which only what is seen is rendered. It stays at its end while it is there; elsewhere what is
 * read stays where it is, whatever joins above.
 */
export function TranscriptList({ empty, label = 'Transcript', row = null }: TranscriptListProps) {
  const { feed } = useTranscript();
  const items = useItems(feed);
  const state = useFeedState(feed);
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => estimates[items[index]?.kind ?? 'row'],
    getItemKey: (index) => items[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: 80,
    overscan: 4,
    paddingStart: 16,
    paddingEnd: 24,
    gap: 10,
  });
  const hasItems = items.length > 0;
  useEffect(() => {
    if (hasItems && row === null) virtual.scrollToEnd({ behavior: 'auto' });
  }, [hasItems, row, virtual]);
  useBeginningAtRow(row, items, virtual);
  const { isAtEnd, look } = useLook(frame, items);
  const scrollToEnd = () => untilMeasured(() => virtual.scrollToEnd({ behavior: 'auto' }));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'End' || event.target !== event.currentTarget) return;
    event.preventDefault(); // the browser would stop where the end was before the rows on the way were measured
    scrollToEnd();
  };
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={frame}
        onScroll={look}
        onKeyDown={onKeyDown}
        tabIndex={0}
        role="log"
        aria-label={label}
        aria-busy={state.phase === 'loading'}
        className="h-full overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        {!hasItems && <NoRows state={state} empty={empty} />}
        <div className="relative mx-auto w-full max-w-3xl" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              className="absolute top-0 left-0 w-full px-3 md:px-4"
              style={{ transform: `translateY(${start}px)` }}
            >
              {items[index] && <ItemRow item={items[index]} />}
            </div>
          ))}
        </div>
      </div>
      {state.isLoadingOlder && <LoadingOlder />}
      {!isAtEnd && hasItems && (
        <Button icon="down" className="shadow-raised absolute bottom-3 left-1/2 -translate-x-1/2" onClick={scrollToEnd}>
          Newest
        </Button>
      )}
    </div>
  );
}

function LoadingOlder() {
  return (
    <p
      role="status"
      className="bg-surface border-line shadow-raised absolute top-2 left-1/2 -translate-x-1/2 rounded-full border px-3 py-1 text-xs"
    >
      Loading older rows…
    </p>
  );
}

/** In place of rows: they load, cannot be read, or there are none. */
function NoRows({ state, empty }: { state: FeedState; empty: string }) {
  if (state.phase === 'live')
    return (
      <EmptyState icon="sessions" title="Nothing was said yet">
        {empty}
      </EmptyState>
    );
  const { error } = state;
  return (
    <div className="mx-auto max-w-3xl p-4">
      {state.phase === 'loading' ? (
        <Skeleton lines={8} />
      ) : (
        <ErrorNote error={error instanceof Error ? error : new Error(String(error))} />
      )}
    </div>
  );
}

/** Scrolls again for some pictures: rows that are measured meanwhile move what is looked for. */
function untilMeasured(scroll: () => void): void {
  let left = settlingPictures;
  const settle = () => {
    scroll();
    left -= 1;
    if (left > 0) requestAnimationFrame(settle);
  };
  settle();
}

/** Scrolls to the row that the address names, once the rows up to it are read. */
function useBeginningAtRow(
  row: number | null,
  items: readonly Item[],
  virtual: { scrollToIndex(index: number, options: { align: 'start' }): void },
): void {
  const { feed } = useTranscript();
  const { phase, hasOlder } = useFeedState(feed);
  const isThere = useRef(row === null);
  useEffect(() => {
    if (row === null || phase !== 'live') return;
    void feed.loadThrough(row);
  }, [feed, phase, row]);
  useEffect(() => {
    if (isThere.current || row === null || items.length === 0) return;
    const sequence = (item: Item) => (item.kind === 'row' ? (feed.view.rows.get(item.rowId)?.sequence ?? 0) : 0);
    const isRead = !hasOlder || items.some((item) => item.kind === 'row' && sequence(item) <= row);
    if (!isRead || !items.some((item) => sequence(item) >= row)) return;
    isThere.current = true;
    untilMeasured(() => {
      const index = feed.view.items.findIndex((item) => sequence(item) >= row);
      virtual.scrollToIndex(Math.max(0, index - 1), { align: 'start' });
    });
  }, [feed, hasOlder, items, row, virtual]);
}

/** Looks where the reader is: older rows are read near the top, and the way to the newest is offered away from it. */
function useLook(
  frame: RefObject<HTMLDivElement | null>,
  items: readonly Item[],
): { isAtEnd: boolean; look: () => void } {
  const { feed } = useTranscript();
  const { hasOlder, isLoadingOlder } = useFeedState(feed);
  const [isAtEnd, setAtEnd] = useState(true);
  const look = useCallback(() => {
    const { current } = frame;
    if (current === null) return;
    setAtEnd(current.scrollHeight - current.scrollTop - current.clientHeight < nearEnd);
    if (hasOlder && !isLoadingOlder && current.scrollTop < nearTop) void feed.loadOlder();
  }, [feed, frame, hasOlder, isLoadingOlder]);
  useEffect(look, [look, items]);
  return { isAtEnd, look };
}
