import type { Schema } from '@aos/contract';
import type { RowRecord } from './row.events.js';

/** A row as the contract shows it. */
export function rowWire({ id, table_id, data, version, created_at, updated_at }: RowRecord): Schema<'TableRow'> {
  return { id, table_id, data, version, created_at, updated_at };
}
