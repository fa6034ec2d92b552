import type { TableEvent } from './table.events.js';
import type { TableRecord } from './table.state.js';

/** Records that all rows of a deleted table are gone; gives no event when that is recorded, or when the table lives. */
export function emptyTable(at: string, record: TableRecord): TableEvent[] {
  if (record.deleted_at === null || record.wire.emptied_at !== undefined) return [];
  return [{ type: 'TableEmptied', data: { record: { ...record, wire: { ...record.wire, emptied_at: at } } } }];
}
