import { defineEvents, event, type EventOf } from '@aos/kernel';

/** One row of a batch: the stream that holds its staged event, and where in it. */
export type BatchRow = {
  row_id: string;
  /** Id of the `tablerow-` stream. */
  slot: string;
  revision: number;
};

export const batchEvents = defineEvents({
  /** From this event on, every reader sees all staged rows of the batch. */
  BatchCommitted: event<{ org_id: string; table_id: string; rows: BatchRow[] }>(1),
  /** The staged rows of the batch count as absent. */
  BatchReleased: event<{ org_id: string }>(1),
});
export type BatchEvent = EventOf<typeof batchEvents>;
