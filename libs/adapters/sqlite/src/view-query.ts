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

/** The condition on a row `r`, whatever found it. */
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
  const { direction, beyond } = orderingOf(query);
  const found = entryTest(scopeId, driver);
  const rest = joined((query.where ?? []).filter((condition) => condition !== driver).map(rowTest), ' AND ');
  const value: Piece = query.orderBy
    ? {
        sql: '(SELECT p.value ->> 1 FROM json_each(r.idx) p WHERE p.value ->> 0 = ?)',
        parameters: [query.orderBy.index],
      }
    : { sql: 'NULL', parameters: [] };
  const after = afterTest(query, beyond);
  return {
    sql: `WITH few AS MATERIALIZED (SELECT DISTINCT e.key FROM entries e WHERE ${found.sql}),
      tested AS (SELECT r.id, r.key, ${value.sql} AS ov FROM few CROSS JOIN rows r ON r.place = ? AND r.key = few.key
        WHERE r.doc IS NOT NULL AND ${rest.sql})
      SELECT id, key, ov FROM tested WHERE ${after.sql} ORDER BY ov IS NULL, ov ${direction}, key ${direction} LIMIT ?`,
    parameters: [...found.parameters, ...value.parameters, scopeId, ...rest.parameters, ...after.parameters, limit],
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

/** Along the index ordered by: rows with a value. Conditions on that index bound the walk. */
export function alongIndex(scopeId: number, query: Query, index: string, limit: number): Piece {
  const { direction, beyond } = orderingOf(query);
  const own = (query.where ?? []).filter((condition) => condition.index === index && !('has' in condition));
  const tests = [
    ...own.map((condition) => valueTest('e.value', condition)),
    ...(query.where ?? []).filter((condition) => !own.includes(condition)).map(rowTest),
    ...(query.after
      ? [{ sql: `(e.value, e.key) ${beyond} (?, ?)`, parameters: [query.after.value, query.after.key] }]
      : []),
  ];
  const all = joined(tests, ' AND ');
  return {
    sql: `SELECT r.id, e.key, e.value AS ov FROM entries e CROSS JOIN rows r ON r.place = e.place AND r.key = e.key
      WHERE e.place = ? AND e.name = ? AND ${all.sql} ORDER BY e.value ${direction}, e.key ${direction} LIMIT ?`,
    parameters: [scopeId, index, ...all.parameters, limit],
  };
}

/** By key: every row of the scope, or those without a value in `without`. */
export function alongKeys(scopeId: number, query: Query, without: string | null, limit: number): Piece {
  const { direction, beyond } = orderingOf(query);
  const tests = joined(
    [
      ...(without === null
        ? []
        : [{ sql: 'NOT EXISTS (SELECT 1 FROM json_each(r.idx) p WHERE p.value ->> 0 = ?)', parameters: [without] }]),
      ...(query.where ?? []).map(rowTest),
      ...(query.after && (without === null || query.after.value === null)
        ? [{ sql: `r.key ${beyond} ?`, parameters: [query.after.key] }]
        : []),
    ],
    ' AND ',
  );
  return {
    sql: `SELECT r.id, r.key, NULL AS ov FROM rows r
          WHERE r.place = ? AND r.doc IS NOT NULL AND ${tests.sql} ORDER BY r.key ${direction} LIMIT ?`,
    parameters: [scopeId, ...tests.parameters, limit],
  };
}

/** By key among the entries of one exact value. */
export function alongEntries(scopeId: number, query: Query, driver: Condition, limit: number): Piece {
  const found = entryTest(scopeId, driver);
  const tests = joined(
    [
      ...(query.where ?? []).filter((condition) => condition !== driver).map(rowTest),
      ...(query.after ? [{ sql: 'e.key > ?', parameters: [query.after.key] }] : []),
    ],
    ' AND ',
  );
  return {
    sql: `SELECT r.id, e.key, NULL AS ov FROM entries e CROSS JOIN rows r ON r.place = e.place AND r.key = e.key
      WHERE ${found.sql} AND ${tests.sql} ORDER BY e.key LIMIT ?`,
    parameters: [...found.parameters, ...tests.parameters, limit],
  };
}
