import type { RequestBody } from '@aos/contract';
import { definitionKind, text, withoutUnset } from '../definition/definition.state.js';
import type { DefinitionRecord } from '../definition/definition.events.js';
import {
  tableEvents,
  type Column,
  type IndexKind,
  type TableDefinition,
  type TableEvent,
  type TableSchema,
} from './table.events.js';

export type TableRecord = DefinitionRecord<TableDefinition>;

/** Stream `table-<id>`. */
export const tableKind = definitionKind<TableDefinition, TableEvent>({
  category: 'table',
  events: tableEvents,
  created: (record) => ({ type: 'TableCreated', data: { record } }),
  changed: (record) => ({ type: 'TableConfigured', data: { record } }),
  deleted: (record) => ({ type: 'TableDeleted', data: { record } }),
});

/** What a caller sends about a table, the body of `PATCH /v1/tables/{table_id}`: absent keeps, a schema replaces. */
export type DesiredTable = RequestBody<'updateTable'>;

/** Body of `POST /v1/tables`. */
export type NewTable = RequestBody<'createTable'>;

/** Most columns by which rows are indexed beside the keys. */
const indexedColumnsMax = 20;

const indexKinds: Readonly<Partial<Record<Column['type'], IndexKind>>> = {
  string: 'text',
  number: 'number',
  boolean: 'number',
  date: 'time',
};

/** A new table's definition. */
export function newTableDefinition(desired: NewTable): TableDefinition {
  const empty: TableDefinition = {
    name: desired.name,
    schema: { ...desired.schema, columns: [] },
    tags: {},
    row_indexes: {},
  };
  return configuredTable(empty, desired);
}

/**
 * The definition that results from a definition and what a caller wants; pure, so that a preview says exactly what an
 * apply does.
 *
 * Empty text clears. A column is indexed when it is a key or says so as it comes to be; rows of a table that is or was
 * open may hold values of it before that, so there only the first columns are.
 */
export function configuredTable(current: TableDefinition, desired: DesiredTable): TableDefinition {
  const schema = desired.schema ? structuredClone(desired.schema) : current.schema;
  return withoutUnset({
    name: desired.name ?? current.name,
    description: text(desired.description, current.description),
    instructions: text(desired.instructions, current.instructions),
    schema,
    tags: desired.tags ? { ...desired.tags } : current.tags,
    row_indexes: rowIndexes(current, schema),
    was_open: current.was_open ?? (current.schema.open === true && schema.open !== true ? true : undefined),
  });
}

function rowIndexes(current: TableDefinition, schema: TableSchema): Record<string, IndexKind> {
  const indexes = { ...current.row_indexes };
  const known = new Set(current.schema.columns.map(({ name }) => name));
  if ((current.schema.open === true || current.was_open === true) && known.size > 0) return indexes;
  for (const { name, type, indexed } of schema.columns) {
    const kind = indexKinds[type];
    const isKey = name === schema.identity_column || name === schema.secondary_key_column;
    if (known.has(name) || kind === undefined || !(isKey || indexed === true)) continue;
    if (isKey || Object.keys(indexes).length < indexedColumnsMax) indexes[name] = kind;
  }
  return indexes;
}

export function columnOf(schema: TableSchema, name: string): Column | undefined {
  return schema.columns.find((column) => column.name === name);
}
