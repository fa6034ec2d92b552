import { canonicalJson, holdsHalfCharacter, jsonBytes, type Issue, type Json, type JsonObject } from '@aos/kernel';
import type { IndexKind, TableDefinition, TableSchema } from '../table/table.events.js';
import { timeOf, valueFault } from '../table/value.limits.js';

/** Of one row, serialized (rule L14). */
export const rowBytesMax = 256 * 1024;
/** Characters of an identity. */
export const identityMax = 1024;
/** Rows of one bulk insert (rule L14). */
export const bulkRowsMax = 1000;
/** How long the rows of a batch may wait for its decision (ARCHITECTURE.md section 3). */
export const batchDeadlineMs = 10_000;
/** Characters of a text that order and index look at. */
export const sortedTextMax = 256;

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A new row's data: what was given, and defaults for columns that were left out. */
export function withDefaults(schema: TableSchema, given: JsonObject): JsonObject {
  const data: JsonObject = {};
  for (const { name, default: fallback } of schema.columns) {
    if (Object.hasOwn(given, name)) data[name] = given[name] as Json;
    else if (fallback !== undefined) data[name] = structuredClone(fallback);
  }
  for (const member of Object.keys(given)) if (!Object.hasOwn(data, member)) data[member] = given[member] as Json;
  return data;
}

/**
 * What is wrong with row data.
 *
 * Takes    the schema, the data, whether it is whole (required columns are asked for) or a part, and where it stands in
 *          the body.
 * Source   rules L14, R27, R28, R29.
 */
export function dataIssues(schema: TableSchema, data: JsonObject, part: 'whole' | 'part', at: string): Issue[] {
  const issues: Issue[] = [];
  const columns = new Map(schema.columns.map((column) => [column.name, column]));
  for (const [name, value] of Object.entries(data)) {
    const column = columns.get(name);
    if (!column) {
      if (schema.open !== true)
        issues.push({
          path: `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
          message: 'is not a column of this table',
        });
      continue;
    }
    const required = column.required === true || name === schema.identity_column;
    const fault = value === null ? (required ? 'is required' : null) : valueFault(column.type, value);
    if (fault) issues.push({ path: `${at}/${name}`, message: fault });
  }
  if (part === 'whole') {
    for (const { name, required } of schema.columns) {
      if ((required === true || name === schema.identity_column) && !Object.hasOwn(data, name))
        issues.push({ path: `${at}/${name}`, message: 'is required' });
    }
  }
  const identity = data[schema.identity_column];
  if (typeof identity === 'string' && (identity === '' || identity.length > identityMax)) {
    issues.push({ path: `${at}/${schema.identity_column}`, message: `1 to ${identityMax} characters` });
  }
  if (typeof identity === 'string' && holdsHalfCharacter(identity))
    issues.push({ path: `${at}/${schema.identity_column}`, message: 'holds half a character' });
  if (jsonBytes(data) > rowBytesMax) issues.push({ path: at, message: `at most ${rowBytesMax} bytes` });
  return issues;
}

/** Columns with different values, compared as canonical JSON: the order of members does not count. */
export function changedColumns(before: JsonObject, after: JsonObject): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter(
    (name) =>
      Object.hasOwn(before, name) !== Object.hasOwn(after, name) ||
      canonicalJson(before[name]) !== canonicalJson(after[name]),
  );
}

/** A value as an index of this kind holds it; null when it stands in none. */
export function indexValue(kind: IndexKind, value: Json | undefined): string | number | null {
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? value.slice(0, sortedTextMax).replace(loneSurrogate, '\ufffd') : null;
    case 'number':
      return typeof value === 'number' ? value : typeof value === 'boolean' ? Number(value) : null;
    case 'time':
      return typeof value === 'string' ? timeOf(value) : null;
  }
}

/** Index values of a row by the table's index columns. */
export function rowIndexOf(
  { row_indexes: indexes }: Pick<TableDefinition, 'row_indexes'>,
  data: JsonObject,
): Record<string, string | number> {
  const found: Record<string, string | number> = {};
  for (const [name, kind] of Object.entries(indexes)) {
    const value = indexValue(kind, Object.hasOwn(data, name) ? data[name] : undefined);
    if (value !== null) found[name] = value;
  }
  return found;
}
