import type { Call } from './transport.js';

interface PageShape {
  items?: unknown[];
  has_more?: boolean;
  next_cursor?: string | null;
  next_sequence?: number;
  prev_sequence?: number;
}

const allMax = 10_000;

/** How the page after one is asked for: the parameter that is set, or null after the last one. */
export type NextPage = (page: PageShape) => Record<string, string | number> | null;

export type ReadPage<Page> = (next: Record<string, string | number>) => Promise<Page>;

/** A list: its rows one after another over all pages, or page by page. Nothing is asked for before it is read. */
export class Pages<Item, Page> implements AsyncIterable<Item> {
  constructor(
    private readonly read: ReadPage<Page>,
    private readonly next: NextPage,
  ) {}

  /** The first page as the service gives it. */
  page(): Promise<Page> {
    return this.read({});
  }

  /** Every page as the service gives it. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let asked: Record<string, string | number> | null = {};
    while (asked !== null) {
      const page: Page = await this.read(asked);
      yield page;
      const following = this.next(page as PageShape);
      if (following !== null && JSON.stringify(following) === JSON.stringify(asked))
        throw new Error('a page has more but leads nowhere');
      asked = following;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* ((page as PageShape).items ?? []) as Item[];
  }

  /** All rows as an array. Refuses a list of more than `max` rows, 10,000 when left out. */
  async all(max: number = allMax): Promise<Item[]> {
    const rows: Item[] = [];
    for await (const row of this) {
      if (rows.length === max) throw new RangeError(`the list has more than ${max} rows`);
      rows.push(row);
    }
    return rows;
  }
}

/** By flag of the operation (see `operations.ts`): what continues a page of that list. */
export function nextPageBy(flag: string, query: Call['query']): NextPage {
  if (flag === 'w') return () => null;
  if (flag === 's') return ({ has_more, ...page }) => (has_more ? nextRows(page, query) : null);
  const name = flag === 'a' ? 'after' : 'cursor';
  return ({ has_more, next_cursor }) => (has_more && next_cursor ? { [name]: next_cursor } : null);
}

/** Rows by sequence; from the newest end the pages go back. */
function nextRows(
  { next_sequence, prev_sequence, items }: PageShape,
  query: Call['query'],
): Record<string, number> | null {
  const rows = (items ?? []) as { sequence: number }[];
  if (query?.['order'] === 'desc') {
    const before = prev_sequence ?? rows[0]?.sequence;
    return before === undefined ? null : { before_sequence: before };
  }
  const after = next_sequence ?? rows.at(-1)?.sequence;
  return after === undefined ? null : { after_sequence: after };
}
