import type { Condition, IndexValue, JsonObject, Query, QueryCursor, QueryPage } from '@aos/kernel';
import {
  compareText,
  encodeValue,
  everyKey,
  everyValue,
  keyOf,
  lookupOf,
  meets,
  positionOf,
  type LexRange,
  type Lookup,
} from './index-members.js';

/** What a query needs of one (collection, scope). */
export interface Shelf {
  /** Members of an index (null: all keys) in a range, in order. */
  members(index: string | null, range: LexRange, descending: boolean, limit: number): Promise<string[]>;
  /** How many members each range has. */
  counts(ranges: readonly { index: string | null; range: LexRange }[]): Promise<number[]>;
  /** Index values of rows; null for those that are gone. */
  values(keys: readonly string[]): Promise<(Values | null)[]>;
  rows(keys: readonly string[]): Promise<(FoundRow | null)[]>;
}

export type Values = Readonly<Record<string, IndexValue>>;

export interface FoundRow {
  key: string;
  revision: number;
  doc: JsonObject;
  values: Values;
}

type Asked = Pick<Query, 'where' | 'orderBy'>;

/** A place from which rows come in the asked order. */
interface Walk {
  index: string | null;
  range: LexRange;
  /** Set when the members are those of one value: the order is that of the keys. */
  value: string | null;
  count: number;
}

interface Plan {
  walk: Walk;
  /** The narrowest condition, when its rows do not come in the asked order. */
  narrow: { lookup: Lookup; count: number } | null;
  total: number;
  /** How many rows have a value in the index of the order; all of them when none is asked for. */
  valued: number;
}

interface Entry {
  key: string;
  value: number | string | null;
}

const chunkMin = 32;
const chunkMax = 1_000;

const orderValue = (values: Values, orderBy: Query['orderBy']): number | string | null => {
  const value = orderBy ? values[orderBy.index] : undefined;
  return typeof value === 'number' || typeof value === 'string' ? value : null;
};

const holds = (values: Values | null, where: readonly Condition[]): values is Values =>
  values !== null && where.every((condition) => meets(values, condition));

/** Rows by value, those without one last; ties by key in the same direction. */
function compareEntries(a: Entry, b: Entry, descending: boolean): number {
  if (a.value === null || b.value === null) {
    if (a.value !== b.value) return a.value === null ? 1 : -1;
  } else {
    const byValue = compareText(encodeValue(a.value), encodeValue(b.value));
    if (byValue !== 0) return descending ? -byValue : byValue;
  }
  return descending ? compareText(b.key, a.key) : compareText(a.key, b.key);
}

/**
 * One page.
 *
 * Reads what is cheaper: the rows in the asked order, leaving out those that do not match, or all rows of the narrowest
 * condition, sorted. A walk that meets too few matches is given up for the latter, so that a page never reads more than
 * about three times the narrowest condition.
 */
export async function queryPage(shelf: Shelf, query: Query): Promise<QueryPage> {
  const where = query.where ?? [];
  if (where.some((condition) => 'in' in condition && condition.in.length === 0)) return { rows: [], next: null };
  const only = onlyWalk(query);
  if (only) return pageOf(shelf, query, (await walked(shelf, query, only)) ?? []);
  const plan = await planOf(shelf, query);
  if (plan.total === 0) return { rows: [], next: null };
  const walkCost =
    plan.walk.count * Math.min(1, (query.limit + 1) / Math.max(1, plan.narrow?.count ?? plan.walk.count));
  const entries =
    plan.narrow && plan.narrow.count < walkCost
      ? await collected(shelf, query, plan.narrow.lookup)
      : ((await walked(shelf, query, plan)) ?? (await collected(shelf, query, plan.narrow!.lookup)));
  return pageOf(shelf, query, entries);
}

/**
 * The plan of a query for all rows by key, or whose one condition is a range of the index that gives the order: nothing
 * is cheaper than that range, so nothing is counted. What polls for open work or timers that are due asks this way.
 */
function onlyWalk({ where = [], orderBy }: Query): Plan | null {
  const [condition] = where;
  if (!orderBy && !condition) return onlyPlan({ index: null, range: everyKey });
  if (!orderBy || !condition || where.length > 1 || condition.index !== orderBy.index) return null;
  const { index, ranges, distinct } = lookupOf(condition);
  const [range] = ranges;
  if (!range || range === everyValue || ranges.length > 1 || !distinct) return null;
  return onlyPlan({ index, range });
}

