import type { Page } from 'playwright-core';
import { createAgent, createSession, eventually, type Agent } from '../harness/index.js';
import { api, transcript } from './conversations.js';
import { ConsoleTabs, freshName, lookAt } from './flow.js';

const tabs = ConsoleTabs.forThisFile();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api);
});

const hostile = [
  `<script>window.broken = 'script'</script><img src=x onerror="window.broken = 'image'">`,
  `<svg onload="window.broken = 'svg'"><foreignObject><iframe srcdoc="<script>top.broken = 1</script>"></iframe></svg>`,
  `[a script](javascript:window.broken='link') [data](data:text/html,<script>window.broken=1</script>) [file](file:///etc/passwd)`,
  `[mail](mailto:a@example.com) [web](https://example.com/?a=1) ![pixel](https://example.com/pixel.png "x")`,
  `<a href="javascript:window.broken='anchor'">click</a> <form action="https://example.com"><button>send</button></form>`,
  `\u001b]0;title\u0007\u001b[31mred\u001b[0m text, and invoice\u202Egnp.exe, pass\u200Bword`,
  `<style>body { display: none }</style><base href="https://example.com"><meta http-equiv="refresh" content="0">`,
  '| a | b |\n|---|---|\n| <b>bold</b> | `<i>` |\n\n- [ ] task\n\n```html\n<script>window.broken = 2</script>\n```',
];
const word = 'W'.repeat(1_000_000);

async function opened(messages: object[]): Promise<Page> {
  const { id } = await createSession(api, agent.id, {
    session_key: freshName('hostile'),
    title: freshName('Hostile'),
    metadata: { '<b>': hostile[0] },
  });
  await api.post(`/v1/sessions/${id}/messages`, { messages }, 200);
  const page = await tabs.open(`/sessions/${id}`);
  page.on('dialog', (dialog) => {
    throw new Error(`a dialog: ${dialog.message()}`);
  });
  return page;
}

async function top(page: Page): Promise<void> {
  await transcript(page).evaluate((element) => element.scrollTo(0, 0));
}

describe('a hostile transcript', () => {
  it('is shown as text: no element of it, no dialog, no violation', async () => {
    const requests: string[] = [];
    const said = hostile.map((text) => ({ type: 'text', text }));
    const page = await opened([
      { role: 'user', content: said },
      { role: 'assistant', content: said },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: hostile[0] },
          { type: 'tool_use', id: 'toolu_1', name: '<b>tool</b>\u202E', input: { [hostile[0] as string]: hostile[1] } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: hostile.join('\n') }] },
    ]);
    page.on('request', (request) => requests.push(request.url()));
    await page.getByRole('button', { name: 'Thinking' }).click();
    await page.getByRole('button', { name: /<b>tool<\/b>/ }).click();
    await page.getByRole('region', { name: 'Output' }).getByText('⟨U+202E⟩gnp.exe').waitFor();
    for (const at of [1_000_000, 600, 0]) {
      await transcript(page).evaluate((element, to) => element.scrollTo(0, to), at);
      await page.locator('[data-row-id]').first().waitFor();
      const log = transcript(page);
      expect(
        await log.locator('script, svg foreignObject, iframe, img, form, style, base, meta, b, i, object').count(),
      ).toBe(0);
      const hrefs = await log.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
      expect(
        hrefs.filter((href) => href === null || !/^(https:\/\/example\.com\/|mailto:a@|\/console\/)/.test(href)),
      ).toEqual([]);
    }
    await top(page);
    await transcript(page).getByText("<script>window.broken = 'script'</script>").first().waitFor();
    await transcript(page).getByText('red text, and invoice⟨U+202E⟩gnp.exe, pass⟨U+200B⟩word').first().waitFor();
    const web = transcript(page).getByRole('link', { name: 'web' }).first();
    expect(await web.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(requests.filter((url) => url.includes('example.com'))).toEqual([]);
    expect(await page.locator('body').isVisible()).toBe(true);
    await lookAt(page);
  });

  it('wraps a word of a megabyte, and cuts it until it is wanted whole', async () => {
    const page = await opened([{ role: 'assistant', content: [{ type: 'text', text: word }] }]);
    const row = page.getByRole('article', { name: /^Agent/ });
    await row.getByRole('button', { name: /^Show all/ }).waitFor();
    expect((await row.innerText()).length).toBeLessThan(20_000);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280);
    expect(await row.evaluate((element) => element.scrollWidth <= element.clientWidth + 1)).toBe(true);
    await row.getByRole('button', { name: /^Show all/ }).click();
    const isWhole = `document.querySelector('article').textContent.length > 1_000_000`;
    await eventually('the whole word', () => page.evaluate<boolean>(isWhole));
    expect(await row.evaluate((element) => element.scrollWidth <= element.clientWidth + 1)).toBe(true);
  });

  it('puts text from right to left where it belongs', async () => {
    const page = await opened([{ role: 'user', content: [{ type: 'text', text: 'שלום עולם' }] }]);
    const isRightToLeft = `[...document.querySelectorAll('article p')].some(
      (p) => p.textContent === 'שלום עולם' && getComputedStyle(p).direction === 'rtl')`;
    await eventually('text from right to left', () => page.evaluate<boolean>(isRightToLeft));
  });
});
