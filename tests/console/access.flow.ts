import { ConsoleTabs, freshName, lookAt, owner, ownerKey } from './flow.js';
import { withPageOfOthers } from './many-agents.js';
import { person, viewerKey } from './person.js';

const tabs = ConsoleTabs.forThisFile();

describe('access', () => {
  it('has principals made, given roles, disabled and deleted', async () => {
    const name = freshName('client');
    const page = await tabs.open('/access');
    await page.getByRole('button', { name: 'New principal' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('checkbox', { name: /^Viewer/ }).check();
    await page.getByRole('button', { name: 'Make principal' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const [made] = (await owner.principals.list({ kind: 'service' }).all()).filter((one) => one.name === name);
    await page.getByRole('checkbox', { name: /^User/ }).check();
    await page.getByRole('button', { name: 'Save roles' }).click();
    await page.getByText('Saved').waitFor();
    expect((await owner.principals.get(made?.id ?? '')).role_ids).toHaveLength(2);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await lookAt(page);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
    await expect(owner.principals.get(made?.id ?? '')).rejects.toMatchObject({ status: 404 });
  });

  it('shows roles as a matrix, and has roles of its own made, changed and deleted', async () => {
    const name = freshName('role');
    const page = await tabs.open('/access?view=roles');
    await page.getByRole('button', { name: 'New role' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Begin with').selectOption({ label: 'Viewer' });
    await page.getByRole('checkbox', { name: /^Use/ }).check();
    await page.getByRole('button', { name: 'Make role' }).click();
    await page.getByRole('columnheader', { name }).waitFor();
    await lookAt(page);
    await page.getByRole('button', { name: `More about ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await page.getByRole('checkbox', { name: /^View svc.resource.view/ }).uncheck();
    await page.getByRole('dialog').getByText('comes with another one').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').waitFor();
    const role = (await owner.roles.list().all()).find((one) => one.name === name);
    expect(role?.permissions).toEqual(['svc.resource.use']);
    await page.getByRole('button', { name: `More about ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('columnheader', { name }).waitFor({ state: 'detached' });
  });

  it('CO6: shows a new key once, and revokes it by its name', async () => {
    const { name: who } = await person('keyed');
    const name = freshName('key');
    const page = await tabs.open('/access?view=keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Acts as').selectOption({ label: `${who} (human)` });
    await page.getByLabel('Capped by').selectOption({ label: 'Viewer' });
    await page.getByLabel('Expires').fill('2099-01-01T10:00');
    await page.getByRole('button', { name: 'Make key' }).click();
    const secret = await page.getByLabel('The key', { exact: true }).innerText();
    expect(secret).toMatch(/^svck_[A-Za-z0-9]{40}$/);
    await lookAt(page);
    await page.getByRole('button', { name: 'Copy the key' }).click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret);
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.getByText('Viewer').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);
    await lookAt(page);
    await row.getByRole('button', { name: `Revoke ${name}` }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('knows each principal, role and key, also where there are more than a page of the lists has', async () => {
    const [who, name] = [await person('late'), freshName('late')];
    const role = await owner.roles.create({ name, permissions: ['svc.resource.view'] });
    const page = await tabs.open('/access?view=roles');
    for (const list of ['principals', 'roles', 'api-keys']) await withPageOfOthers(page, list);
    await page.reload();
    await page.getByRole('columnheader', { name }).waitFor();

    await page.getByRole('tab', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Acts as').selectOption({ label: `${who.name} (human)` });
    await page.getByLabel('Capped by').selectOption({ label: name });
    await page.keyboard.press('Escape');

    await page.getByRole('tab', { name: 'Principals' }).click();
    await page.getByRole('button', { name: 'New principal' }).click();
    await page.getByLabel('Answers for it').selectOption({ label: who.name });
    await page.getByRole('checkbox', { name }).check();
    await page.keyboard.press('Escape');

    await page.goto(new URL(`/console/access/principals/${who.id}`, page.url()).href);
    await page
      .getByRole('row')
      .getByRole('button', { name: /^Revoke/ })
      .waitFor();
    await page.close();
    await owner.roles.delete(role.id);
  });

  it('shows the audit log with filters, and one entry whole by its address', async () => {
    const { id, name } = await person('audited');
    const page = await tabs.open(`/access?view=audit&type=principal&resource=${id}`);
    await page.getByRole('button', { name: 'principal.created' }).click();
    await page.getByRole('dialog').getByRole('link', { name }).waitFor();
    await page.reload();
    await page.getByRole('dialog').getByRole('link', { name }).waitFor();
    await lookAt(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Action').fill('role.*');
    await page.keyboard.press('Enter');
    await page.getByText('No such change').waitFor();
    expect(new URL(page.url()).search).toBe(`?view=audit&type=principal&resource=${id}&action=role.*`);
  });

  it('offers a key that may only read no more than reading', async () => {
    const page = await tabs.open('/access', { key: await viewerKey() });
    const make = page.getByRole('button', { name: 'New principal' });
    expect(await make.getAttribute('aria-description')).toBe('Needs the permission svc.org.admin');
    await page.getByRole('tab', { name: 'Keys' }).click();
    await page.getByText('svc.org.admin').waitFor();
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByText('svc.org.admin').waitFor();
    await lookAt(page);
    expect(await page.content()).not.toContain(ownerKey);
  });
});
