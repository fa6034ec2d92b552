import type { Schema } from '@aos/contract';
import { tableDecider } from '../table.decider.js';
import { createTable } from '../table/table.decide.js';
import type { TableDefinition, TableSchema } from '../table/table.events.js';
import { tableWire, tablesProjection } from '../table/table.projection.js';
import { fixedFacts } from '../table/evolution.decide.js';
import { tableIssues } from '../table/table.limits.js';
import {
  configuredTable,
  newTableDefinition,
  tableKind,
  type DesiredTable,
  type NewTable,
} from '../table/table.state.js';
import type { ResourceKind } from './resource-kind.js';

type TableEntry = Schema<'BlueprintTableInput'>;

function desired({ key: _key, ...fields }: TableEntry): DesiredTable {
  return fields;
}

/** Columns that would be new and required: existing rows have no value for them. */
function newRequired(current: TableSchema, next: TableSchema): string[] {
  const known = new Set(current.columns.map(({ name }) => name));
  return next.columns
    .filter(({ name, required }) => required === true && !known.has(name))
    .map(({ name }) => `columns.${name}.required`);
}

export const tableResource: ResourceKind<{
  definition: TableDefinition;
  created: NewTable;
  changed: DesiredTable;
  wire: Schema<'Table'>;
  entry: TableEntry;
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
  blueprint: {
    issues: (entry, at) => tableIssues(desired(entry), at),
    blank: ({ name, schema }) => newTableDefinition({ name, schema }),
    configured: (current, entry) => configuredTable(current, desired(entry)),
    fixedFields: (current, { schema }) =>
      [...fixedFacts(current.schema, schema).map(({ field }) => field), ...newRequired(current.schema, schema)].map(
        (field) => `schema.${field}`,
      ),
    fieldNames: { row_indexes: null, was_open: null },
  },
  // the deletion of the table has an entry of its own
  audit: { TableEmptied: null },
};
