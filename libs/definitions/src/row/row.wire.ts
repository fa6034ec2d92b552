import type { Schema } from '@aos/contract';
import type { RowRecord } from './row.events.js';

/** A row as the contract shows it. */
export function rowWire({ id, table_id, data, version, created_at, updated_at }: RowRecord): Schema<'TableRow'> {
  return { id, table_id, data, version, created_at, updated_at };
}

export type RowPage = { rows: RowRecord[]; next_cursor: string | null; limit: number };

/** A page of rows as the contract shows it. */
export function pageWire({ rows, next_cursor: next, limit }: RowPage): Schema<'TableRowQueryListResponse'> {
  const page = { items: rows.map(rowWire), has_more: next !== null, limit };
  return next === null ? page : { ...page, next_cursor: next };
}
