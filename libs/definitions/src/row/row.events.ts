import { defineEvents, event, type EventOf, type JsonObject } from '@aos/kernel';

/**
 * The table of a row as it stood when something happened to the row: says to whom and under which name it is published.
 */
export type RowTable = { name: string; visibility: 'private' | 'organization'; owner_id: string | null };

/** A row as it stands. */
export type RowRecord = {
  /** `row_...`. */
  id: string;
  org_id: string;
  table_id: string;
  /** Value of the identity column. */
  identity: string;
  data: JsonObject;
  /** Values by which it is found, by column (`TableDefinition.row_indexes` of that time). */
  index: Record<string, string | number>;
  /** Starts at 1 and grows with each change. */
  version: number;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
};

/** What a batch says in each row stream it touches. */
export type StageMark = {
  batch_id: string;
  /** The first one of a batch keeps its deadline. */
  first: boolean;
  /** RFC 3339: from then on every process may release the batch. */
  deadline_at: string;
};

export type RowWritten = {
  row: RowRecord;
  table: RowTable;
  /** Command that brought it about, when it came with a delivery id. */
  delivery_id: string | null;
};

export type RowRewritten = RowWritten & { previous_data: JsonObject; changed_columns: string[] };

export type RowLeaving = {
  org_id: string;
  row_id: string;
  /** Stream id of the row's new identity. */
  to: string;
  mark: StageMark;
};

export const rowEvents = defineEvents({
  RowInserted: event<RowWritten>(1),
  RowUpdated: event<RowRewritten>(1),
  /** `row` is the row as it was. */
  RowDeleted: event<RowWritten & { actor_id: string; deleted_at: string }>(1),
  /**
   * The row is here as soon as its batch is committed. `moved_from`: it comes from another identity's stream, with what
   * it was before.
   */
  RowStaged: event<
    RowWritten & { mark: StageMark; moved_from: { previous_data: JsonObject; changed_columns: string[] } | null }
  >(1),
  /** The row is gone from here as soon as its batch is committed: it has another identity then. */
  RowLeaving: event<RowLeaving>(1),
  /** A command that changed nothing: its repeat must change nothing either, even when the row differs by then. */
  DeliveryNoted: event<{ org_id: string; row_id: string; delivery_id: string }>(1),
  /** The row was removed because its table was deleted; this is not published. */
  RowDropped: event<{ org_id: string; row_id: string }>(1),
  /** The outcome of the batch, written by the next writer of this stream. */
  StageSettled: event<{ org_id: string; batch_id: string; outcome: 'committed' | 'released' }>(1),
});
export type RowEvent = EventOf<typeof rowEvents>;
