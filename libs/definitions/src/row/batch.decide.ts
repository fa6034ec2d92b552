import type { BatchEvent, BatchRow } from './batch.events.js';
import type { BatchState } from './batch.state.js';

/** Commits a batch that is not decided yet. */
export function commitBatch(
  { orgId, tableId, rows }: { orgId: string; tableId: string; rows: BatchRow[] },
  { outcome }: BatchState,
): BatchEvent[] {
  return outcome ? [] : [{ type: 'BatchCommitted', data: { org_id: orgId, table_id: tableId, rows } }];
}

/** Releases a batch that is not decided yet. */
export function releaseBatch({ orgId }: { orgId: string }, { outcome }: BatchState): BatchEvent[] {
  return outcome ? [] : [{ type: 'BatchReleased', data: { org_id: orgId } }];
}
