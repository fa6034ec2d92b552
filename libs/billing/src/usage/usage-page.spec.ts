import { MemoryReadStore } from '@aos/adapters/memory';
import { usageCursorFromText, usageCursorToText, usagePage, type UsagePageQuery } from './usage-page.js';
import { callRows, type Quantities } from './usage.wire.js';

const scope = ['org_1'];

/** A store with a row for each of the calls, a second apart. */
async function withCalls(calls: Quantities[]): Promise<MemoryReadStore> {
  const store = new MemoryReadStore();
  await store.put(
    calls.map((quantities, n) => {
      const at = `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}.${String(n).padStart(6, '0')}Z`;
      const doc = { session_id: 'ses_1', turn_id: '', api_key_id: '', provider: '', model: 'm', recorded_at: at };
      const key = String(n).padStart(20, '0');
      const row = { ...doc, event_id: `e${n}`, quantities };
      return callRows.row({ scope, key, revision: 1, doc: row, index: { at } });
    }),
  );
  return store;
}

async function walked(store: MemoryReadStore, query: Partial<UsagePageQuery>): Promise<string[][]> {
  const pages: string[][] = [];
  let from: UsagePageQuery['from'] = null;
  do {
    const page = await usagePage(store, {
      ...{ scope, where: [], counter: undefined, isNewestFirst: false, limit: 2 },
      ...query,
      from,
    });
    pages.push(page.items.map(({ idempotency_key: key }) => key));
    from = page.next && usageCursorFromText(usageCursorToText(page.next));
  } while (from);
  return pages;
}

describe('rule TE72: pages of usage', () => {
  const all: Quantities = {
    input_tokens: 1,
    output_tokens: 2,
    cache_read_input_tokens: 3,
    cache_creation_input_tokens: 4,
  };

  it('go on within a call, in both directions', async () => {
    const store = await withCalls([{ input_tokens: 1 }, all, { output_tokens: 1 }]);
    const items = [
      'e0:input_tokens',
      'e1:input_tokens',
      'e1:output_tokens',
      'e1:cache_read_input_tokens',
      'e1:cache_creation_input_tokens',
      'e2:output_tokens',
    ];
    for (const limit of [1, 2, 3, 4, 5, 6, 7]) {
      expect((await walked(store, { limit })).flat()).toEqual(items);
      expect((await walked(store, { limit, isNewestFirst: true })).flat()).toEqual([...items].reverse());
    }
    expect(await walked(store, { limit: 3 })).toHaveLength(2);
  });

  it('of a counter that few calls have end after ten reads and go on in the next page', async () => {
    const calls = Array.from({ length: 12_000 }, (): Quantities => ({ input_tokens: 1 }));
    const store = await withCalls([...calls, { output_tokens: 7 }]);
    const pages = await walked(store, { counter: 'model.output_tokens' });
    expect(pages).toEqual([[], ['e12000:output_tokens']]);
  });
});
