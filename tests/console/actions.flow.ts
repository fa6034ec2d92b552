import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';
import { readerKey } from './reader.js';

const tabs = ConsoleTabs.forThisFile();
const schema = {
  type: 'object',
  properties: { order: { type: 'string' }, amount: { type: 'number' } },
  required: ['order'],
  additionalProperties: false,
};

describe('actions', () => {
  it('are made, changed, tried on a worker, duplicated and deleted', async () => {
    const name = `shop.${freshName('refund')}`;
    const page = await tabs.open('/actions');
    await page.getByRole('button', { name: 'New action' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Not A Name');
    await page.getByLabel('Kind').selectOption('worker');
    await page.getByRole('button', { name: 'Make action' }).click();
    await page.getByLabel('Name', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Make action' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();

    await page.getByLabel('Title').fill('Refund an order');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').waitFor();
    expect((await owner.actions.get(name)).title).toBe('Refund an order');
    await owner.actions.update(name, { input_schema: schema });
    await page.reload();
    await page.locator('.cm-content').nth(1).waitFor();
    await lookAt(page);

    const worker = owner.worker({
      actions: { [name]: (input) => Promise.resolve({ refunded: input['order'] ?? null }) },
    });
    try {
      await page.getByRole('tab', { name: 'Try' }).click();
      await page.getByLabel('order', { exact: true }).fill('o-1');
      await page.getByLabel('amount (optional)').fill('12.5');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('region', { name: 'Output' }).getByText('"o-1"').waitFor();
    } finally {
      await worker.close();
    }
    await lookAt(page);
    await page.getByRole('tab', { name: 'Runs' }).click();
    await page.getByRole('table', { name: 'Runs' }).getByText('success').waitFor();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Actions' }).waitFor();
    expect(await owner.actions.list({ name }).all()).toEqual([]);
  });

  it('say which agents are granted them, and show the built-in ones', async () => {
    const name = freshName('agent');
    await owner.agents.create({
      name,
      visibility: 'organization',
      action_selectors: [{ selector_type: 'group', selector: 'svc.table' }],
    });
    const page = await tabs.open('/actions?source=platform&q=table list');
    await page.getByRole('link', { name: /^svc\.table\.list/ }).click();
    await page.getByRole('list', { name: 'agents' }).getByRole('link', { name }).waitFor();
    await page.getByRole('tab', { name: 'Try' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'Output' }).waitFor();
    await lookAt(page);
  });

  it('offer a reader no run, and name the permission', async () => {
    const page = await tabs.open('/actions/svc.table.list?tab=try', { key: await readerKey() });
    const run = page.getByRole('button', { name: 'Run', exact: true });
    await run.waitFor();
    expect(await run.getAttribute('aria-description')).toBe('Needs the permission actions.execute.svc.table.list');
  });
});
