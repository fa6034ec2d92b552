import { jsonSize, jsonSizeMax, type JsonObject, type QueryCursor, type ReadRow } from '@aos/kernel';
import { MemoryReadStore } from '@aos/adapters/memory';
import { pageBytesMax } from '../decisions/page-size.js';
import { visiblePage, type VisiblePage } from './visible-page.js';

const row = (n: number, chars: number): ReadRow => ({
  collection: 'things@1',
  scope: ['org_1'],
  key: String(n).padStart(4, '0'),
  revision: 1,
  doc: { n, text: 'x'.repeat(chars) },
  index: { at: n },
});

async function pagesOf(
  sizes: readonly number[],
  limit: number,
  sees: (n: number) => boolean = () => true,
): Promise<number[][]> {
  const store = new MemoryReadStore();
  await store.put(sizes.map((chars, n) => row(n, chars)));
  const pages: number[][] = [];
  for (let after: QueryCursor | null = null, more = true; more;) {
    const { items, next }: VisiblePage<JsonObject> = await visiblePage(
      store,
      { collection: 'things@1', scope: ['org_1'], orderBy: { index: 'at', direction: 'asc' } },
      { limit, after, large: true },
      async ({ doc }) => (sees(Number(doc.n)) ? doc : null),
    );
    expect(items.length).toBeLessThanOrEqual(limit);
    if (items.length > 1) expect(jsonSize(items)).toBeLessThanOrEqual(pageBytesMax);
    pages.push(items.map(({ n }) => Number(n)));
    after = next;
    more = next !== null;
  }
  return pages;
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const MiB = 1024 * 1024;

describe('a page of large items', () => {
  it('ends before its bytes are over, and the pages together hold every item once', async () => {
    const pages = await pagesOf(
      [...upTo(30).map(() => MiB / 2), ...upTo(70).map(() => 10), ...upTo(20).map(() => MiB)],
      100,
    );
    expect(pages.flat()).toEqual(upTo(120));
    expect(pages.length).toBeLessThan(10);
    expect(pages[0]?.length).toBeGreaterThan(10);
  });

  it('holds one item that is larger than a page alone', async () => {
    expect(await pagesOf([10, 9 * MiB, 10, 9 * MiB, 9 * MiB], 10)).toEqual([[0], [1], [2], [3], [4]]);
  });

  it('is as long as asked for when items are small, whoever sees which', async () => {
    expect(
      (
        await pagesOf(
          upTo(250).map(() => 10),
          100,
        )
      ).map(({ length }) => length),
    ).toEqual([100, 100, 50]);
    expect(
      (
        await pagesOf(
          upTo(250).map(() => 10),
          100,
          (n) => n % 50 === 0,
        )
      ).flat(),
    ).toEqual([0, 50, 100, 150, 200]);
  });
});

describe('a small page of few rows among many', () => {
  const store = new MemoryReadStore();
  beforeAll(() => store.put(upTo(3_000).map((n) => row(n, 1))));

  it.each([[1], [3]])('of %d items is found however many rows out of reach lie between', async (limit) => {
    const sought = [700, 701, 1_500, 2_950];
    const pages: number[][] = [];
    for (let after: QueryCursor | null = null, more = true; more;) {
      const { items, next }: VisiblePage<JsonObject> = await visiblePage(
        store,
        { collection: 'things@1', scope: ['org_1'], orderBy: { index: 'at', direction: 'asc' } },
        { limit, after, hidesRest: true },
        async ({ doc }) => (sought.includes(Number(doc.n)) ? doc : null),
      );
      pages.push(items.map(({ n }) => Number(n)));
      after = next;
      more = next !== null;
    }
    expect(pages).toEqual(limit === 1 ? sought.map((n) => [n]) : [sought.slice(0, 3), sought.slice(3)]);
  });
});

describe('a page that rows out of reach alone follow', () => {
  const store = new MemoryReadStore();
  const pageTo = (seen: number, hidesRest: boolean) =>
    visiblePage<JsonObject>(
      store,
      { collection: 'things@1', scope: ['org_1'], orderBy: { index: 'at', direction: 'asc' } },
      { limit: 10, after: null, hidesRest },
      async ({ doc }) => (Number(doc.n) < 10 || Number(doc.n) === seen ? doc : null),
    );
  beforeAll(() => store.put(upTo(400).map((n) => row(n, 1))));

  it('is the last one where the rest is hidden, and not for who reads on from where it ended', async () => {
    expect((await pageTo(-1, true)).next).toBeNull();
    expect((await pageTo(-1, false)).next).not.toBeNull();
  });

  it.each([[10], [11], [399]])('is not the last one when row %d is within reach', async (seen) => {
    const { items, next } = await pageTo(seen, true);
    expect(items).toHaveLength(10);
    expect(next).toEqual((await pageTo(seen, false)).next);
  });
});

test('the size of JSON is near the bytes that it takes', () => {
  const value: JsonObject = { a: ['x'.repeat(100), 1, null, true], b: { c: 'y'.repeat(50) } };
  expect(Math.abs(jsonSize(value) - JSON.stringify(value).length)).toBeLessThan(20);
});

test.each([
  [''],
  ['\u0000\u001f'.repeat(50)],
  ['€😀'.repeat(50)],
  ['\ud800'.repeat(50)],
  [-Number.MAX_VALUE],
  [Number.MIN_VALUE],
  [null],
  [false],
])('no more bytes than the most that is said: %j', (value) => {
  for (const whole of [value, [value, value], { [String(value)]: value }])
    expect(jsonSizeMax(whole)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(whole)));
});
