import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../testing/browser.js';
import { StartedService } from '../../testing/started-service.js';

const key = 'reference_owner_0123456789abcdef0123456789abcdef';
let service: StartedService | undefined;
let browser: Browser;
let url: string;

beforeAll(async () => {
  service = await StartedService.start('Reference', key);
  ({ url } = service);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** The page in a tab that reaches no other host; gives what it tried to reach, and every fault that the tab shows. */
async function opened(path: string): Promise<{ page: Page; foreign: string[]; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 } });
  const page = await context.newPage();
  const foreign: string[] = [];
  const faults: string[] = [];
  await page.route(
    (address) => address.origin !== url,
    async (route) => {
      foreign.push(route.request().url());
      await route.abort();
    },
  );
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  await page.goto(`${url}${path}`);
  return { page, foreign, faults };
}

const section = (page: Page, operation: string) => page.locator(`[id$="${operation}"]`).first();

describe('the page /docs in a browser (rule G30)', () => {
  it('shows the operations with samples for curl, TypeScript and Python, and asks no other host', async () => {
    const { page, foreign, faults } = await opened('/docs#tag/agents/GET/v1/agents');
    await section(page, 'tag/agents/GET/v1/agents').getByRole('button', { name: /curl/i }).click();
    for (const language of ['Curl', 'Python', 'TypeScript'])
      await page.getByRole('option', { name: language }).first().waitFor();
    await page.getByRole('option', { name: 'TypeScript' }).click();
    await section(page, 'tag/agents/GET/v1/agents').getByText('agent-service-client').first().waitFor();
    expect({ foreign, faults }).toEqual({ foreign: [], faults: [] });
    await page.context().close();
  });

  it('calls the service with a key that it keeps in its memory only', async () => {
    const { page, foreign, faults } = await opened('/docs#tag/agents/GET/v1/agents');
    await section(page, 'tag/agents/GET/v1/agents')
      .getByRole('button', { name: /test request/i })
      .click();
    const client = page.getByRole('dialog');
    await client.getByPlaceholder('Token').fill(key);
    const answered = page.waitForResponse(`${url}/v1/agents?*`);
    await client.getByRole('button', { name: /^send get request/i }).click();
    expect((await answered).status()).toBe(200);
    // the page keeps its choices a while after they are made
    await page.waitForFunction("Object.keys(localStorage).some((name) => name.includes('reference'))");
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    expect(kept).not.toContain(key);
    await page.reload();
    await section(page, 'tag/agents/GET/v1/agents')
      .getByRole('button', { name: /test request/i })
      .click();
    expect(await client.getByPlaceholder('Token').inputValue()).toBe('');
    expect({ foreign, faults }).toEqual({ foreign: [], faults: [] });
    await page.context().close();
  });
});
