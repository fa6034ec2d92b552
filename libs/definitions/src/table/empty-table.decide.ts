import type { TableEvent } from './table.events.js';
import type { TableRecord } from './table.state.js';

/** Says that no row of a deleted table stands any more; nothing when that was said, or when it lives. */
export function emptyTable(at: string, record: TableRecord): TableEvent[] {
  if (record.deleted_at === null || record.wire.emptied_at !== undefined) return [];
  return [{ type: 'TableEmptied', data: { record: { ...record, wire: { ...record.wire, emptied_at: at } } } }];
}