const onlyPlan = ({ index, range }: Pick<Walk, 'index' | 'range'>): Plan => ({
  walk: { index, range, value: null, count: 0 },
  narrow: null,
  total: 0,
  valued: 0,
});

async function planOf(shelf: Shelf, { where = [], orderBy }: Asked): Promise<Plan> {
  const lookups = where.map(lookupOf);
  const order = orderBy?.index ?? null;
  const walks: { index: string | null; range: LexRange; value: string | null }[] = [
    { index: order, range: order === null ? everyKey : everyValue, value: null },
  ];
  for (const lookup of lookups) {
    const [range] = lookup.ranges;
    const inOrder =
      order === null ? lookup.value !== null : lookup.index === order && lookup.distinct && lookup.ranges.length === 1;
    if (range && inOrder) walks.push({ index: lookup.index, range, value: order === null ? lookup.value : null });
  }
  const asked = [
    ...(order === null ? [] : [{ index: null, range: everyKey }]),
    ...walks,
    ...lookups.flatMap(({ index, ranges }) => ranges.map((range) => ({ index, range }))),
  ];
  const counts = await shelf.counts(asked);
  const total = (order === null ? counts[0] : counts.shift()) ?? 0;
  const counted = walks.map((walk) => ({ ...walk, count: counts.shift() ?? 0 }));
  const measured = lookups.map((lookup) => ({
    lookup,
    count: lookup.ranges.reduce((sum) => sum + (counts.shift() ?? 0), 0),
  }));
  const walk = counted.reduce((best, next) =>
    next.count < best.count || (next.count === best.count && next.value !== null) ? next : best,
  );
  const narrow = measured.reduce<Plan['narrow']>(
    (best, next) => (best && best.count <= next.count ? best : next),
    null,
  );
  return {
    walk: order !== null && walk === counted[0] ? { ...walk, count: total } : walk,
    narrow: narrow && narrow.count < walk.count ? narrow : null,
    total,
    valued: counted[0]?.count ?? 0,
  };
}

/**
 * Up to limit + 1 matching entries after the cursor in order; null when a narrower way exists and would have been
 * cheaper.
 */
async function walked(shelf: Shelf, query: Query, { walk, narrow, total, valued }: Plan): Promise<Entry[] | null> {
  const budget = narrow ? 2 * narrow.count + chunkMin : Number.POSITIVE_INFINITY;
  const found: Entry[] = [];
  const seen = { visited: 0 };
  const enough = () => found.length > query.limit;
  const inTail = query.orderBy !== undefined && query.after !== undefined && query.after.value === null;
  if (!inTail) {
    if (!(await walkRange(shelf, query, walk, { found, seen, budget }, enough))) return null;
    if (enough()) return found;
  }
  const wholeIndex = query.orderBy !== undefined && walk.index === query.orderBy.index && walk.range === everyValue;
  if (!wholeIndex) return found;
  if (!inTail && valued === total) return found; // every row has a value
  const tail: Walk = { index: null, range: everyKey, value: null, count: total };
  return (await walkRange(shelf, query, tail, { found, seen, budget }, enough, inTail ? query.after : null))
    ? found
    : null;
}

interface Progress {
  found: Entry[];
  seen: { visited: number };
  budget: number;
}

