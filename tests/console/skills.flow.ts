import { eventually } from '../harness/index.js';
import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';

const tabs = ConsoleTabs.forThisFile();

describe('skills', () => {
  it('are made, changed and deleted', async () => {
    const name = freshName('skill');
    const page = await tabs.open('/skills');
    await page.getByRole('button', { name: 'New skill' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('dialog').getByLabel('Instructions').fill('Greet first.');
    await page.getByRole('button', { name: 'Make skill' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.locator('.cm-content').waitFor();
    await lookAt(page);

    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' Then ask.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const [saved] = await owner.skills.list({ name }).all();
    expect(saved?.instructions).toBe('Greet first. Then ask.');

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'Skills' }).waitFor();
    expect(await owner.skills.list({ name }).all()).toEqual([]);
  });

  it.each([
    ['/skills', 'Skills', 'Exact name', 'name'],
    ['/agents', 'Agents', 'Search name, description, model, tags', 'q'],
  ])(
    '%s: the text of the search is what the address says, back and forward too',
    async (path, heading, label, filter) => {
      const page = await tabs.open(`${path}?${filter}=none-such`);
      const field = page.getByLabel(label);
      expect(await field.inputValue()).toBe('none-such');
      await page.getByRole('navigation').getByRole('link', { name: heading, exact: true }).click();
      await eventually('the search is empty', async () => (await field.inputValue()) === '');
      await page.goBack();
      await eventually('the search is back', async () => (await field.inputValue()) === 'none-such');
      await page.goForward();
      await eventually('the search is empty again', async () => (await field.inputValue()) === '');
    },
  );

  it('show their call without the key', async () => {
    const page = await tabs.open('/skills');
    await page.getByRole('button', { name: 'API: show the API call' }).click();
    const text = await page.getByLabel('API call').locator('pre').innerText();
    expect(text).toContain('/v1/skills?limit=50');
    expect(text).toContain('$SVC_KEY');
    await lookAt(page);
  });
});
