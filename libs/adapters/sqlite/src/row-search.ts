import type { Condition, Query } from '@aos/kernel';
import {
  alongEntries,
  alongIndex,
  alongKeys,
  amongKeys,
  entryTest,
  fromFew,
  isExact,
  keysOfAll,
  type Piece,
} from './view-query.js';
import type { ViewRow, ViewsFile } from './views-file.js';

/** Rows that are sorted rather than walked past, and entries that are walked past before rows are looked for apart. */
const fewRows = 1000;
/** As many of them where a bound is tested, which takes each row's own index. */
const fewBounded = 200;
/** Entries of a condition that are counted, to see which has the fewest. */
const countedMax = 50_000;

type Views = Pick<ViewsFile, 'all' | 'get'>;

/**
 * Rows of a scope that fulfil the conditions of a query, in its order, from behind its cursor.
 *
 * Conditions that few rows fulfil lead to those rows. Others are asked of each row along the order, which finds a page
 * soon where many rows fulfil all of them. Where a thousand rows gave no page, what fulfils all conditions is looked
 * for by key: rows of one agent, and rows of one status, may be many, and those of both few. From there on a bound of
 * another index than the order's (since when) is tested by the keys of all that are within it.
 */
export function rowsOf(views: Views, scopeId: number, query: Query, limit: number): ViewRow[] {
  const where = query.where ?? [];
  const run = ({ sql, parameters }: Piece) => views.all(wholeRows(sql), ...parameters);
  const ordered = query.orderBy?.index;
  const bounded = where.some(({ index }) => index === ordered);
  const walkOnly = bounded && where.length === 1; // the walk reads just what it gives
  if (where.length > 0 && !walkOnly) {
    const [driver, matches] = cheapest(views, scopeId, where, fewRows + 1);
    if (driver && matches <= fewRows) return run(fromFew(scopeId, query, driver, limit));
  }
  if (ordered === undefined) {
    const one = where.find((condition) => 'eq' in condition || 'has' in condition);
    const along = (within: number | null) =>
      run(one ? alongEntries(scopeId, query, one, limit, within) : alongKeys(scopeId, query, null, limit, within));
    const soon = where.every(isExact) ? [] : along(fewBounded);
    return soon.length >= limit ? soon : along(null);
  }
  const isWithoutValue = query.after?.value === null;
  const exact = where.filter(isExact);
  const hasBound = where.some((condition) => condition.index !== ordered && !isExact(condition));
  if (exact.length > 1 || hasBound) {
    const within = hasBound ? fewBounded : fewRows;
    const soon = isWithoutValue ? [] : run(alongIndex(scopeId, query, ordered, limit, within));
    if (soon.length >= limit) return soon;
    const keys = exact.length > 1 ? keysOfFew(views, scopeId, exact) : null;
    if (keys) return run(amongKeys(scopeId, query, keys, limit));
  }
  const valued = isWithoutValue ? [] : run(alongIndex(scopeId, query, ordered, limit, null));
  if (valued.length >= limit || bounded || query.orderBy?.everyRow) return valued;
  if (haveAllValue(views, scopeId, ordered)) return valued;
  return [...valued, ...run(alongKeys(scopeId, query, ordered, limit - valued.length, null))];
}

/** Whether each row of the scope has an entry of the index, which has one value of a row at most. */
function haveAllValue(views: Views, scopeId: number, index: string): boolean {
  const counted = `SELECT (SELECT count(*) FROM rows WHERE place = ?1)
    = (SELECT count(*) FROM entries WHERE place = ?1 AND name = ?2) AS is_all`;
  return views.get(counted, scopeId, index)?.['is_all'] === 1;
}

/** How many rows of a scope fulfil the conditions, counted up to `max`. */
export function countOf(views: Views, scopeId: number, query: Query, max: number): number {
  const where = query.where ?? [];
  const [driver] = cheapest(views, scopeId, where, max);
  const piece = !driver
    ? alongKeys(scopeId, query, null, max, null)
    : where.every(isExact)
      ? keysOfAll(scopeId, where, driver, max)
      : fromFew(scopeId, query, driver, max);
  return views.get(`SELECT count(*) AS n FROM (${piece.sql})`, ...piece.parameters)?.['n'] as number;
}

/** Keys of the rows that fulfil all of the conditions; null when they are more than a few. */
function keysOfFew(views: Views, scopeId: number, conditions: readonly Condition[]): string[] | null {
  const [driver] = cheapest(views, scopeId, conditions, countedMax);
  const { sql, parameters } = keysOfAll(scopeId, conditions, driver!, fewRows + 1);
  const keys = views.all(sql, ...parameters).map(({ key }) => key as string);
  return keys.length > fewRows ? null : keys;
}

/** The condition that the fewest entries fulfil, counted up to `max`. */
function cheapest(views: Views, scopeId: number, where: readonly Condition[], max: number): [Condition | null, number] {
  let best: [Condition | null, number] = [null, Infinity];
  for (const condition of where) {
    const { sql, parameters } = entryTest(scopeId, condition);
    const counted = `SELECT count(*) AS n FROM (SELECT 1 FROM entries e WHERE ${sql} LIMIT ?)`;
    const matches = views.get(counted, ...parameters, max)?.['n'] as number;
    if (matches < best[1]) best = [condition, matches];
  }
  return best;
}

/**
 * The found rows themselves, in the order in which they were found: the limit inside keeps its order, the cross join
 * walks along it.
 */
function wholeRows(found: string): string {
  return `SELECT f.key, f.ov, r.revision, r.doc FROM (${found}) f CROSS JOIN rows r ON r.id = f.id`;
}
