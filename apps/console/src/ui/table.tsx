import type { KeyboardEvent, ReactNode } from 'react';
import type { Rows } from '../api/hooks';
import { Button } from './button';
import { classes } from './class-names';
import { ErrorNote, LacksNote } from './error-note';
import { moveByArrows } from './list-keys';
import { Skeleton } from './skeleton';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand right. */
  align?: 'right';
  /** Left out on narrow screens. */
  wideOnly?: boolean;
}

interface TableProps<Row> {
  label: string;
  list: Rows<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  empty: ReactNode;
  /** Without a frame, inside a card. */
  bare?: boolean;
}

/**
 * The rows of a list, with what stands in their stead while they load, when there are none, and when they cannot be
 * read. The first column holds the row's link: arrow keys move between these, Enter opens.
 */
export function Table<Row>({ bare = false, ...table }: TableProps<Row>) {
  const { list, empty } = table;
  if (list.lacks !== null) return <LacksNote permission={list.lacks} />;
  if (list.error !== null && list.rows.length === 0) return <ErrorNote error={list.error} onRetry={list.reload} />;
  if (list.isPending || list.rows.length === 0)
    return <Frame bare={bare}>{list.isPending ? <Skeleton lines={6} padded /> : empty}</Frame>;
  return (
    <div className="flex flex-col gap-3">
      {list.error && <ErrorNote error={list.error} onRetry={list.reload} />}
      <Frame bare={bare}>
        <Grid {...table} />
      </Frame>
      {list.hasMore && (
        <div className="flex justify-center">
          <Button onClick={list.loadMore} busy={list.isLoadingMore}>
            {list.isLoadingMore ? 'Loading…' : 'Load more'}
          </Button>
        </div>
      )}
    </div>
  );
}

function Grid<Row>({ label, list, columns, rowKey }: TableProps<Row>) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => moveByArrows(event, '[data-row] a[href], [data-row] button');
  const shape = ({ align, wideOnly }: Column<Row>) =>
    classes('px-4 py-2', align && 'text-right tabular-nums', wideOnly && 'max-md:hidden');
  return (
    <table
      aria-label={label}
      aria-busy={list.isStale}
      className="w-full border-collapse text-left"
      onKeyDown={onKeyDown}
    >
      <thead>
        <tr className="text-muted text-xs">
          {columns.map((column) => (
            <th key={column.title} scope="col" className={classes(shape(column), 'font-medium whitespace-nowrap')}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className={classes(list.isStale && 'opacity-60')}>
        {list.rows.map((row) => (
          <tr key={rowKey(row)} data-row className="border-line hover:bg-hover focus-within:bg-hover relative border-t">
            {columns.map((column, at) => (
              <td
                key={column.title}
                className={classes(shape(column), at === 0 && 'w-1/2 max-w-0 truncate font-medium')}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Frame({ bare, children }: { bare: boolean; children: ReactNode }) {
  return (
    <div className={classes('overflow-x-auto', !bare && 'border-line bg-surface rounded-lg border')}>{children}</div>
  );
}
