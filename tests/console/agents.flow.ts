import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';
import { readerKey } from './reader.js';

const tabs = ConsoleTabs.forThisFile();

describe('agents', () => {
  it('are made, changed, duplicated, found and deleted', async () => {
    const name = freshName('agent');
    const page = await tabs.open('/agents');
    await page.getByRole('button', { name: 'New agent' }).first().click();
    await page.getByRole('button', { name: 'Make agent' }).click();
    await page.getByLabel('Name', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Model', { exact: true }).fill('svc-scripted-1');
    await page.getByRole('button', { name: 'Make agent' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.locator('.cm-content').waitFor();
    await lookAt(page);

    await page.locator('.cm-content').click();
    await page.keyboard.type('You greet.');
    await page.getByRole('button', { name: 'Grant an action' }).click();
    await page.getByLabel('Selector 1', { exact: true }).fill('svc.table.list');
    await page.getByLabel('Colour').fill('green');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').waitFor();
    const [saved] = await owner.agents.list({ name }).all();
    expect(saved).toMatchObject({
      system_prompt: 'You greet.',
      color: 'green',
      action_selectors: [{ selector_type: 'exact', selector: 'svc.table.list' }],
    });
    await page.getByRole('tab', { name: 'Tools' }).click();
    await page.getByRole('list', { name: 'Tools' }).getByRole('link', { name: 'svc.table.list' }).waitFor();
    expect(page.url()).toContain('tab=tools');

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate…' }).click();
    await page.getByRole('button', { name: 'Duplicate', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: `${name}-copy` }).waitFor();

    await page.getByRole('link', { name: 'Agents /' }).click();
    await page.getByLabel('Search name, description, model, tags').fill(`${name} scripted`);
    await page.getByRole('link', { name: `${name}-copy` }).waitFor();
    await page.waitForURL((url) => url.searchParams.get('q') === `${name} scripted`);
    await lookAt(page);
    await page.getByRole('link', { name: `${name}-copy` }).click();
    await page.getByRole('heading', { level: 1, name: `${name}-copy` }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name}-copy to confirm`).fill(`${name}-copy`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    expect(await owner.agents.list({ name: `${name}-copy` }).all()).toEqual([]);
  });

  it('show what the service refuses at its field, and keep a draft while what is stored changes', async () => {
    const taken = await owner.agents.create({ name: freshName('taken'), visibility: 'organization' });
    const agent = await owner.agents.create({ name: freshName('agent'), visibility: 'organization' });
    const page = await tabs.open(`/agents/${agent.id}`, { expects: /409/ });
    await page.getByLabel('Name', { exact: true }).fill(taken.name);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('already_exists').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Description').fill('<img src=x onerror=alert(1)> \u202eabc');
    await page.getByLabel('Name', { exact: true }).fill(agent.name);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByText('onerror=alert(1)').first().waitFor();
    await lookAt(page);
  });

  it('offer a reader what it may do, and name what it lacks', async () => {
    const agent = await owner.agents.create({ name: freshName('agent'), visibility: 'organization' });
    const page = await tabs.open(`/agents/${agent.id}`, { key: await readerKey() });
    await page.getByLabel('Name', { exact: true }).waitFor();
    const save = page.getByRole('button', { name: 'Save', exact: true });
    expect(await save.getAttribute('aria-description')).toBe('Needs the permission svc.resource.build');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…: needs svc.resource.build' }).waitFor();
  });
});
