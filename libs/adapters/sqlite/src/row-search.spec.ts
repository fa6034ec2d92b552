import type { Condition, Query, QueryCursor, ReadRow } from '@aos/kernel';
import { ManualClock, threadTime } from '@aos/kernel/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteReadStore } from './sqlite-read-store.js';
import { ViewsFile } from './views-file.js';

const directory = mkdtempSync(join(tmpdir(), 'aos-search-'));
const scope = ['org_1'];
const count = 6_000; // more than the search takes one by one

interface Thing {
  key: string;
  agent: string;
  status: string;
  tags: string[];
  number: number;
  /** None has no value in the index. */
  at: number | null;
}

/** Many of each agent and of each status; few of agent b are done, all of them old, and none of agent c. */
function thingOf(n: number): Thing {
  const agent = 'abc'[n % 3]!;
  const isDone = agent === 'a' ? n % 2 === 0 : agent === 'b' && n < 90;
  return {
    key: `k${((n * 7_919) % count).toString().padStart(5, '0')}`,
    agent,
    status: isDone ? 'done' : n % 5 === 0 ? 'failed' : 'open',
    tags: n % 4 === 0 ? ['x', 'y'] : ['y'],
    number: n,
    at: n % 50 === 7 ? null : Math.floor(n / 3),
  };
}
const things = Array.from({ length: count }, (_none, n) => thingOf(n));

const rowOf = ({ key, agent, status, tags, number, at }: Thing): ReadRow => ({
  collection: 'things',
  scope,
  key,
  revision: 1,
  doc: {},
  index: { agent, status, tags, number, ...(at === null ? {} : { at }) },
});

let views: ViewsFile;
let store: SqliteReadStore;
beforeAll(async () => {
  views = await ViewsFile.open({ file: join(directory, 'views.db'), clock: new ManualClock() });
  store = new SqliteReadStore(views);
  for (let n = 0; n < count; n += 500) await store.put(things.slice(n, n + 500).map(rowOf));
  await store.put([{ ...rowOf(thingOf(1)), key: 'gone', doc: null, index: {} }]);
});
afterAll(async () => {
  await views.close();
  rmSync(directory, { recursive: true });
});

const agentIs = (eq: string): Condition => ({ index: 'agent', eq });
const statusIn = (...states: string[]): Condition => ({ index: 'status', in: states });
const tagged = (has: string): Condition => ({ index: 'tags', has });
const numbered = (gte: number): Condition => ({ index: 'number', gte });
const since = (gte: number): Condition => ({ index: 'at', gte });

function fulfils(thing: Thing, condition: Condition): boolean {
  const value = thing[condition.index as keyof Thing];
  if ('eq' in condition) return value === condition.eq;
  if ('has' in condition) return thing.tags.includes(String(condition.has));
  if ('in' in condition) return condition.in.includes(String(value));
  return 'gte' in condition && typeof value === 'number' && value >= Number(condition.gte);
}

/** Keys of what fulfils all, by `at`, those without last, then by key; both the other way round with `desc`. */
function expectedKeys(where: readonly Condition[], direction: 'asc' | 'desc' | null): string[] {
  const found = things.filter((thing) => where.every((condition) => fulfils(thing, condition)));
  const sign = direction === 'desc' ? -1 : 1;
  const byKey = (a: Thing, b: Thing) => (a.key < b.key ? -sign : sign);
  const byTime = (a: Thing, b: Thing) =>
    Number(a.at === null) - Number(b.at === null) || sign * ((a.at ?? 0) - (b.at ?? 0)) || byKey(a, b);
  return found.sort(direction === null ? byKey : byTime).map(({ key }) => key);
}

async function allKeys(query: Omit<Query, 'collection' | 'scope' | 'limit'>, limit: number): Promise<string[]> {
  const keys: string[] = [];
  let after: QueryCursor | null = null;
  do {
    const page = await store.query({ collection: 'things', scope, limit, ...query, ...(after ? { after } : {}) });
    keys.push(...page.rows.map(({ key }) => key));
    after = page.next;
  } while (after);
  return keys;
}

