import { decider } from '@aos/kernel';
import {
  deleteRow,
  dropRow,
  insertRow,
  ofSettled,
  settleStage,
  stageArrival,
  stageLeaving,
  stageRow,
  updateRow,
  upsertRow,
} from './row/row.decide.js';
import { rowKind } from './row/row.state.js';

/** What can happen to the stream of a row's identity, once the batch that staged a row there is decided. */
export const rowDecider = decider(rowKind, {
  insertRow: ofSettled(insertRow),
  updateRow: ofSettled(updateRow),
  upsertRow: ofSettled(upsertRow),
  deleteRow: ofSettled(deleteRow),
  stageRow: ofSettled(stageRow),
  stageArrival: ofSettled(stageArrival),
  stageLeaving: ofSettled(stageLeaving),
  settleStage: ofSettled(settleStage),
  dropRow: ofSettled(dropRow),
});
