import type { Condition, Query } from '@aos/kernel';
import type { Parameter } from './views-messages.js';

/** A piece of SQL and its parameters, in order. */
export interface Piece {
  sql: string;
  parameters: Parameter[];
}

/** Greater than any text that begins with the prefix. */
const afterPrefix = (prefix: string): string => `${prefix}\u{10FFFF}`;

/** Whether an expression holds a value that fulfils the condition. */
function valueTest(expression: string, condition: Condition): Piece {
  if ('eq' in condition) return { sql: `${expression} = ?`, parameters: [condition.eq] };
  if ('has' in condition) return { sql: `${expression} = ?`, parameters: [condition.has] };
  if ('in' in condition)
    return { sql: `${expression} IN (SELECT value FROM json_each(?))`, parameters: [JSON.stringify(condition.in)] };
  if ('startsWith' in condition)
    return {
      sql: `${expression} >= ? AND ${expression} < ?`,
      parameters: [condition.startsWith, afterPrefix(condition.startsWith)],
    };
  const { gt, gte, lt, lte } = condition;
  const bounds: Piece[] = [];
  for (const [operator, bound] of [
    ['>', gt],
    ['>=', gte],
    ['<', lt],
    ['<=', lte],
  ] as const) {
    if (bound !== undefined) bounds.push({ sql: `${expression} ${operator} ?`, parameters: [bound] });
  }
  if (bounds.length > 0) {
    // numbers sort before texts: a bound of one kind leaves the other out
    const typed = typeof bounds[0]!.parameters[0] === 'number' ? "<> 'text'" : "= 'text'";
    bounds.push({ sql: `typeof(${expression}) ${typed}`, parameters: [] });
  }
  return joined(bounds, ' AND ');
}

export function joined(pieces: readonly Piece[], separator: string): Piece {
  if (pieces.length === 0) return { sql: '1', parameters: [] };
  return {
    sql: pieces.map(({ sql }) => sql).join(separator),
    parameters: pieces.flatMap(({ parameters }) => parameters),
  };
}

/**
 * The conditions on the row `r` with a key, whatever found it. Those of certain values look for an entry, which costs a
 * hundredth of what the row's own index does; they come first, and need no row. Bounds are tested by the row's own
 * index where few rows are, by the keys of all that are within them where many may be.
 */
function rowTests(scopeId: number, conditions: readonly Condition[], key: string, tested: 'few' | 'many'): Piece[] {
  const bounds = conditions.filter((condition) => !isExact(condition));
  return [
    ...conditions.filter(isExact).map((condition) => entryExists(scopeId, condition, key)),
    ...bounds.map((condition) => (tested === 'few' ? rowTest(condition) : isAmong(scopeId, condition, key))),
  ];
}

/** Whether a row that fulfils it has an entry of its key with one of certain values. */
export function isExact(condition: Condition): boolean {
  return 'eq' in condition || 'has' in condition || 'in' in condition;
}

function entryExists(scopeId: number, condition: Condition, key: string): Piece {
  const test = valueTest('x.value', condition);
  return {
    sql: `EXISTS (SELECT 1 FROM entries x WHERE x.place = ? AND x.name = ? AND ${test.sql} AND x.key = ${key})`,
    parameters: [scopeId, condition.index, ...test.parameters],
  };
}

function isAmong(scopeId: number, condition: Condition, key: string): Piece {
  const { sql, parameters } = entryTest(scopeId, condition);
  return { sql: `${key} IN (SELECT e.key FROM entries e WHERE ${sql})`, parameters };
}

function rowTest(condition: Condition): Piece {
  const test = valueTest('(p.value ->> 1)', condition);
  return {
    sql: `EXISTS (SELECT 1 FROM json_each(r.idx) p WHERE p.value ->> 0 = ? AND ${test.sql})`,
    parameters: [condition.index, ...test.parameters],
  };
}

/** The condition on index entries `e` of a place (the number of a collection and scope), read in order of value. */
export function entryTest(scopeId: number, condition: Condition): Piece {
  const test = valueTest('e.value', condition);
  return {
    sql: `e.place = ? AND e.name = ? AND ${test.sql}`,
    parameters: [scopeId, condition.index, ...test.parameters],
  };
}

