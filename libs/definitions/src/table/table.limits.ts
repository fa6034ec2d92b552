import { isLongerThan, jsonBytes, type Issue } from '@aos/kernel';
import { repeatIssues, tagIssues } from '../definition/definition.limits.js';
import { valueFault } from './value.limits.js';
import { columnOf, type DesiredTable } from './table.state.js';
import type { TableSchema } from './table.events.js';

/** Characters (rule L8; contract, `CreateTableRequest`). */
export const tableNameMax = 64;
export const tableDescriptionMax = 4096;
export const tableInstructionsMax = 2000;
/** Rule L14. */
export const columnsMax = 200;
export const schemaBytesMax = 256 * 1024;

/**
 * How long after a table's deletion its rows begin to leave: requests that found the table before its deletion are over
 * by then. Ours.
 */
export const rowsLeaveAfterMs = 10 * 60 * 1000;

const namePattern = /^[a-z][a-z0-9_]*$/;
const columnPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
const columnNameMax = 64;

/**
 * What the contract's shape cannot say about a table; also what it can, for tables that do not come as such a body.
 *
 * Source   rules L8, L12, L14, R27, R28, R29.
 */
export function tableIssues(desired: DesiredTable, at = ''): Issue[] {
  const issues: Issue[] = [...tagIssues(desired.tags, `${at}/tags`)];
  if (desired.name !== undefined && (!namePattern.test(desired.name) || desired.name.length > tableNameMax)) {
    issues.push({
      path: `${at}/name`,
      message: `lower-case letters, digits and _, at most ${tableNameMax} characters`,
    });
  }
  for (const [field, max] of [
    ['description', tableDescriptionMax],
    ['instructions', tableInstructionsMax],
  ] as const) {
    if (isLongerThan(desired[field] ?? '', max))
      issues.push({ path: `${at}/${field}`, message: `at most ${max} characters` });
  }
  return desired.schema ? [...issues, ...schemaIssues(desired.schema, `${at}/schema`)] : issues;
}

function schemaIssues(schema: TableSchema, at: string): Issue[] {
  const issues: Issue[] = repeatIssues(
    schema.columns.map(({ name }) => name),
    `${at}/columns`,
  );
  if (schema.columns.length < 1 || schema.columns.length > columnsMax)
    issues.push({ path: `${at}/columns`, message: `1 to ${columnsMax} columns` });
  if (jsonBytes(schema) > schemaBytesMax) issues.push({ path: at, message: `at most ${schemaBytesMax} bytes` });
  for (const [index, column] of schema.columns.entries()) {
    const columnPath = `${at}/columns/${index}`;
    if (!columnPattern.test(column.name) || column.name.length > columnNameMax || column.name === '__proto__') {
      issues.push({
        path: `${columnPath}/name`,
        message: `letters, digits and _, at most ${columnNameMax} characters`,
      });
    }
    if (column.default === undefined || column.default === null) continue;
    const fault = valueFault(column.type, column.default);
    if (fault) issues.push({ path: `${columnPath}/default`, message: fault });
  }
  const identity = columnOf(schema, schema.identity_column);
  if (identity?.type !== 'string')
    issues.push({ path: `${at}/identity_column`, message: 'names no declared column of type string' });
  const { secondary_key_column: secondary } = schema;
  if (secondary !== undefined && !columnOf(schema, secondary))
    issues.push({ path: `${at}/secondary_key_column`, message: 'names no declared column' });
  for (const [index, { columns }] of (schema.indexes ?? []).entries()) {
    const unknown = columns.find((name) => !columnOf(schema, name));
    if (unknown !== undefined)
      issues.push({ path: `${at}/indexes/${index}/columns`, message: `${unknown} is not declared` });
  }
  return issues;
}
