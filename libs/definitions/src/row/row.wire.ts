import type { JsonObject } from '@aos/kernel';
import type { RowRecord } from './row.events.js';

/** A row as the contract shows it. */
export function rowWire({ id, table_id, data, version, created_at, updated_at }: RowRecord): JsonObject {
  return { id, table_id, data, version, created_at, updated_at };
}
