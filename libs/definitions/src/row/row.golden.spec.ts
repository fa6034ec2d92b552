import type { JsonObject } from '@aos/kernel';
import { expectGoldenStates, goldenEvents } from '@aos/kernel/testing';
import { expectComplete, foldGolden, goldenHistory } from '../testing/golden.fixture.js';
import { batchKind } from './batch.state.js';
import { rowKind } from './row.state.js';

const events = goldenEvents(__dirname);
const of = (type: string) => {
  const event = events.find((each) => each.type === type);
  if (!event) throw new Error(`no ${type}`);
  return event;
};

describe('recorded events of rows and batches', () => {
  it('are all kept', () => {
    expectComplete(rowKind, events);
    expectComplete(batchKind, events);
  });

  it('read rows as they were left', () => {
    const { row, delivery_id: id } = of('RowInserted').data as { row: JsonObject; delivery_id: string };
    expect(foldGolden(rowKind, of('RowInserted'))).toEqual({
      org_id: row.org_id,
      table_id: row.table_id,
      issued: 1,
      row,
      staged: null,
      moved: {},
      deliveries: [{ id, row_id: row.id, created: true }],
    });
    expect(foldGolden(rowKind, of('RowUpdated')).row).toEqual(of('RowUpdated').data.row);
    expect(foldGolden(rowKind, of('RowDeleted')).row).toBeNull();
    expect(foldGolden(rowKind, of('RowStaged')).staged).toEqual({
      ...(of('RowStaged').data.mark as object),
      kind: 'arriving',
      row: of('RowStaged').data.row,
      delivery_id: null,
      created: true,
    });
    expect(foldGolden(rowKind, of('RowLeaving')).staged).toMatchObject({
      kind: 'leaving',
      to: of('RowLeaving').data.to,
    });
    expect(foldGolden(rowKind, of('RowDropped')).row).toBeNull();
    expect(foldGolden(rowKind, of('DeliveryNoted')).deliveries).toEqual([
      { id: 'dlv_1', row_id: of('DeliveryNoted').data.row_id, created: false },
    ]);
    expect(foldGolden(rowKind, of('StageSettled')).staged).toBeNull();
  });

  it('read what batches came to', () => {
    expect(foldGolden(batchKind, of('BatchCommitted'))).toEqual({ outcome: 'committed' });
    expect(foldGolden(batchKind, of('BatchReleased'))).toEqual({ outcome: 'released' });
  });

  it('of rows fold to the states that snapshots of this version hold', () => {
    const types = ['RowInserted', 'RowUpdated', 'RowLeaving', 'StageSettled', 'RowStaged', 'DeliveryNoted'] as const;
    const ends = ['RowDeleted', 'RowDropped'] as const;
    expectGoldenStates(__dirname, rowKind, goldenHistory(rowKind, events, ...types, ...ends));
  });
});
