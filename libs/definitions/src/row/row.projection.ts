import { collection, dueRow, type IndexValue, type ReadRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { RowEvent, RowRecord } from './row.events.js';
import { rowKind, type RowState } from './row.state.js';
import { tokensOf } from './row-tokens.state.js';

/** A row in the read model. While a batch has it staged, readers look up the batch's decision. */
export type RowDoc = RowRecord & { batch?: { id: string; kind: 'arriving' | 'leaving' } };

/** Rows of tables: scope organization and table, one for each identity's stream. */
export const rowsProjection: StreamProjection<RowState, RowEvent> = {
  name: 'tablerows',
  version: 1,
  kind: rowKind,
  rows({ state, id, revision }): ReadRow[] {
    const { org_id: orgId, table_id: tableId, row: settled, staged } = state;
    const base = { scope: [orgId, tableId], key: id, revision };
    const row = staged?.kind === 'arriving' ? staged.row : settled;
    if (!row) return [rowDocs.row({ ...base, doc: null, index: {} })];
    const doc: RowDoc = staged ? { ...row, batch: { id: staged.batch_id, kind: staged.kind } } : row;
    return [rowDocs.row({ ...base, doc, index: indexOf(row) })];
  },
};

export const rowDocs = collection<RowDoc>(rowsProjection);

function indexOf(row: RowRecord): Record<string, IndexValue> {
  const index: Record<string, IndexValue> = {
    created: `${row.created_at} ${row.id}`,
    updated: `${row.updated_at} ${row.id}`,
    words: tokensOf(row.data),
  };
  for (const [column, value] of Object.entries(row.index)) index[columnIndex(column)] = value;
  return index;
}

export function columnIndex(column: string): string {
  return `c:${column}`;
}

/** Timer handler that releases a batch after its writer died; the batch's first row keeps the deadline. */
export const batchDeadlineHandler = 'tablebatches.release';

export const batchDeadlineProjection: StreamProjection<RowState, RowEvent> = {
  name: 'tablebatch_deadlines',
  version: 1,
  kind: rowKind,
  on: new Set(['RowStaged', 'RowLeaving', 'StageSettled']),
  rows({ state: { org_id: orgId, staged }, id, revision }): ReadRow[] {
    const at = staged?.first ? Date.parse(staged.deadline_at) : null;
    return [
      dueRow({
        stream: `tablerow-${id}`,
        revision,
        name: 'batch',
        at,
        handler: batchDeadlineHandler,
        details: { org_id: orgId, slot: id, batch_id: staged?.batch_id ?? '' },
      }),
    ];
  },
};
