import type { Schema } from '@aos/contract';
import { collection, dueRow, type Identity, type ReadRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import { custodyWire } from '../definition/custody.wire.js';
import { definitionProjection } from '../definition/definition.projection.js';
import type { DefinitionState } from '../definition/definition.state.js';
import type { TableDefinition, TableEvent } from './table.events.js';
import { rowsLeaveAfterMs } from './table.limits.js';
import { tableKind, type TableRecord } from './table.state.js';

export const tablesProjection = definitionProjection('tables', 1, tableKind, () => ({}));

export const tableRecords = collection<TableRecord>(tablesProjection);

/** Timer handler that removes the rows of a deleted table. */
export const emptyTableHandler = 'tables.empty';

/** Deleted tables that still have rows to remove: one timer for each. */
export const tableEmptyingProjection: StreamProjection<DefinitionState<TableDefinition>, TableEvent> = {
  name: 'table_emptying',
  version: 1,
  kind: tableKind,
  on: new Set(['TableDeleted', 'TableEmptied']),
  rows({ state: { record }, id, revision }): ReadRow[] {
    if (!record) return [];
    const isLeft = record.deleted_at !== null && record.wire.emptied_at === undefined;
    const at = isLeft ? Date.parse(record.deleted_at ?? '') + rowsLeaveAfterMs : null;
    return [
      dueRow({
        stream: `${tableKind.category}-${id}`,
        revision,
        name: 'rows',
        at,
        handler: emptyTableHandler,
        details: { org_id: record.org_id, table_id: id },
      }),
    ];
  },
};

/** A table as the contract shows it to this caller. */
export function tableWire(record: TableRecord, who: Pick<Identity, 'principalId'>): Schema<'Table'> {
  const { row_indexes: _kept, was_open: _before, emptied_at: _gone, ...fields } = record.wire;
  return {
    id: record.id,
    ...fields,
    ...custodyWire(record, who),
    created_by: record.created_by,
    updated_by: record.updated_by,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}