/** Adds matching entries until there are enough or the range ends; false when the budget is used up. */
async function walkRange(
  shelf: Shelf,
  query: Query,
  walk: Walk,
  progress: Progress,
  enough: () => boolean,
  after: QueryCursor | null | undefined = query.after,
): Promise<boolean> {
  const descending = query.orderBy?.direction === 'desc';
  const where = query.where ?? [];
  const tail = query.orderBy !== undefined && walk.index === null;
  const isEveryRow = query.orderBy === undefined && where.length === 0; // the page leaves out those that are gone
  let { min, max } = walk.range;
  if (after) {
    const bound = boundAfter(walk, query, after);
    if (descending) max = bound;
    else min = bound;
  }
  for (let chunk = Math.max(chunkMin, Math.min(query.limit + 1, chunkMax)); ; chunk = Math.min(2 * chunk, chunkMax)) {
    const members = await shelf.members(walk.index, { min, max }, descending, chunk);
    const keys = walk.index === null ? members : members.map(keyOf);
    const values = isEveryRow ? [] : await shelf.values(keys);
    for (const [n, key] of keys.entries()) {
      const own = isEveryRow ? {} : (values[n] ?? null);
      if (!holds(own, where)) continue;
      const value = orderValue(own, query.orderBy);
      if (tail ? value !== null : query.orderBy !== undefined && value === null) continue;
      progress.found.push({ key, value });
      if (enough()) return true;
    }
    if (members.length < chunk) return true;
    progress.seen.visited += members.length;
    if (progress.seen.visited > progress.budget) return false;
    if (descending) max = `(${members.at(-1) ?? ''}`;
    else min = `(${members.at(-1) ?? ''}`;
  }
}

function boundAfter(walk: Walk, query: Query, after: QueryCursor): string {
  if (walk.index === null) return `(${after.key}`;
  if (query.orderBy === undefined) return positionOf(walk.value ?? '', after.key);
  return positionOf(encodeValue(after.value ?? ''), after.key);
}

/** Every match of the narrowest condition after the cursor, sorted. */
async function collected(shelf: Shelf, query: Query, lookup: Lookup): Promise<Entry[]> {
  const descending = query.orderBy?.direction === 'desc';
  const { after } = query;
  const found: Entry[] = [];
  for await (const [key, values] of matches(shelf, query.where ?? [], lookup)) {
    const entry = { key, value: orderValue(values, query.orderBy) };
    const cursor = after && { key: after.key, value: query.orderBy ? after.value : null };
    if (!cursor || compareEntries(entry, cursor, descending) > 0) found.push(entry);
  }
  return found.sort((a, b) => compareEntries(a, b, descending));
}

/** Each matching row of a lookup once. */
async function* matches(
  shelf: Shelf,
  where: readonly Condition[],
  { index, ranges, distinct }: Lookup,
): AsyncGenerator<[string, Values]> {
  const given = new Set<string>();
  for (const range of ranges) {
    let { min } = range;
    for (;;) {
      const members = await shelf.members(index, { min, max: range.max }, false, chunkMax);
      const keys = members.map(keyOf).filter((key) => distinct || !given.has(key));
      const values = await shelf.values(keys);
      for (const [n, key] of keys.entries()) {
        const own = values[n] ?? null;
        if (!holds(own, where) || given.has(key)) continue;
        if (!distinct) given.add(key);
        yield [key, own];
      }
      if (members.length < chunkMax) break;
      min = `(${members.at(-1) ?? ''}`;
    }
  }
}

/** Reads the documents; a row that changed away since is left out. */
async function pageOf(shelf: Shelf, query: Query, entries: readonly Entry[]): Promise<QueryPage> {
  const page = entries.slice(0, query.limit);
  const rows = await shelf.rows(page.map(({ key }) => key));
  const where = query.where ?? [];
  const found = rows.filter((row): row is FoundRow => row !== null && holds(row.values, where));
  const last = page.at(-1);
  return {
    rows: found.map(({ key, revision, doc }) => ({ key, revision, doc })),
    next: last && entries.length > query.limit ? { value: last.value, key: last.key } : null,
  };
}

/** How many rows match, up to `max`. */
export async function countRows(shelf: Shelf, where: readonly Condition[], max: number): Promise<number> {
  const plan = await planOf(shelf, { where });
  if (where.length === 0) return Math.min(plan.total, max);
  const lookups = where.map(lookupOf);
  const sizes = await Promise.all(
    lookups.map(async ({ index, ranges }) =>
      (await shelf.counts(ranges.map((range) => ({ index, range })))).reduce((sum, size) => sum + size, 0),
    ),
  );
  const smallest = sizes.indexOf(Math.min(...sizes));
  const lookup = lookups[smallest]!;
  if (where.length === 1 && lookup.distinct) return Math.min(sizes[0] ?? 0, max);
  let count = 0;
  for await (const _ of matches(shelf, where, lookup)) {
    count += 1;
    if (count >= max) break;
  }
  return count;
}
