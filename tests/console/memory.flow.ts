import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';
import { withPageOfOthers } from './many-agents.js';
import { person, viewerKey } from './person.js';

const tabs = ConsoleTabs.forThisFile();
const markup = '<img src=x onerror="document.title=`taken`">';

function agentMade() {
  return owner.agents.create({ name: freshName('remembers'), visibility: 'organization' });
}

describe('memory of an agent', () => {
  it('fits a narrow screen whatever the name of its agent', async () => {
    const name = freshName('a').padEnd(63, 'n');
    const { id } = await owner.agents.create({ name, visibility: 'organization' });
    const page = await tabs.open(`/agents/${id}/memory`);
    await page.getByRole('heading', { level: 1, name: `Memory of ${name}` }).waitFor();
    await lookAt(page);
  });

  it('is written, searched, changed and forgotten, and its changes are listed', async () => {
    const { id, name } = await agentMade();
    const page = await tabs.open(`/agents/${id}`);
    await page.getByRole('link', { name: 'Its memory' }).click();
    await page.getByRole('heading', { level: 1, name: `Memory of ${name}` }).waitFor();
    await page.getByText('It remembers nothing yet').waitFor();
    await lookAt(page);
    await page.getByRole('button', { name: 'New entry' }).first().click();
    await page.getByLabel('Key').fill('not a key');
    await page.getByLabel('Content').fill(`Likes tea. ${markup}`);
    await page.getByRole('button', { name: 'Remember it' }).click();
    await page.getByText('A key has letters, digits and . _ : - only.').waitFor();
    await page.getByLabel('Key').fill('drink');
    await page.getByLabel('Kind').last().selectOption('preference');
    await page.getByRole('switch', { name: 'Pinned' }).click();
    await page.getByRole('button', { name: 'Remember it' }).click();
    const opening = page.getByRole('button', { name: /^drink pinned/ });
    await opening.waitFor();
    await page.getByText('1 entry').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await owner.agents.getMemoryEntry(id, 'drink')).toMatchObject({ kind: 'preference', pinned: true });

    await page.getByLabel('Words of an entry').fill('coffee');
    await page.getByText('No such entry').waitFor();
    await page.getByLabel('Words of an entry').fill('tea');
    await opening.click();
    await page.waitForURL((url) => url.searchParams.get('entry') === 'drink');
    await page.getByRole('dialog', { name: 'drink' }).getByLabel('Content').fill('Likes coffee.');
    await lookAt(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await owner.agents.getMemoryEntry(id, 'drink')).toMatchObject({ content: 'Likes coffee.', version: 2 });

    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByRole('table', { name: 'Changes' }).getByText('updated').waitFor();
    await lookAt(page);
    await page.goto(page.url().replace(/\?.*/, '?entry=drink'));
    await page.getByRole('button', { name: 'Forget…' }).click();
    await page.getByLabel('Type drink to confirm').fill('drink');
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByText('It remembers nothing yet').waitFor();
    await expect(owner.agents.getMemoryEntry(id, 'drink')).rejects.toMatchObject({ status: 404 });
  });

  it('of a person is theirs alone, and an administrator erases it without seeing it', async () => {
    const { id } = await agentMade();
    const ann = await person('ann');
    await ann.svc.agents.saveMemoryEntry(id, 'secret', { content: 'Only for Ann', user_id: ann.id });
    const own = await tabs.open(`/agents/${id}/memory?of=mine`, { key: ann.key });
    await own.getByRole('button', { name: /^secret/ }).waitFor();
    const page = await tabs.open(`/agents/${id}/memory`);
    await withPageOfOthers(page, 'principals');
    await page.reload();
    await page.getByText('It remembers nothing yet').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Erase a person’s memory…' }).click();
    await page.getByLabel('Person', { exact: true }).selectOption({ label: ann.name });
    await page.getByRole('button', { name: 'Go on…' }).click();
    await page.getByLabel(`Type ${ann.name} to confirm`).fill(ann.name);
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByText('One entry was erased').waitFor();
    expect(await page.content()).not.toContain('Only for Ann');
    expect(await ann.svc.agents.listMemoryEntries(id, {}).all()).toEqual([]);
  });

  it('of a person is shared by that person, over what stands there too, and the sharing is undone', async () => {
    const { id } = await agentMade();
    const ann = await person('ann');
    await owner.agents.saveMemoryEntry(id, 'tone', { content: 'Be short', user_id: '' });
    await ann.svc.agents.saveMemoryEntry(id, 'tone', { content: 'Be kind', user_id: ann.id });
    const mine = `/agents/${id}/memory?entry=tone&person=${ann.id}`;
    const page = await tabs.open(mine, { key: ann.key, expects: /409 .*promotion$/ });
    await page.getByRole('button', { name: 'Share…' }).click();
    const asked = page.getByRole('dialog', { name: 'Share this entry' });
    await asked.getByRole('button', { name: 'Share it' }).click();
    await asked.getByRole('alert').waitFor();
    await asked.getByRole('switch', { name: 'Replace the shared entry of this key' }).click();
    await lookAt(page);
    await asked.getByRole('button', { name: 'Share it' }).click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    expect(await owner.agents.getMemoryEntry(id, 'tone')).toMatchObject({ content: 'Be kind', user_id: '' });

    const other = await tabs.open(`/agents/${id}/memory`);
    await Promise.all([
      other.waitForResponse((response) => response.url().includes('/memory/changes')),
      other.getByRole('button', { name: /^tone/ }).click(),
    ]);
    await lookAt(other);
    expect(await other.getByRole('button', { name: 'Undo the sharing' }).count()).toBe(0);
    await page
      .getByRole('row')
      .filter({ has: page.getByRole('cell', { name: 'shared', exact: true }) })
      .getByRole('button', { name: /^tone/ })
      .click();
    await page.getByRole('button', { name: 'Undo the sharing' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await owner.agents.getMemoryEntry(id, 'tone')).toMatchObject({ content: 'Be short', user_id: '' });
  });

  it('offers a reader no writing, and names what lacks', async () => {
    const { id } = await agentMade();
    const page = await tabs.open(`/agents/${id}/memory`, { key: await viewerKey() });
    const make = page.getByRole('button', { name: 'New entry' }).first();
    expect(await make.getAttribute('aria-description')).toBe('Needs the permission svc.resource.use');
    await lookAt(page);
  });
});
