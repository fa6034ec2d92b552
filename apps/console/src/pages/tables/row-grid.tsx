import { useEffect, useRef, useState, type CSSProperties, type KeyboardEvent, type RefObject } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { Rows } from '../../api/hooks';
import { classes, Icon, IconButton } from '../../ui';
import { Cell } from './cell';
import type { ColumnType } from './cell-values';
import type { Sort } from './row-filters';
import { identityOf, type Column, type Table, type TableRow } from './table-body';

const rowHeight = 36;
const headHeight = 36;
const openWidth = 44;
const loadAhead = 20;
const widths: Record<ColumnType, number> = {
  string: 220,
  number: 130,
  boolean: 110,
  date: 200,
  object: 260,
  array: 220,
  any: 220,
};

interface At {
  row: number;
  column: number;
}

/** Rows and columns of which only what is seen is rendered. One cell has the focus: arrow keys move it, Enter edits. */
export function RowGrid({
  table,
  rows: list,
  sort,
  onSort,
  onOpen,
}: {
  table: Table;
  rows: Rows<TableRow>;
  sort: Sort | null;
  onSort: ((field: string) => void) | null;
  onOpen: (rowId: string) => void;
}) {
  const { columns } = table.schema;
  const { rows, hasMore } = list;
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualRows(frame, list);
  const last = { row: rows.length - 1, column: columns.length - 1 };
  const { at, setAt, editing, setEditing, move, onKeyDown } = useCells(frame, virtual.scrollToIndex, last);
  const template = `${openWidth}px ${columns.map(({ type }) => `minmax(${widths[type]}px, 1fr)`).join(' ')}`;
  return (
    <div
      ref={frame}
      role="grid"
      aria-label={`Rows of ${table.name}`}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-busy={list.isStale}
      className="border-line bg-surface relative max-h-[68dvh] overflow-auto rounded-lg border"
      onKeyDown={onKeyDown}
    >
      <div style={{ minWidth: openWidth + columns.reduce((sum, { type }) => sum + widths[type], 0) }}>
        <Head columns={columns} identity={table.schema.identity_column} {...{ template, sort, onSort }} />
        <div
          role="rowgroup"
          className={classes('relative', list.isStale && 'opacity-60')}
          style={{ height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map(({ key, index, start }) => {
            const row = rows[index] as TableRow;
            return (
              <GridRow
                key={key}
                table={table}
                row={row}
                index={index}
                style={{ gridTemplateColumns: template, height: rowHeight, transform: `translateY(${start}px)` }}
                at={at}
                editing={editing}
                onOpen={() => onOpen(row.id)}
                onFocus={(column) => setAt({ row: index, column })}
                onEdit={(column) => setEditing({ row: index, column })}
                onLeave={(column, keepsFocus) => {
                  setEditing(null);
                  if (keepsFocus) move({ row: index, column });
                }}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Virtual rows of a list, of which more is loaded when the last one is near. */
function useVirtualRows(frame: RefObject<HTMLDivElement | null>, list: Rows<TableRow>) {
  const { rows, hasMore, isLoadingMore, loadMore } = list;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 10,
    scrollPaddingStart: headHeight,
  });
  const last = virtual.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - loadAhead) loadMore();
  }, [hasMore, isLoadingMore, last, rows.length, loadMore]);
  return virtual;
}

/** Which cell has the focus, which one is edited, and the keys for both. */
function useCells(frame: RefObject<HTMLDivElement | null>, scrollToRow: (row: number) => void, last: At) {
  const [at, setAt] = useState<At>({ row: 0, column: 0 });
  const [editing, setEditing] = useState<At | null>(null);
  const move = useFocus(frame, (to) => {
    setAt(to);
    scrollToRow(to.row);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (editing !== null) return;
    const to = movedBy(event, at, last);
    if (to !== null) {
      event.preventDefault();
      move(to);
    } else if ((event.key === 'Enter' || event.key === 'F2') && isCell(event.target)) {
      event.preventDefault();
      setEditing(at);
    }
  };
  return { at, setAt, editing, setEditing, move, onKeyDown };
}

function GridRow({
  table,
  row,
  index,
  style,
  at,
  editing,
  onOpen,
  onFocus,
  onEdit,
  onLeave,
}: {
  table: Table;
  row: TableRow;
  index: number;
  style: CSSProperties;
  at: At;
  editing: At | null;
  onOpen: () => void;
  onFocus: (column: number) => void;
  onEdit: (column: number) => void;
  onLeave: (column: number, keepsFocus: boolean) => void;
}) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="border-line hover:bg-hover absolute top-0 left-0 grid w-full border-b"
      style={style}
    >
      <div role="gridcell" className="flex items-center justify-center">
        <IconButton
          label={`Open row ${identityOf(table, row)}`}
          icon="external"
          className="size-7"
          tabIndex={-1}
          onClick={onOpen}
        />
      </div>
      {table.schema.columns.map((column, number) => (
        <Cell
          key={column.name}
          table={table}
          row={row}
          column={column}
          cellKey={`${index}:${number}`}
          isCurrent={at.row === index && at.column === number}
          isEditing={editing?.row === index && editing.column === number}
          onFocus={() => onFocus(number)}
          onEdit={() => onEdit(number)}
          onLeave={(keepsFocus) => onLeave(number, keepsFocus)}
        />
      ))}
    </div>
  );
}

/** Gives how to move to a cell: it has the focus once it is rendered. */
function useFocus(frame: RefObject<HTMLDivElement | null>, show: (to: At) => void): (to: At) => void {
  const wanted = useRef<At | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const { row, column } = wanted.current;
    const cell = frame.current?.querySelector<HTMLElement>(`[data-cell="${row}:${column}"]`);
    if (!cell) return;
    wanted.current = null;
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  return (to) => {
    wanted.current = to;
    show(to);
  };
}

const pageStep = 15;

function movedBy({ key, ctrlKey, metaKey, target }: KeyboardEvent, at: At, max: At): At | null {
  if (!isCell(target)) return null;
  const far = ctrlKey || metaKey;
  const moves: Record<string, At> = {
    ArrowDown: { ...at, row: at.row + 1 },
    ArrowUp: { ...at, row: at.row - 1 },
    ArrowRight: { ...at, column: at.column + 1 },
    ArrowLeft: { ...at, column: at.column - 1 },
    PageDown: { ...at, row: at.row + pageStep },
    PageUp: { ...at, row: at.row - pageStep },
    Home: { row: far ? 0 : at.row, column: 0 },
    End: { row: far ? max.row : at.row, column: max.column },
  };
  const to = moves[key];
  if (to === undefined) return null;
  return { row: within(to.row, max.row), column: within(to.column, max.column) };
}

function within(value: number, max: number): number {
  return Math.min(Math.max(value, 0), max);
}

function isCell(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.dataset['cell'] !== undefined;
}

function Head({
  columns,
  identity,
  template,
  sort,
  onSort,
}: {
  columns: readonly Column[];
  identity: string;
  template: string;
  sort: Sort | null;
  onSort: ((field: string) => void) | null;
}) {
  return (
    <div role="rowgroup" className="bg-sunken border-line sticky top-0 z-10 border-b">
      <div role="row" aria-rowindex={1} className="grid" style={{ gridTemplateColumns: template, height: headHeight }}>
        <div role="columnheader" aria-label="Row" />
        {columns.map(({ name, type, description }) => {
          const order = sort?.field === name ? sort.order : null;
          return (
            <div
              key={name}
              role="columnheader"
              aria-sort={order === null ? 'none' : order === 'asc' ? 'ascending' : 'descending'}
              title={description}
              className={classes('flex min-w-0 items-center px-2 text-xs', type === 'number' && 'justify-end')}
            >
              <button
                type="button"
                disabled={onSort === null}
                onClick={() => onSort?.(name)}
                className="flex min-w-0 items-center gap-1 font-medium"
              >
                <span className="truncate">{name}</span>
                <span className="text-muted font-normal">{name === identity ? 'identity' : type}</span>
                {order !== null && (
                  <span className={order === 'asc' ? 'rotate-180' : ''}>
                    <Icon name="down" size={14} />
                  </span>
                )}
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}
