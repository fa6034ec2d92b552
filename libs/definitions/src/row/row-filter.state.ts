import { badRequest, canonicalJson, type Condition, type Issue, type Json, type JsonObject } from '@aos/kernel';
import type { IndexKind, TableDefinition } from '../table/table.events.js';
import { columnOf } from '../table/table.state.js';
import { indexValue } from './row.limits.js';
import { timeOf } from '../table/value.limits.js';
import { columnIndex } from './row.projection.js';
import type { RowRecord } from './row.events.js';

const filterTermsMax = 50;
const inValuesMax = 100;

const operators = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$exists'] as const;
type Operator = (typeof operators)[number];

/** Facts of a row that are no columns; a column of that name hides them. */
const facts: Readonly<Record<string, (row: RowRecord) => Json>> = {
  id: ({ id }) => id,
  version: ({ version }) => version,
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
};

interface Term {
  column: string;
  operator: Operator;
  value: Json;
}

/** A filter as it is asked: every term must hold. */
export interface RowFilter {
  matches(row: RowRecord): boolean;
  /** Conditions on the row index that hold for every row that matches; not necessarily the other way round. */
  where: Condition[];
  /** Whether the conditions say all there is to say. */
  isExact: boolean;
}

/** The value that a filter or sort looks at; undefined when the row has none. */
export function valueOf(table: TableDefinition, column: string, row: RowRecord): Json | undefined {
  const fact = factOf(table, column);
  return fact ? fact(row) : Object.hasOwn(row.data, column) ? row.data[column] : undefined;
}

/** Whether rows of a table can have a value of this name. */
export function isKnown(table: TableDefinition, column: string): boolean {
  return columnOf(table.schema, column) !== undefined || factOf(table, column) !== null || table.schema.open === true;
}

/** The fact of this name, unless a column hides it. Undeclared names may be those that every object has. */
function factOf(table: TableDefinition, name: string): ((row: RowRecord) => Json) | null {
  if (columnOf(table.schema, name) || !Object.hasOwn(facts, name)) return null;
  return facts[name] ?? null;
}

/** How rows of the table are indexed by values of this name; null when they are not. */
export function indexKindOf(table: TableDefinition, name: string): IndexKind | null {
  return Object.hasOwn(table.row_indexes, name) ? (table.row_indexes[name] ?? null) : null;
}

/**
 * Reads a row filter: a value for equality, or an object of operators (rule R30).
 *
 * Null as a value is the same as no value. Numbers, texts and truth values are ordered among their own kind only; dates
 * by the time they mean.
 *
 * Refuses  bad_request for an unknown column, an unknown operator, an object without operators for a column that holds
 *          none, a list where one is needed and missing, or too many terms.
 */
export function rowFilter(table: TableDefinition, filter: JsonObject, at = '/filter'): RowFilter {
  const issues: Issue[] = [];
  const terms = Object.entries(filter).flatMap(([column, wanted]) =>
    termsOf(table, column, wanted, `${at}/${column}`, issues),
  );
  if (terms.length > filterTermsMax) issues.push({ path: at, message: `at most ${filterTermsMax} terms` });
  if (issues.length > 0) throw badRequest(issues);
  const conditions = terms.map((term) => conditionOf(table, term));
  return {
    matches: (row) =>
      terms.every((term) => holds(term, valueOf(table, term.column, row) ?? null, isDate(table, term.column))),
    where: conditions.filter((condition) => condition !== null),
    isExact: terms.length === 0,
  };
}

function termsOf(table: TableDefinition, column: string, wanted: Json, at: string, issues: Issue[]): Term[] {
  if (!isKnown(table, column)) {
    issues.push({ path: at, message: 'is not a column of this table' });
    return [];
  }
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted))
    return [{ column, operator: '$eq', value: wanted }];
  const names = Object.keys(wanted);
  if (!names.some((name) => name.startsWith('$'))) {
    if (holdsObjects(table, column)) return [{ column, operator: '$eq', value: wanted }];
    issues.push({ path: at, message: `is no object column: a value, or operators: ${operators.join(' ')}` });
    return [];
  }
  return names.flatMap((name): Term[] => {
    const operator = operators.find((known) => known === name);
    const value = wanted[name] as Json;
    if (!operator) issues.push({ path: `${at}/${name}`, message: `is not an operator: ${operators.join(' ')}` });
    else if (operator === '$in' && (!Array.isArray(value) || value.length > inValuesMax))
      issues.push({ path: `${at}/$in`, message: `a list of at most ${inValuesMax} values` });
    else if (operator === '$exists' && typeof value !== 'boolean')
      issues.push({ path: `${at}/$exists`, message: 'true or false' });
    else return [{ column, operator, value }];
    return [];
  });
}

/** Whether a value of this name may be an object. */
function holdsObjects(table: TableDefinition, column: string): boolean {
  const known = columnOf(table.schema, column);
  return known ? known.type === 'object' || known.type === 'any' : factOf(table, column) === null;
}

function isDate(table: TableDefinition, column: string): boolean {
  return columnOf(table.schema, column)?.type === 'date';
}

function holds({ operator, value }: Term, actual: Json, date: boolean): boolean {
  switch (operator) {
    case '$eq':
      return equal(actual, value, date);
    case '$ne':
      return !equal(actual, value, date);
    case '$in':
      return (value as Json[]).some((one) => equal(actual, one, date));
    case '$exists':
      return (actual !== null) === value;
    default: {
      const order = compareValues(actual, value, date);
      if (order === null) return false;
      return operator === '$gt'
        ? order > 0
        : operator === '$gte'
          ? order >= 0
          : operator === '$lt'
            ? order < 0
            : order <= 0;
    }
  }
}

function equal(actual: Json, wanted: Json, date: boolean): boolean {
  if (date && typeof actual === 'string' && typeof wanted === 'string')
    return compareValues(actual, wanted, true) === 0;
  return (
    actual === wanted ||
    (typeof actual === 'object' && typeof wanted === 'object' && canonicalJson(actual) === canonicalJson(wanted))
  );
}

/** Order of two values of one kind; null when they have none. */
export function compareValues(a: Json, b: Json, date: boolean): number | null {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (typeof a !== 'string' || typeof b !== 'string') return null;
  if (!date) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  const [first, second] = [timeOf(a), timeOf(b)];
  return first === null || second === null ? null : first - second;
}

/**
 * A condition on the index that every matching row fulfils; null when there is none. Long texts are cut, so bounds are
 * taken in.
 */
function conditionOf(table: TableDefinition, { column, operator, value }: Term): Condition | null {
  const kind = indexKindOf(table, column);
  if (!kind) return null;
  const index = columnIndex(column);
  if (operator === '$in') {
    const values = (value as Json[]).map((one) => indexValue(kind, one));
    return values.length > 0 && values.every((one) => one !== null) ? { index, in: [...new Set(values)] } : null;
  }
  const bound = indexValue(kind, value);
  if (bound === null) return null;
  switch (operator) {
    case '$eq':
      return { index, eq: bound };
    case '$gt':
    case '$gte':
      return { index, gte: bound };
    case '$lt':
    case '$lte':
      return { index, lte: bound };
    default:
      return null;
  }
}
