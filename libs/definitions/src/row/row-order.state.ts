import type { Schema } from '@aos/contract';
import { badRequest, type Json, type QueryCursor } from '@aos/kernel';
import type { TableDefinition } from '../table/table.events.js';
import { columnOf } from '../table/table.state.js';
import type { RowRecord } from './row.events.js';
import { indexKindOf, isKnown, valueOf } from './row-filter.state.js';
import { columnIndex } from './row.projection.js';
import { sortedTextMax } from './row.limits.js';
import { timeOf } from '../table/value.limits.js';

/** Position of a row in an order that no index keeps: its values and its stream. */
export interface SortedCursor {
  values: (string | number | null)[];
  key: string;
}

/** Bytes of a cursor's text: ten sort keys of texts whose characters take six bytes each, and a key. */
export const cursorBytesMax = 16 * 1024;

/** How rows are ordered: along an index, or by values of each row. */
export type RowOrder =
  | { along: { index: string; direction: 'asc' | 'desc' } }
  | {
      along: null;
      cursor(row: RowRecord, key: string): SortedCursor;
      compare(a: SortedCursor, b: SortedCursor): number;
    };

/** Texts that sort like creation and change have an index of their own. */
const factIndexes: ReadonlyMap<string, string> = new Map([
  ['created_at', 'created'],
  ['updated_at', 'updated'],
]);

/**
 * Takes    the sort keys of a query; none means creation order.
 * Gives    an order along an index when there is one for it. Rows without a value come last; of texts the first 256
 *          characters count.
 * Refuses  bad_request for a field that rows cannot have.
 */
export function rowOrder(table: TableDefinition, sort: readonly Schema<'RowSort'>[]): RowOrder {
  const unknown = sort.findIndex(({ field }) => !isKnown(table, field));
  if (unknown >= 0) throw badRequest([{ path: `/sort/${unknown}/field`, message: 'is not a column of this table' }]);
  const [first] = sort;
  if (!first) return { along: { index: 'created', direction: 'asc' } };
  if (sort.length === 1) {
    const direction = first.order ?? 'asc';
    if (indexKindOf(table, first.field)) return { along: { index: columnIndex(first.field), direction } };
    const fact = columnOf(table.schema, first.field) ? undefined : factIndexes.get(first.field);
    if (fact !== undefined) return { along: { index: fact, direction } };
  }
  const signs = sort.map(({ order }) => (order === 'desc' ? -1 : 1));
  return {
    along: null,
    cursor: (row, key) => ({ values: sort.map(({ field }) => sortable(table, field, row)), key }),
    compare: (a, b) => {
      for (const [index, sign] of signs.entries()) {
        const order = compareSortable(a.values[index] ?? null, b.values[index] ?? null, sign);
        if (order !== 0) return order;
      }
      return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
    },
  };
}

function sortable(table: TableDefinition, field: string, row: RowRecord): string | number | null {
  const value: Json | undefined = valueOf(table, field, row);
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return null;
  return columnOf(table.schema, field)?.type === 'date' ? timeOf(value) : value.slice(0, sortedTextMax);
}

/** Rows without a value come last in both directions; numbers come before texts. */
function compareSortable(a: string | number | null, b: string | number | null, sign: number): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  if (typeof a === 'string' && typeof b === 'string') return sign * Buffer.compare(Buffer.from(a), Buffer.from(b));
  return sign * (typeof a === 'number' ? -1 : 1);
}

/** Reads the position that a cursor holds. */
export function sortedCursor(text: string): QueryCursor & SortedCursor {
  const [value, key, values] = JSON.parse(text) as [number | string | null, string, (string | number | null)[]];
  return { value, key, values };
}

export function cursorText(cursor: QueryCursor | SortedCursor): string {
  return 'values' in cursor
    ? JSON.stringify([null, cursor.key, cursor.values])
    : JSON.stringify([cursor.value, cursor.key, []]);
}
