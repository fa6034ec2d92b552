import { Refusal, badRequest, notFound, type JsonObject } from '@aos/kernel';
import type { TableDefinition } from '../table/table.events.js';
import type { RowEvent, RowRecord, RowTable, StageMark } from './row.events.js';
import { changedColumns, dataIssues, rowIndexOf, withDefaults } from './row.limits.js';
import { nextRowId, type Delivered, type RowState } from './row.state.js';
import type { BatchOutcome } from './batch.state.js';

/** A row stream as a writer judges it: every batch in it is decided. */
export interface SettledSlot {
  slot: string;
  row: RowRecord | null;
  issued: number;
  deliveries: readonly Delivered[];
  /** What has to be written first. */
  first: RowEvent[];
}

/**
 * Takes    a stream's state and the outcome of the batch that staged a row in it (null: no batch did).
 * Gives    the stream as that leaves it, and the event that says so.
 */
export function settledSlot(slot: string, state: RowState, outcome: BatchOutcome | null): SettledSlot {
  const { staged, row, issued, deliveries } = state;
  if (!staged || outcome === null) return { slot, row, issued, deliveries, first: [] };
  const first: RowEvent[] = [
    { type: 'StageSettled', data: { org_id: state.org_id, batch_id: staged.batch_id, outcome } },
  ];
  if (outcome === 'released') return { slot, row, issued, deliveries, first };
  if (staged.kind === 'leaving') return { slot, row: null, issued, deliveries, first };
  const told =
    staged.delivery_id === null ? [] : [{ id: staged.delivery_id, row_id: staged.row.id, created: staged.created }];
  return { slot, row: staged.row, issued, deliveries: [...deliveries, ...told], first };
}

/** A command at a row's stream: which stream it is, and the outcome of the batch that staged a row there. */
export interface SlotCommand<C> {
  slot: string;
  outcome: BatchOutcome | null;
  command: C;
}

/** Lifts a decide function of a stream without an undecided batch to one of the stream's state. */
export function ofSettled<C>(
  decide: (command: C, slot: SettledSlot) => RowEvent[],
): (command: SlotCommand<C>, state: RowState) => RowEvent[] {
  return ({ slot, outcome, command }, state) => decide(command, settledSlot(slot, state, outcome));
}

export interface RowCommand {
  principalId: string;
  /** RFC 3339. */
  at: string;
  table: RowTable;
  deliveryId: string | null;
}

/** A table as its rows' data is judged by it. */
export interface RowForm {
  org_id: string;
  id: string;
  wire: Pick<TableDefinition, 'schema' | 'row_indexes'>;
}

/** Data to merge into a row. */
export interface RowMerge extends RowCommand {
  form: RowForm;
  given: JsonObject;
}

/** The row that is meant, and the version it must have (null: any). */
export interface WantedRow {
  rowId: string;
  version: number | null;
}

export type NewRowParts = Pick<RowRecord, 'org_id' | 'table_id' | 'identity' | 'data' | 'index'>;

/** How a command that was carried out before ended; null: it was not. */
export function deliveredBefore(slot: SettledSlot, deliveryId: string | null): Delivered | null {
  return deliveryId === null ? null : (slot.deliveries.find(({ id }) => id === deliveryId) ?? null);
}

/** A new row's parts from what was given. Refuses bad_request with pointers below `at`. */
export function newRowParts({ org_id, id, wire }: RowForm, given: JsonObject, at: string): NewRowParts {
  const data = withDefaults(wire.schema, given);
  const issues = dataIssues(wire.schema, data, 'whole', at);
  if (issues.length > 0) throw badRequest(issues);
  const identity = String(data[wire.schema.identity_column]);
  return { org_id, table_id: id, identity, data, index: rowIndexOf(wire, data) };
}

function newRow(command: RowCommand, parts: NewRowParts, slot: SettledSlot): RowRecord {
  const { principalId, at } = command;
  return {
    id: nextRowId(slot.slot, slot.issued),
    ...parts,
    version: 1,
    created_by: principalId,
    created_at: at,
    updated_by: principalId,
    updated_at: at,
  };
}

/**
 * A new row of an identity.
 *
 * Refuses  already_exists {row_id} while a live row has the identity (rule R31).
 */
export function insertRow(command: RowCommand & { parts: NewRowParts }, slot: SettledSlot): RowEvent[] {
  if (deliveredBefore(slot, command.deliveryId)) return [];
  requireFree(slot);
  const { table, deliveryId } = command;
  return [
    ...slot.first,
    { type: 'RowInserted', data: { row: newRow(command, command.parts, slot), table, delivery_id: deliveryId } },
  ];
}

/** A new row that stands when its batch is committed. Refuses as `insertRow`. */
export function stageRow(command: RowCommand & { parts: NewRowParts; mark: StageMark }, slot: SettledSlot): RowEvent[] {
  requireFree(slot);
  const { table, deliveryId, parts, mark } = command;
  const row = newRow(command, parts, slot);
  return [...slot.first, { type: 'RowStaged', data: { row, table, delivery_id: deliveryId, mark, moved_from: null } }];
}

/** What a change makes of a row. */
export interface RowChange {
  /** Whole data after the merge. */
  data: RowRecord['data'];
  index: RowRecord['index'];
  identity: string;
}

