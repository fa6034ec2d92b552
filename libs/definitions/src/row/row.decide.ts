import { Refusal, notFound } from '@aos/kernel';
import type { RowEvent, RowRecord, RowTable, StageMark } from './row.events.js';
import { changedColumns } from './row.limits.js';
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

export interface RowCommand {
  principalId: string;
  /** RFC 3339. */
  at: string;
  table: RowTable;
  deliveryId: string | null;
}

export type NewRowParts = Pick<RowRecord, 'org_id' | 'table_id' | 'identity' | 'data' | 'index'>;

/** How a command that was carried out before ended; null: it was not. */
export function deliveredBefore(slot: SettledSlot, deliveryId: string | null): Delivered | null {
  return deliveryId === null ? null : (slot.deliveries.find(({ id }) => id === deliveryId) ?? null);
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
export function insertRow(command: RowCommand, parts: NewRowParts, slot: SettledSlot): RowEvent[] {
  if (deliveredBefore(slot, command.deliveryId)) return [];
  requireFree(slot);
  const { table, deliveryId } = command;
  return [
    ...slot.first,
    { type: 'RowInserted', data: { row: newRow(command, parts, slot), table, delivery_id: deliveryId } },
  ];
}

/** A new row that stands when its batch is committed. Refuses as `insertRow`. */
export function stageRow(command: RowCommand, parts: NewRowParts, mark: StageMark, slot: SettledSlot): RowEvent[] {
  requireFree(slot);
  const row = newRow(command, parts, slot);
  return [
    ...slot.first,
    { type: 'RowStaged', data: { row, table: command.table, delivery_id: command.deliveryId, mark, moved_from: null } },
  ];
}

/** What a change makes of a row. */
export interface RowChange {
  /** Whole data after the merge. */
  data: RowRecord['data'];
  index: RowRecord['index'];
  identity: string;
}

/**
 * Changes a row in its stream. A row with equal values stays as it is (rule E15): only the delivery id is noted, so
 * that a late repeat cannot undo later changes.
 *
 * Takes    the id of the row that is meant, the version it must have (null: any), and what a change makes of the newest
 *          data; null when it is to be made elsewhere.
 * Refuses  not_found when another row or none is here; version_conflict {current_version} (rule R32).
 */
export function updateRow(
  command: RowCommand,
  wanted: { rowId: string; version: number | null },
  change: (row: RowRecord) => RowChange | null,
  slot: SettledSlot,
): RowEvent[] {
  if (deliveredBefore(slot, command.deliveryId)) return [];
  const row = requireRow(slot, wanted);
  const changed = change(row);
  if (!changed) return [];
  const rewritten = rewrittenRow(command, row, changed);
  if (!rewritten) return command.deliveryId === null ? [] : [...slot.first, noteOf(row, command.deliveryId)];
  return [
    ...slot.first,
    { type: 'RowUpdated', data: { ...rewritten, table: command.table, delivery_id: command.deliveryId } },
  ];
}

function noteOf({ org_id, id }: RowRecord, deliveryId: string): RowEvent {
  return { type: 'DeliveryNoted', data: { org_id, row_id: id, delivery_id: deliveryId } };
}

/** The row after a change with what it was before; null when no value differs. */
export function rewrittenRow(
  { principalId, at }: RowCommand,
  row: RowRecord,
  { data, index, identity }: RowChange,
): { row: RowRecord; previous_data: RowRecord['data']; changed_columns: string[] } | null {
  const columns = changedColumns(row.data, data);
  if (columns.length === 0) return null;
  const next = { ...row, data, index, identity, version: row.version + 1, updated_by: principalId, updated_at: at };
  return { row: next, previous_data: row.data, changed_columns: columns };
}

/** Deletes a row. Refuses not_found. */
export function deleteRow(command: RowCommand, rowId: string, slot: SettledSlot): RowEvent[] {
  if (deliveredBefore(slot, command.deliveryId)) return [];
  const row = requireRow(slot, { rowId, version: null });
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
export function dropRow({ row, first }: SettledSlot): RowEvent[] {
  return row ? [...first, { type: 'RowDropped', data: { org_id: row.org_id, row_id: row.id } }] : first;
}

/** A row that takes this identity when its batch is committed. Refuses already_exists {row_id}. */
export function stageArrival(
  command: RowCommand,
  moved: NonNullable<ReturnType<typeof rewrittenRow>>,
  mark: StageMark,
  slot: SettledSlot,
): RowEvent[] {
  requireFree(slot);
  const { row, previous_data, changed_columns } = moved;
  return [
    ...slot.first,
    {
      type: 'RowStaged',
      data: {
        row,
        table: command.table,
        delivery_id: command.deliveryId,
        mark,
        moved_from: { previous_data, changed_columns },
      },
    },
  ];
}

/**
 * The row gives its identity up when the batch is committed. Refuses version_conflict when it changed since it was
 * judged.
 */
export function stageLeaving(judged: RowRecord, to: string, mark: StageMark, slot: SettledSlot): RowEvent[] {
  requireRow(slot, { rowId: judged.id, version: judged.version });
  return [...slot.first, { type: 'RowLeaving', data: { org_id: judged.org_id, row_id: judged.id, to, mark } }];
}

function requireRow({ row }: SettledSlot, { rowId, version }: { rowId: string; version: number | null }): RowRecord {
  if (row?.id !== rowId) throw notFound('row');
  if (version !== null && version !== row.version) {
    throw new Refusal('version_conflict', { current_version: row.version }, `the row is at version ${row.version}`);
  }
  return row;
}

function requireFree({ row }: SettledSlot): void {
  if (row) throw new Refusal('already_exists', { row_id: row.id }, 'a row of this identity exists');
}
