import { given } from '@aos/kernel/testing';
import {
  deleteRow,
  dropRow,
  insertRow,
  settledSlot,
  stageLeaving,
  stageRow,
  updateRow,
  type NewRowParts,
  type RowCommand,
  type RowForm,
} from './row.decide.js';
import type { RowEvent, RowRecord, StageMark } from './row.events.js';
import { rowKind, type RowState } from './row.state.js';
import type { BatchOutcome } from './batch.state.js';

const slot = 'row_00000000000000000000000001';
const table = { name: 'leads', visibility: 'organization' as const, owner_id: null };
const command: RowCommand = { principalId: 'svc_1', at: '2026-01-02T00:00:00.000Z', table, deliveryId: null };
const parts: NewRowParts = {
  org_id: 'org_1',
  table_id: 'tbl_1',
  identity: 'a',
  data: { id: 'a', n: 1 },
  index: { id: 'a' },
};
const mark: StageMark = { batch_id: 'bat_1', first: true, deadline_at: '2026-01-01T00:00:10.000Z' };
const row = (change: Partial<RowRecord> = {}): RowRecord => ({
  id: slot,
  ...parts,
  version: 1,
  created_by: 'svc_1',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_by: 'svc_1',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...change,
});
const inserted = (delivery: string | null = null): RowEvent => ({
  type: 'RowInserted',
  data: { row: row(), table, delivery_id: delivery },
});
const deleted: RowEvent = {
  type: 'RowDeleted',
  data: { row: row(), table, delivery_id: 'd9', actor_id: 'svc_1', deleted_at: command.at },
};
const staged: RowEvent = { type: 'RowStaged', data: { row: row(), table, delivery_id: null, mark, moved_from: null } };
const judged = (state: RowState, outcome: BatchOutcome | null = null) => settledSlot(slot, state, outcome);
const form: RowForm = {
  org_id: 'org_1',
  id: 'tbl_1',
  wire: {
    schema: { identity_column: 'id', columns: [{ name: 'id', type: 'string' }], open: true },
    row_indexes: { id: 'text' },
  },
};
const change = (given: RowRecord['data']) => ({ form, given });
const wanted = { rowId: slot, version: null };

describe('rows', () => {
  it('are new where none is, and another row where one was', () => {
    given(rowKind)
      .when((state) => insertRow({ ...command, parts }, judged(state)))
      .thenState(({ row: made }) => expect(made).toMatchObject({ id: slot, version: 1 }));
    given(rowKind, inserted(), deleted)
      .when((state) => insertRow({ ...command, parts }, judged(state)))
      .thenState(({ row: made }) => expect(made).toMatchObject({ id: `${slot}000001`, version: 1 }));
    given(rowKind, inserted())
      .when((state) => insertRow({ ...command, parts }, judged(state)))
      .thenRefuses('already_exists', { row_id: slot });
  });

  it('change by version, and only when a value does', () => {
    given(rowKind, inserted())
      .when((state) => updateRow({ ...command, ...wanted, ...change({ n: 2 }) }, judged(state)))
      .thenState(({ row: now }) => expect(now).toMatchObject({ version: 2, data: { n: 2 } }));
    given(rowKind, inserted())
      .when((state) => updateRow({ ...command, ...wanted, ...change({ n: 1 }) }, judged(state)))
      .thenNothing();
    given(rowKind, inserted())
      .when((state) => updateRow({ ...command, ...wanted, ...change({ n: 2 }), version: 3 }, judged(state)))
      .thenRefuses('version_conflict', { current_version: 1 });
    given(rowKind)
      .when((state) => updateRow({ ...command, ...wanted, ...change({ n: 2 }) }, judged(state)))
      .thenRefuses('not_found');
    given(rowKind, inserted(), deleted)
      .when((state) => deleteRow({ ...command, rowId: slot }, judged(state)))
      .thenRefuses('not_found');
  });

  it('carry a delivery out once', () => {
    const again = { ...command, deliveryId: 'd1' };
    given(rowKind, inserted('d1'))
      .when((state) => insertRow({ ...again, parts }, judged(state)))
      .thenNothing();
    given(rowKind, inserted('d1'))
      .when((state) => updateRow({ ...again, ...wanted, ...change({ n: 5 }) }, judged(state)))
      .thenNothing();
    given(rowKind, inserted(), deleted)
      .when((state) => deleteRow({ ...command, deliveryId: 'd9', rowId: slot }, judged(state)))
      .thenNothing();
  });

  it('note a delivery that changed nothing, and only that', () => {
    const command1 = { ...command, deliveryId: 'd1' };
    given(rowKind, inserted())
      .when((state) => updateRow({ ...command1, ...wanted, ...change({ n: 1 }) }, judged(state)))
      .thenState(({ row: now, deliveries }) => {
        expect(now).toEqual(row());
        expect(deliveries).toEqual([{ id: 'd1', row_id: slot, created: false }]);
      });
    given(rowKind, inserted())
      .when((state) => updateRow({ ...command1, ...wanted, ...change({ id: 'b' }) }, judged(state)))
      .thenNothing();
  });

  it('go with their table, whatever a batch wanted', () => {
    given(rowKind, inserted())
      .when((state) => dropRow(null, judged(state)))
      .thenTypes('RowDropped');
    given(rowKind, inserted(), deleted)
      .when((state) => dropRow(null, judged(state)))
      .thenNothing();
    given(rowKind, staged)
      .when((state) => dropRow(null, judged(state, 'committed')))
      .thenTypes('StageSettled', 'RowDropped');
    given(rowKind, staged)
      .when((state) => dropRow(null, judged(state, 'released')))
      .thenTypes('StageSettled');
  });

  it('that are staged stand as their batch says, and the next writer notes it', () => {
    given(rowKind, staged)
      .when((state) => insertRow({ ...command, parts }, judged(state, 'committed')))
      .thenRefuses('already_exists', { row_id: slot });
    given(rowKind, staged)
      .when((state) => insertRow({ ...command, parts }, judged(state, 'released')))
      .thenTypes('StageSettled', 'RowInserted');
    given(rowKind, staged)
      .when((state) => updateRow({ ...command, ...wanted, ...change({ n: 2 }) }, judged(state, 'committed')))
      .thenTypes('StageSettled', 'RowUpdated');
    given(rowKind, inserted())
      .when((state) => stageRow({ ...command, parts, mark }, judged(state)))
      .thenRefuses('already_exists');
  });

  it("that leave are another stream's once the batch is committed", () => {
    const leaving: RowEvent = { type: 'RowLeaving', data: { org_id: 'org_1', row_id: slot, to: 'row_2', mark } };
    given(rowKind, inserted(), leaving)
      .when((state) => insertRow({ ...command, parts }, judged(state, 'committed')))
      .thenState((state) => {
        expect(state.moved).toEqual({ [slot]: 'row_2' });
        expect(state.row?.id).toBe(`${slot}000001`);
      });
    given(rowKind, inserted(), leaving)
      .when((state) => deleteRow({ ...command, rowId: slot }, judged(state, 'released')))
      .thenTypes('StageSettled', 'RowDeleted');
    given(rowKind, inserted())
      .when((state) => stageLeaving({ judged: row({ version: 7 }), to: 'row_2', mark }, judged(state)))
      .thenRefuses('version_conflict', { current_version: 1 });
  });
});