/** Found rows as (id, key, ov); `ov` is the value ordered by. */
export interface Ordering {
  direction: 'ASC' | 'DESC';
  beyond: '>' | '<';
}

function orderingOf(query: Query): Ordering {
  return query.orderBy?.direction === 'desc' ? { direction: 'DESC', beyond: '<' } : { direction: 'ASC', beyond: '>' };
}

/** Few rows fulfil `driver`: take them all, test the rest, sort. */
export function fromFew(scopeId: number, query: Query, driver: Condition, limit: number): Piece {
  const found = entryTest(scopeId, driver);
  const others = (query.where ?? []).filter((condition) => condition !== driver);
  const few = { sql: `SELECT DISTINCT e.key FROM entries e WHERE ${found.sql}`, parameters: found.parameters };
  return sorted(scopeId, query, few, rowTests(scopeId, others, 'few.key', 'few'), limit);
}

/** The rows with the keys, which fulfil all exact conditions: test the rest, sort. */
export function amongKeys(scopeId: number, query: Query, keys: readonly string[], limit: number): Piece {
  const few = { sql: 'SELECT value AS key FROM json_each(?)', parameters: [JSON.stringify(keys)] };
  const others = (query.where ?? []).filter((condition) => !isExact(condition));
  return sorted(scopeId, query, few, rowTests(scopeId, others, 'few.key', 'few'), limit);
}

/** Keys of rows that fulfil all of the conditions, which are exact ones: entries of `driver`, and the rest by key. */
export function keysOfAll(scopeId: number, conditions: readonly Condition[], driver: Condition, limit: number): Piece {
  const found = entryTest(scopeId, driver);
  const others = conditions.filter((condition) => condition !== driver);
  const tests = joined([found, ...rowTests(scopeId, others, 'e.key', 'few')], ' AND ');
  return {
    sql: `SELECT DISTINCT e.key FROM entries e WHERE ${tests.sql} LIMIT ?`,
    parameters: [...tests.parameters, limit],
  };
}

function sorted(scopeId: number, query: Query, few: Piece, tests: readonly Piece[], limit: number): Piece {
  const { direction, beyond } = orderingOf(query);
  const rest = joined(tests, ' AND ');
  const value: Piece = query.orderBy
    ? {
        sql: '(SELECT p.value ->> 1 FROM json_each(r.idx) p WHERE p.value ->> 0 = ?)',
        parameters: [query.orderBy.index],
      }
    : { sql: 'NULL', parameters: [] };
  const after = afterTest(query, beyond);
  return {
    sql: `WITH few AS MATERIALIZED (${few.sql}),
      tested AS (SELECT r.id, r.key, ${value.sql} AS ov FROM few CROSS JOIN rows r ON r.place = ? AND r.key = few.key
        WHERE ${rest.sql})
      SELECT id, key, ov FROM tested WHERE ${after.sql} ORDER BY ov IS NULL, ov ${direction}, key ${direction} LIMIT ?`,
    parameters: [...few.parameters, ...value.parameters, scopeId, ...rest.parameters, ...after.parameters, limit],
  };
}

function afterTest({ after, orderBy }: Query, beyond: string): Piece {
  if (!after) return { sql: '1', parameters: [] };
  if (!orderBy) return { sql: 'key > ?', parameters: [after.key] };
  if (after.value === null) return { sql: `ov IS NULL AND key ${beyond} ?`, parameters: [after.key] };
  return {
    sql: `(ov ${beyond} ? OR (ov = ? AND key ${beyond} ?) OR ov IS NULL)`,
    parameters: [after.value, after.value, after.key],
  };
}

/**
 * Along the index ordered by: rows with a value. Conditions on that index bound the walk; `within` says past how many
 * entries it goes at most.
 */
