import { collectionOf } from '@aos/kernel';
import {
  configuredTable,
  fixedFacts,
  newTableDefinition,
  tableIssues,
  tableKind,
  tablesProjection,
  type DesiredTable,
  type TableSchema,
} from '@aos/definitions/published';
import { resourceKind, type Entry } from './resource-kind.state.js';

/** Shape `BlueprintTableInput` of the contract. */
type TableEntry = Entry & Pick<DesiredTable, 'description' | 'instructions'> & { schema: TableSchema };

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

export const tableResource = resourceKind({
  type: 'table',
  list: 'tables',
  prefix: 'tbl',
  kind: tableKind,
  collection: collectionOf(tablesProjection),
  issues: (entry: TableEntry, at) => tableIssues(desired(entry), at),
  blank: ({ name, schema }) => newTableDefinition({ name, schema }),
  configured: (current, entry) => configuredTable(current, desired(entry)),
  fixedFields: (current, { schema }) =>
    [...fixedFacts(current.schema, schema).map(({ field }) => field), ...newRequired(current.schema, schema)].map(
      (field) => `schema.${field}`,
    ),
  fieldNames: { row_indexes: null },
});
