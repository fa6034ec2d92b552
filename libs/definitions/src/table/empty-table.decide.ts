import type { DefinitionState } from '../definition/definition.state.js';
import type { TableDefinition, TableEvent } from './table.events.js';

/** Records that all rows of a deleted table are gone; gives no event when that is recorded, or when the table lives. */
export function emptyTable({ at }: { at: string }, { record }: DefinitionState<TableDefinition>): TableEvent[] {
  if (!record || record.deleted_at === null || record.wire.emptied_at !== undefined) return [];
  return [{ type: 'TableEmptied', data: { record: { ...record, wire: { ...record.wire, emptied_at: at } } } }];
}
