import { changeCustody, deleteDefinition } from './definition/definition.decide.js';
import { definitionDecider } from './definition/definition.decider.js';
import { ofLive } from './definition/live.decide.js';
import { emptyTable } from './table/empty-table.decide.js';
import { tableKind } from './table/table.state.js';
import { changeTable } from './table/table.decide.js';

/** What can happen to a table; `creationDecider` has its creation. */
export const tableDecider = definitionDecider(tableKind, {
  changeTable: ofLive(changeTable),
  changeTableCustody: ofLive(changeCustody(tableKind)),
  deleteTable: ofLive(deleteDefinition(tableKind)),
  emptyTable,
});