const searches: [string, Condition[]][] = [
  ['many, spread', [agentIs('a'), statusIn('done')]],
  ['few, all of them old', [agentIs('b'), statusIn('done')]],
  ['none', [agentIs('c'), statusIn('done')]],
  ['two states of one agent', [agentIs('b'), statusIn('done', 'failed')]],
  ['three conditions', [agentIs('c'), statusIn('open', 'failed'), tagged('x')]],
  ['three conditions, few rows', [agentIs('b'), statusIn('done'), tagged('x')]],
  ['two conditions of one index', [tagged('x'), tagged('y'), agentIs('b')]],
  ['a bound of the order too', [agentIs('a'), statusIn('done'), since(1_000)]],
  ['a bound of the order too, few rows', [agentIs('b'), statusIn('done'), since(20)]],
  ['a bound of another index', [numbered(3_000)]],
  ['a bound of another index, at the end', [agentIs('a'), numbered(4_500)]],
  ['one condition', [statusIn('failed')]],
];

describe.each(searches)('rows that fulfil conditions of which each has many: %s', (_what, where) => {
  test.each(['asc', 'desc'] as const)('are found page by page, in order: %s', async (direction) => {
    const orderBy = { index: 'at', direction };
    expect(await allKeys({ where, orderBy }, 37)).toEqual(expectedKeys(where, direction));
    expect(await allKeys({ where, orderBy }, 1_000)).toEqual(expectedKeys(where, direction));
  });

  test('are found by key, and counted', async () => {
    const expected = expectedKeys(where, null);
    expect(await allKeys({ where }, 37)).toEqual(expected);
    expect(await store.count({ collection: 'things', scope, where }, count)).toBe(expected.length);
  });
});

describe('a list in the order of an index that every row has', () => {
  const orderBy = { index: 'at', direction: 'asc' } as const;
  const timed = () => things.filter(({ at }) => at !== null);
  beforeAll(() => store.put(timed().map((thing) => ({ ...rowOf(thing), collection: 'timed' }))));

  test('ends at the last of them, on a page that costs no look at every row', async () => {
    const page = (after: QueryCursor | null) =>
      store.query({ collection: 'timed', scope, orderBy, limit: 20, ...(after ? { after } : {}) });
    const last = expectedKeys([], 'asc').slice(0, timed().length).at(-1)!;
    const before: QueryCursor = { value: count / 3 - 2, key: '' };
    const { rows, next } = await page(before);
    expect([rows.length, rows.at(-1)?.key, next]).toEqual([6, last, null]);
    expect((await threadTime(() => page(before))) / (await threadTime(() => page(null)))).toBeLessThan(25);
  });

  test('ends without a count of them where the order is said to have every row', async () => {
    const page = (everyRow: object) => () =>
      store.query({
        collection: 'timed',
        scope,
        orderBy: { ...orderBy, ...everyRow },
        limit: 20,
        after: { value: count / 3 - 2, key: '' },
      });
    const ended = page({ everyRow: true });
    expect(await ended()).toEqual(await page({})());
    expect((await threadTime(ended)) / (await threadTime(page({})))).toBeLessThan(0.7);
  });
});

test('a page of what fulfils two conditions, of which each has many rows, costs no look at every row', async () => {
  const page = (where: Condition[]) => () =>
    store.query({ collection: 'things', scope, where, orderBy: { index: 'at', direction: 'desc' }, limit: 20 });
  const ofMany = await threadTime(page([agentIs('c')]));
  const ofNone = await threadTime(page([agentIs('c'), statusIn('done')]));
  expect(ofNone / ofMany).toBeLessThan(25);
});

test.each<[string, Condition[]]>([
  ['of all', []],
  ['of those with one value', [tagged('y')]],
])('a page by key %s, behind many that a bound leaves out, costs no look at each of them', async (_what, others) => {
  await store.put(
    things.map((thing) => ({ ...rowOf(thing), collection: 'numbered', key: String(100_000 + thing.number) })),
  );
  const page = (from: number) => () =>
    store.query({ collection: 'numbered', scope, where: [...others, numbered(from)], limit: 20 });
  expect((await page(4_500)()).rows[0]?.key).toBe('104500');
  expect((await threadTime(page(4_500))) / (await threadTime(page(0)))).toBeLessThan(12);
});

test('a page behind many rows that a bound of another index leaves out costs no look at each of them', async () => {
  const page = (where: Condition[]) => () =>
    store.query({ collection: 'things', scope, where, orderBy: { index: 'at', direction: 'asc' }, limit: 20 });
  const ofMany = await threadTime(page([agentIs('c')]));
  const ofLast = await threadTime(page([numbered(4_500)]));
  expect(ofLast / ofMany).toBeLessThan(22);
});
