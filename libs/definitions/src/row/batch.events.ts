import { defineEvents, event, type EventOf } from '@aos/kernel';

/** One row of a batch: the stream that holds its staged event, and where in it. */
export interface BatchRow {
  row_id: string;
  /** Id of the `tablerow-` stream. */
  slot: string;
  revision: number;
}

export const batchEvents = defineEvents({
  /** Every staged row of the batch stands, at once, for every reader. */
  BatchCommitted: event<{ org_id: string; table_id: string; rows: BatchRow[] }>(1),
  /** None of them does: they count as absent. */
  BatchReleased: event<{ org_id: string }>(1),
});
export type BatchEvent = EventOf<typeof batchEvents>;
