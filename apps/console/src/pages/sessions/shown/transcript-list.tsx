import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Button, EmptyState, ErrorNote, Skeleton } from '../../../ui';
import { ItemRow } from './item-row';
import { useTranscript } from './transcript-context';
import type { Item } from './transcript-items';

/** Older rows are read when so many pixels are left above. */
const nearTop = 1_500;
const estimates: Readonly<Record<Item['kind'], number>> = { row: 110, turn: 36, end: 40, question: 220 };

/**
 * The transcript, of which only what is seen is rendered. It stays at its end while it is there; elsewhere what is
 * read stays where it is, whatever joins above.
 */
export function TranscriptList({
  empty,
  label = 'Transcript',
  row = null,
}: {
  empty: string;
  label?: string;
  /** Sequence of a row to begin at, in place of the end. */
  row?: number | null;
}) {
  const { feed } = useTranscript();
  const items = useSyncExternalStore(
    useCallback((changed) => feed.view.subscribe(changed), [feed]),
    () => feed.view.items,
  );
  const state = useSyncExternalStore(
    useCallback((changed) => feed.subscribe(changed), [feed]),
    () => feed.state,
  );
  const frame = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => estimates[items[index]?.kind ?? 'row'],
    getItemKey: (index) => items[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: 80,
    overscan: 6,
    paddingStart: 16,
    paddingEnd: 24,
    gap: 10,
    useAnimationFrameWithResizeObserver: false,
  });

  const hasItems = items.length > 0;
  useEffect(() => {
    if (hasItems && row === null) virtual.scrollToEnd({ behavior: 'auto' });
  }, [hasItems, row, virtual]);
  const isAtRow = useRef(row === null);
  useEffect(() => {
    if (isAtRow.current || row === null || state.phase !== 'live') return;
    void feed.loadThrough(row).then(() => feed.view.flush());
    const index = items.findIndex(
      (item) => item.kind === 'row' && (feed.view.rows.get(item.rowId)?.sequence ?? 0) >= row,
    );
    if (index < 0 || (state.hasOlder && index === 0)) return;
    isAtRow.current = true;
    virtual.scrollToIndex(Math.max(0, index - 1), { align: 'start' });
  }, [feed, items, row, state, virtual]);

  const { hasOlder, isLoadingOlder } = state;
  const look = useCallback(() => {
    const { current } = frame;
    if (current === null) return;
    setAtEnd(current.scrollHeight - current.scrollTop - current.clientHeight < 120);
    if (hasOlder && !isLoadingOlder && current.scrollTop < nearTop) void feed.loadOlder();
  }, [feed, hasOlder, isLoadingOlder]);
  useEffect(look, [look, items]);

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={frame}
        onScroll={look}
        tabIndex={0}
        role="log"
        aria-label={label}
        aria-busy={state.phase === 'loading'}
        className="h-full overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        {state.phase === 'loading' && (
          <div className="mx-auto max-w-3xl p-4">
            <Skeleton lines={8} />
          </div>
        )}
        {state.phase === 'failed' && (
          <div className="mx-auto max-w-3xl p-4">
            <ErrorNote error={state.error instanceof Error ? state.error : new Error(String(state.error))} />
          </div>
        )}
        {state.phase === 'live' && !hasItems && (
          <EmptyState icon="sessions" title="Nothing was said yet">
            {empty}
          </EmptyState>
        )}
        <div className="relative mx-auto w-full max-w-3xl" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => {
            const item = items[index];
            return (
              item && (
                <div
                  key={key}
                  data-index={index}
                  ref={virtual.measureElement}
                  className="absolute top-0 left-0 w-full px-3 md:px-4"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <ItemRow item={item} />
                </div>
              )
            );
          })}
        </div>
      </div>
      {isLoadingOlder && (
        <p
          role="status"
          className="bg-surface border-line shadow-raised absolute top-2 left-1/2 -translate-x-1/2 rounded-full border px-3 py-1 text-xs"
        >
          Loading older rows…
        </p>
      )}
      {!isAtEnd && hasItems && (
        <Button
          icon="down"
          className="shadow-raised absolute bottom-3 left-1/2 -translate-x-1/2"
          onClick={() => virtual.scrollToEnd({ behavior: 'auto' })}
        >
          Newest
        </Button>
      )}
    </div>
  );
}
