import type { Page } from 'playwright-core';
import type { Agent } from '../harness/index.js';

/** Before the service's agents come a hundred others, a page of their own. */
export async function withPageOfOthers(page: Page): Promise<void> {
  const behind = 'behind-others';
  await page.route(/\/v1\/agents\?/, async (route) => {
    const url = new URL(route.request().url());
    const cursor = url.searchParams.get('cursor');
    if (cursor === behind) url.searchParams.delete('cursor');
    if (cursor !== null) return route.continue({ url: url.href });
    const { items } = (await (await route.fetch()).json()) as { items: Agent[] };
    const others = Array.from({ length: 100 }, (_, n) => ({ ...items[0], id: `agent_other${n}`, name: `Other ${n}` }));
    return route.fulfill({ json: { items: others, has_more: true, next_cursor: behind } });
  });
}
