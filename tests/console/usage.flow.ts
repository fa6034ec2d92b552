import { ConsoleTabs, lookAt, owner } from './flow.js';
import { person } from './person.js';

const tabs = ConsoleTabs.forThisFile();

const outputTokens = async (): Promise<number> =>
  (await owner.billing.listUsageEvents({ counter: 'model.output_tokens', limit: 1 }).page()).total_raw_quantity;

describe('usage', () => {
  it('CO7: is summed up by day, agent, model and key, and what costs nothing has no price', async () => {
    const before = await outputTokens();
    const page = await tabs.open('/');
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    const shown = page.locator('dl > div').filter({ hasText: 'Output tokens' }).locator('dd');
    await shown.waitFor();
    const count = Number((await shown.innerText()).replace(/\D/g, ''));
    expect(before).toBeGreaterThan(0);
    expect(count).toBeGreaterThanOrEqual(before);
    expect(count).toBeLessThanOrEqual(await outputTokens());
    await page.locator('.uplot canvas').waitFor();
    await page.getByRole('table', { name: 'By agent' }).getByRole('link', { name: 'support' }).waitFor();
    await page.getByRole('table', { name: 'By model' }).getByText('svc-scripted-1').waitFor();
    await page.getByRole('table', { name: 'By key' }).waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/credits|cost/i);
    await lookAt(page);

    await page.getByLabel('Time').selectOption('7');
    await page.waitForURL((url) => url.searchParams.get('days') === '7');
    await page.getByRole('table', { name: 'By agent' }).waitFor();
    await page.getByRole('tab', { name: 'Rows' }).click();
    const rows = page.getByRole('table', { name: 'Rows' });
    await rows.getByRole('link').first().waitFor();
    await lookAt(page);
    await page.getByLabel('Counts').selectOption('model.cache_creation_input_tokens');
    await page.getByText('No rows').waitFor();
    await page.getByLabel('Counts').selectOption('model.output_tokens');
    await rows.getByRole('cell', { name: 'output tokens' }).first().waitFor();
    expect(await rows.getByRole('cell', { name: 'input tokens' }).count()).toBe(0);
    await rows.getByRole('link').first().click();
    await page.waitForURL(/\/console\/sessions\/ses_/);
  });

  it('is shown to a key that may see it, and named to another one', async () => {
    const { key } = await person('user');
    const page = await tabs.open('/usage', { key });
    await page.getByText('svc.billing.view').first().waitFor();
    await lookAt(page);
  });
});