export function alongIndex(scopeId: number, query: Query, index: string, limit: number, within: number | null): Piece {
  const { direction, beyond } = orderingOf(query);
  const own = (query.where ?? []).filter((condition) => condition.index === index && !('has' in condition));
  const others = (query.where ?? []).filter((condition) => !own.includes(condition));
  const bounds = joined(
    [
      { sql: 'e.place = ? AND e.name = ?', parameters: [scopeId, index] },
      ...own.map((condition) => valueTest('e.value', condition)),
      ...(query.after
        ? [{ sql: `(e.value, e.key) ${beyond} (?, ?)`, parameters: [query.after.value, query.after.key] }]
        : []),
    ],
    ' AND ',
  );
  const tests = joined(rowTests(scopeId, others, 'e.key', within === null ? 'many' : 'few'), ' AND ');
  const order = `ORDER BY e.value ${direction}, e.key ${direction} LIMIT ?`;
  const walked = walkedPart('entries e', 'e.place, e.name, e.value, e.key', bounds, order, within);
  return {
    sql: `SELECT r.id, e.key, e.value AS ov FROM ${walked.sql} e CROSS JOIN rows r ON r.place = e.place AND r.key = e.key
      WHERE ${bounds.sql} AND ${tests.sql} ${order}`,
    parameters: [...walked.parameters, ...bounds.parameters, ...tests.parameters, limit],
  };
}

/** By key: every row of the scope, or those without a value in `without`; past `within` rows at most. */
export function alongKeys(
  scopeId: number,
  query: Query,
  without: string | null,
  limit: number,
  within: number | null,
): Piece {
  const { direction, beyond } = orderingOf(query);
  const isBehind = query.after && (without === null || query.after.value === null);
  const bounds = joined(
    [
      { sql: 'r.place = ?', parameters: [scopeId] },
      ...(isBehind ? [{ sql: `r.key ${beyond} ?`, parameters: [query.after!.key] }] : []),
    ],
    ' AND ',
  );
  const tests = joined(
    [
      ...rowTests(scopeId, query.where ?? [], 'r.key', within === null ? 'many' : 'few'),
      ...(without === null
        ? []
        : [{ sql: 'NOT EXISTS (SELECT 1 FROM json_each(r.idx) p WHERE p.value ->> 0 = ?)', parameters: [without] }]),
    ],
    ' AND ',
  );
  const order = `ORDER BY r.key ${direction} LIMIT ?`;
  const walked = walkedPart('rows r', 'r.id, r.place, r.key, r.idx', bounds, order, within);
  return {
    sql: `SELECT r.id, r.key, NULL AS ov FROM ${walked.sql} r WHERE ${bounds.sql} AND ${tests.sql} ${order}`,
    parameters: [...walked.parameters, ...bounds.parameters, ...tests.parameters, limit],
  };
}

/** By key among the entries of one exact value; past `within` of them at most. */
export function alongEntries(
  scopeId: number,
  query: Query,
  driver: Condition,
  limit: number,
  within: number | null,
): Piece {
  const found = entryTest(scopeId, driver);
  const bounds = query.after ? joined([found, { sql: 'e.key > ?', parameters: [query.after.key] }], ' AND ') : found;
  const others = (query.where ?? []).filter((condition) => condition !== driver);
  const tests = joined(rowTests(scopeId, others, 'e.key', within === null ? 'many' : 'few'), ' AND ');
  const order = 'ORDER BY e.key LIMIT ?';
  const walked = walkedPart('entries e', 'e.place, e.name, e.value, e.key', bounds, order, within);
  return {
    sql: `SELECT r.id, e.key, NULL AS ov FROM ${walked.sql} e CROSS JOIN rows r ON r.place = e.place AND r.key = e.key
      WHERE ${bounds.sql} AND ${tests.sql} ${order}`,
    parameters: [...walked.parameters, ...bounds.parameters, ...tests.parameters, limit],
  };
}

/** A table, or the first rows of it that are within the bounds. */
function walkedPart(table: string, columns: string, bounds: Piece, order: string, within: number | null): Piece {
  if (within === null) return { sql: table.slice(0, -2), parameters: [] };
  return {
    sql: `(SELECT ${columns} FROM ${table} WHERE ${bounds.sql} ${order})`,
    parameters: [...bounds.parameters, within],
  };
}