/** What a partial write makes of a row. Refuses bad_request for what is given, and when the whole is too large. */
function mergedRow({ wire }: RowForm, row: RowRecord, given: JsonObject): RowChange {
  const { schema } = wire;
  const data = { ...row.data, ...given };
  // what it has already stays: members that are not declared, and values from before their column was
  const columns = schema.columns.filter(({ name }) => Object.hasOwn(given, name));
  const issues = dataIssues({ ...schema, columns, open: true }, data, 'part', '/data');
  if (issues.length > 0) throw badRequest(issues);
  return { data, identity: String(data[schema.identity_column] ?? row.identity), index: rowIndexOf(wire, data) };
}

/**
 * Merges data into a row in its stream. A row with equal values stays as it is (rule E15): only the delivery id is
 * noted, so that a late repeat cannot undo later changes.
 *
 * Gives    no event for a row that takes another identity: it goes to another stream (`changeOfIdentity`).
 * Refuses  not_found when another row or none is here; version_conflict {current_version} (rule R32); bad_request.
 */
export function updateRow(command: RowMerge & WantedRow, slot: SettledSlot): RowEvent[] {
  if (deliveredBefore(slot, command.deliveryId)) return [];
  const row = requireRow(slot, command);
  const change = mergedRow(command.form, row, command.given);
  if (change.identity !== row.identity) return [];
  const rewritten = rewrittenRow(command, row, change);
  if (!rewritten) return command.deliveryId === null ? [] : [...slot.first, noteOf(row, command.deliveryId)];
  return [
    ...slot.first,
    { type: 'RowUpdated', data: { ...rewritten, table: command.table, delivery_id: command.deliveryId } },
  ];
}

/** The row that a command gives another identity, and what it makes of the row; null for any other command. */
export function changeOfIdentity(
  command: RowMerge & WantedRow,
  slot: SettledSlot,
): { row: RowRecord; change: RowChange } | null {
  if (deliveredBefore(slot, command.deliveryId)) return null;
  const row = requireRow(slot, command);
  const change = mergedRow(command.form, row, command.given);
  return change.identity === row.identity ? null : { row, change };
}

/** Inserts, or merges into the live row of the same identity (rule R33). Refuses bad_request. */
export function upsertRow(command: RowMerge, slot: SettledSlot): RowEvent[] {
  const { form, given } = command;
  if (!slot.row) return insertRow({ ...command, parts: newRowParts(form, given, '/data') }, slot);
  return updateRow({ ...command, rowId: slot.row.id, version: null }, slot);
}

function noteOf({ org_id, id }: RowRecord, deliveryId: string): RowEvent {
  return { type: 'DeliveryNoted', data: { org_id, row_id: id, delivery_id: deliveryId } };
}

/** A row after a change, with what it was before. */
export interface RewrittenRow {
  row: RowRecord;
  previous_data: RowRecord['data'];
  changed_columns: string[];
}

/** The row after a change; null when no value differs. */
export function rewrittenRow(
  { principalId, at }: RowCommand,
  row: RowRecord,
  { data, index, identity }: RowChange,
): RewrittenRow | null {
  const columns = changedColumns(row.data, data);
  if (columns.length === 0) return null;
  const next = { ...row, data, index, identity, version: row.version + 1, updated_by: principalId, updated_at: at };
  return { row: next, previous_data: row.data, changed_columns: columns };
}

/** Deletes a row. Refuses not_found. */
export function deleteRow(command: RowCommand & { rowId: string }, slot: SettledSlot): RowEvent[] {
  if (deliveredBefore(slot, command.deliveryId)) return [];
  const row = requireRow(slot, { rowId: command.rowId, version: null });
  const { principalId, at, table, deliveryId } = command;
  return [
    ...slot.first,
    { type: 'RowDeleted', data: { row, table, delivery_id: deliveryId, actor_id: principalId, deleted_at: at } },
  ];
}

/**
 * Removes the row of a deleted table and settles a batch that staged one there. Without a row, only the settling event
 * is given, if any.
 */
export function dropRow(_command: null, { row, first }: SettledSlot): RowEvent[] {
  return row ? [...first, { type: 'RowDropped', data: { org_id: row.org_id, row_id: row.id } }] : first;
}

/** Records the outcome of the batch that staged a row here; nothing where no batch did. */
export function settleStage(_command: null, { first }: SettledSlot): RowEvent[] {
  return first;
}

/** A row that takes this identity when its batch is committed. Refuses already_exists {row_id}. */
export function stageArrival(
  { moved, mark, table, deliveryId }: RowCommand & { moved: RewrittenRow; mark: StageMark },
  slot: SettledSlot,
): RowEvent[] {
  requireFree(slot);
  const { row, previous_data, changed_columns } = moved;
  const movedFrom = { previous_data, changed_columns };
  return [
    ...slot.first,
    { type: 'RowStaged', data: { row, table, delivery_id: deliveryId, mark, moved_from: movedFrom } },
  ];
}

/**
 * The row gives its identity up when the batch is committed. Refuses version_conflict when it changed since it was
 * judged.
 */
export function stageLeaving(
  { judged, to, mark }: { judged: RowRecord; to: string; mark: StageMark },
  slot: SettledSlot,
): RowEvent[] {
  requireRow(slot, { rowId: judged.id, version: judged.version });
  return [...slot.first, { type: 'RowLeaving', data: { org_id: judged.org_id, row_id: judged.id, to, mark } }];
}

function requireRow({ row }: SettledSlot, { rowId, version }: WantedRow): RowRecord {
  if (row?.id !== rowId) throw notFound('row');
  if (version !== null && version !== row.version) {
    throw new Refusal('version_conflict', { current_version: row.version }, `the row is at version ${row.version}`);
  }
  return row;
}

function requireFree({ row }: SettledSlot): void {
  if (row) throw new Refusal('already_exists', { row_id: row.id }, 'a row of this identity exists');
}
