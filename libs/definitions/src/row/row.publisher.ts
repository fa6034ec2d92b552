import type { EventFamily, JsonObject, OpenedEvent, PublicEvent, Publisher } from '@aos/kernel';
import { batchEvents, type BatchRow } from './batch.events.js';
import { rowEvents, type RowEvent, type RowRecord, type RowTable } from './row.events.js';

const operations = ['inserted', 'updated', 'deleted'] as const;
type Operation = (typeof operations)[number];
type Staged = Extract<RowEvent, { type: 'RowStaged' }>['data'];

const family: EventFamily = {
  prefix: 'table',
  displayName: 'Tables',
  description: 'Rows of tables.',
  types: operations.map((verb) => ({
    name: `table.row.${verb}`,
    description: `A row was ${verb}.`,
    sourceKind: 'table_row',
    schema: 'TableRowEvent',
    routing: ['table_name', 'table_id', 'row_id'],
  })),
};

/** Publishes changes of single rows (rule E14). A staged row is published with its batch. */
export const rowPublisher: Publisher = {
  prefix: 'tablerow-',
  events: rowEvents,
  publishes: new Set(['RowInserted', 'RowUpdated', 'RowDeleted']),
  family,
  publish(opened) {
    const event = { type: opened.type, data: opened.data } as RowEvent;
    switch (event.type) {
      case 'RowInserted':
        return [rowEvent('inserted', event.data.row, event.data.table, event.data.row.updated_by)];
      case 'RowUpdated':
        return [updateEvent(event.data.row, event.data.table, event.data)];
      case 'RowDeleted':
        return [rowEvent('deleted', event.data.row, event.data.table, event.data.actor_id)];
      default:
        return [];
    }
  },
};

/** Publishes the rows of a committed batch in its order, each from its own staged event (ARCHITECTURE.md section 3). */
export const batchPublisher: Publisher = {
  prefix: 'tablebatch-',
  events: batchEvents,
  publishes: new Set(['BatchCommitted']),
  family,
  needs: ({ data }) =>
    (data as { rows: BatchRow[] }).rows.map(({ slot, revision }) => ({ stream: `tablerow-${slot}`, revision })),
  publish(_event, staged) {
    return staged.map((one) => {
      const { row, table, moved_from: movedFrom } = stagedIn(one);
      const published = movedFrom
        ? updateEvent(row, table, movedFrom)
        : rowEvent('inserted', row, table, row.updated_by);
      return { ...published, event_id: one.id };
    });
  },
};

function stagedIn(event: OpenedEvent): Staged {
  if (event.type !== 'RowStaged') throw new Error(`${event.stream}@${event.revision} is no staged row`);
  return event.data as Staged;
}

function updateEvent(
  row: RowRecord,
  table: RowTable,
  { previous_data, changed_columns }: { previous_data: JsonObject; changed_columns: string[] },
): PublicEvent {
  const published = rowEvent('updated', row, table, row.updated_by);
  return { ...published, event: { ...published.event, previous_data, changed_columns } };
}

function rowEvent(operation: Operation, row: RowRecord, table: RowTable, actorId: string): PublicEvent {
  const named = { table_name: table.name, table_id: row.table_id, row_id: row.id };
  const event: JsonObject = {
    ...named,
    identity: row.identity,
    data: row.data,
    version: row.version,
    actor_id: actorId,
  };
  return {
    event_type: `table.row.${operation}`,
    source_kind: 'table_row',
    source_id: row.id,
    event,
    routing: { ...named },
    reach: { table_id: row.table_id },
  };
}
