import { canonicalJson, type Issue, type Json, type JsonObject } from '@aos/kernel';
import type { ColumnType, IndexKind, TableDefinition, TableSchema } from '../table/table.events.js';

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

const datePattern = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Milliseconds since 1970 of an RFC 3339 date or timestamp; null for other text and for days that do not exist. */
export function timeOf(value: string): number | null {
  if (!datePattern.test(value)) return null;
  const [year = 0, month = 0, day = 0] = value.slice(0, 10).split('-').map(Number);
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null;
  const time = Date.parse(value.length === 10 ? value : value.replace(' ', 'T').toUpperCase());
  return Number.isNaN(time) ? null : time;
}

/** Why a value does not fit a column type; null when it does. Null itself is no value, and not asked about here. */
export function valueFault(type: ColumnType, value: Json): string | null {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type ? null : `is not a ${type}`;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'is not a number';
    case 'date':
      return typeof value === 'string' && timeOf(value) !== null ? null : 'is not an RFC 3339 date or timestamp';
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'is not an object';
    case 'array':
      return Array.isArray(value) ? null : 'is not an array';
    case 'any':
      return null;
  }
}

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
 * Takes    the schema, the data, whether it is whole (required columns are asked for) or a part, and where it stands in the body.
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
  if (Buffer.byteLength(JSON.stringify(data)) > rowBytesMax)
    issues.push({ path: at, message: `at most ${rowBytesMax} bytes` });
  return issues;
}

/** Columns whose values differ; text of values decides, member order does not. */
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
  { row_indexes: indexes }: TableDefinition,
  data: JsonObject,
): Record<string, string | number> {
  const found: Record<string, string | number> = {};
  for (const [name, kind] of Object.entries(indexes)) {
    const value = indexValue(kind, data[name]);
    if (value !== null) found[name] = value;
  }
  return found;
}
