import type { Page } from 'playwright-core';

type Row = { id: string; name: string };

/** Before the service's agents, or the rows of another list, come a hundred others, a page of their own. */
export async function withPageOfOthers(page: Page, list = 'agents'): Promise<void> {
  const behind = 'behind-others';
  await page.route(new RegExp(`/v1/${list}\\?`), async (route) => {
    const url = new URL(route.request().url());
    const cursor = url.searchParams.get('cursor');
    if (cursor === behind) url.searchParams.delete('cursor');
    if (cursor !== null) return route.continue({ url: url.href });
    const { items } = (await (await route.fetch()).json()) as { items: Row[] };
    const others = Array.from({ length: 100 }, (_, n) => ({ ...items[0], id: `other${n}`, name: `Other ${n}` }));
    return route.fulfill({ json: { items: others, has_more: true, next_cursor: behind } });
  });
}
