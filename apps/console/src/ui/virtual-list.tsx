import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { moveByArrows } from './list-keys';

/** A long list of which only what is seen is rendered. Rows may have any height: they are measured. */
export function VirtualList<Row>({
  label,
  rows,
  rowKey,
  render,
  estimatedHeight = 36,
  className = 'h-[60dvh]',
  onEnd,
}: {
  label: string;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  render: (row: Row, index: number) => ReactNode;
  estimatedHeight?: number;
  className?: string;
  /** The last row is near: more can be loaded. */
  onEnd?: () => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => estimatedHeight,
    getItemKey: (index) => rowKey(rows[index] as Row),
    overscan: 12,
    onChange: ({ range }) => {
      if (range !== null && range.endIndex >= rows.length - 1) onEnd?.();
    },
  });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => moveByArrows(event, '[data-row] a[href], [data-row] button');
  return (
    <div
      ref={frame}
      className={`overflow-y-auto ${className}`}
      tabIndex={0}
      role="region"
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      <ul aria-label={label} className="relative w-full" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => (
          <li
            key={key}
            data-row
            data-index={index}
            ref={virtual.measureElement}
            aria-setsize={rows.length}
            aria-posinset={index + 1}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${start}px)` }}
          >
            {render(rows[index] as Row, index)}
          </li>
        ))}
      </ul>
    </div>
  );
}
