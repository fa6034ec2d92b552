import { base32Number, derivedId, idPart, unreachable, type StreamKind } from '@aos/kernel';
import { rowEvents, type RowEvent, type RowRecord, type StageMark } from './row.events.js';

/** Deliveries that a stream remembers. */
const deliveriesMax = 64;
const slotLength = 26;
const generationLength = 6;

/** How a command with a delivery id ended, so that its repeat answers the same. */
export interface Delivered {
  readonly id: string;
  readonly row_id: string;
  readonly created: boolean;
}

export type Staged =
  | Readonly<StageMark & { kind: 'arriving'; row: RowRecord; delivery_id: string | null; created: boolean }>
  | Readonly<StageMark & { kind: 'leaving'; to: string }>;

/**
 * Stream `tablerow-<id>`, one for each identity of a table: one stream for each identity keeps it unique.
 *
 * A row's id is the stream's id, and a number behind it when the identity was used before: a row that comes after a
 * deleted one is another row.
 */
export interface RowState {
  readonly org_id: string;
  readonly table_id: string;
  /** Row ids given out by this stream. */
  readonly issued: number;
  /** The live row, as far as it is settled. */
  readonly row: RowRecord | null;
  /** The staged row of a batch; the batch's decision says whether it counts. */
  readonly staged: Staged | null;
  /** Rows that left for another identity: row id -> stream id. */
  readonly moved: Readonly<Record<string, string>>;
  readonly deliveries: readonly Delivered[];
}

export const rowKind: StreamKind<RowState, RowEvent> = {
  category: 'tablerow',
  events: rowEvents,
  stateVersion: 1,
  snapshotEvery: 100,
  initial: () => ({ org_id: '', table_id: '', issued: 0, row: null, staged: null, moved: {}, deliveries: [] }),
  evolve,
};

function evolve(state: RowState, event: RowEvent): RowState {
  switch (event.type) {
    case 'RowInserted':
      return delivered({ ...placed(state, event.data.row, true), row: event.data.row }, event.data, true);
    case 'RowUpdated':
      return delivered({ ...state, row: event.data.row }, event.data, false);
    case 'RowDeleted':
      return delivered({ ...state, row: null }, event.data, false);
    case 'DeliveryNoted':
      return noted(state, { id: event.data.delivery_id, row_id: event.data.row_id, created: false });
    case 'RowDropped':
      return { ...state, row: null };
    case 'RowStaged': {
      const { row, mark, delivery_id, moved_from: movedFrom } = event.data;
      return {
        ...placed(state, row, movedFrom === null),
        staged: { ...mark, kind: 'arriving', row, delivery_id, created: movedFrom === null },
      };
    }
    case 'RowLeaving':
      return { ...state, staged: { ...event.data.mark, kind: 'leaving', to: event.data.to } };
    case 'StageSettled':
      return settled(state, event.data.outcome);
    default:
      return unreachable(event);
  }
}

/** A row comes to this stream; it is made here, or was made in another. */
function placed(state: RowState, row: RowRecord, isNew: boolean): RowState {
  return { ...state, org_id: row.org_id, table_id: row.table_id, issued: state.issued + (isNew ? 1 : 0) };
}

function settled(state: RowState, outcome: 'committed' | 'released'): RowState {
  const { staged } = state;
  if (!staged || outcome === 'released') return { ...state, staged: null };
  if (staged.kind === 'arriving') {
    const { [staged.row.id]: _here, ...moved } = state.moved;
    return delivered({ ...state, row: staged.row, staged: null, moved }, staged, staged.created);
  }
  const moved = state.row ? { ...state.moved, [state.row.id]: staged.to } : state.moved;
  return { ...state, row: null, staged: null, moved };
}

function delivered(
  state: RowState,
  { row, delivery_id: id }: { row: RowRecord; delivery_id: string | null },
  created: boolean,
): RowState {
  return id === null ? state : noted(state, { id, row_id: row.id, created });
}

function noted(state: RowState, delivery: Delivered): RowState {
  return { ...state, deliveries: [...state.deliveries, delivery].slice(-deliveriesMax) };
}

/** Stream id of an identity of a table. */
export function slotId(salt: string, tableId: string, identity: string): string {
  return derivedId('row', salt, [tableId, identity]);
}

/** Stream id in which a row id was made. */
export function slotIdOf(rowId: string): string {
  return rowId.slice(0, 'row_'.length + slotLength);
}

/** The id of a stream's next row. */
export function nextRowId(slot: string, issued: number): string {
  return issued === 0 ? slot : `${slot}${base32Number(issued, generationLength)}`;
}

/** Whether text can be a row's id. */
export function looksLikeRowId(text: string): boolean {
  return (
    text.startsWith('row_') &&
    [slotLength, slotLength + generationLength].includes(idPart(text).length) &&
    /^[0-9a-z]+$/.test(idPart(text))
  );
}
