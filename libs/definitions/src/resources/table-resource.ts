import type { Schema } from '@aos/contract';
import { tableDecider } from '../table.decider.js';
import { createTable } from '../table/table.decide.js';
import type { TableDefinition } from '../table/table.events.js';
import { tableWire, tablesProjection } from '../table/table.projection.js';
import { tableKind, type DesiredTable, type NewTable } from '../table/table.state.js';
import type { ResourceKind } from './resource-kind.js';

export const tableResource: ResourceKind<{
  definition: TableDefinition;
  created: NewTable;
  changed: DesiredTable;
  wire: Schema<'Table'>;
}> = {
  type: 'table',
  list: 'tables',
  prefix: 'tbl',
  kind: tableKind,
  projection: tablesProjection,
  knownBy: 'id',
  filters: { name: 'name' },
  wire: tableWire,
  create: createTable,
  change: tableDecider.changeTable,
  delete: tableDecider.deleteTable,
  checkNew: ({ people }, who, body) => people.require(who, body),
};
