import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';
import { viewerKey } from './person.js';

const tabs = ConsoleTabs.forThisFile();

describe('routines', () => {
  it('are made, run, paused, changed and deleted', async () => {
    const name = freshName('routine');
    const page = await tabs.open('/routines');
    await page.getByRole('button', { name: 'New routine' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Agent').selectOption({ label: 'reporter' });
    await dialog.getByLabel('Instructions').fill('Say <b>good morning</b>.');
    await dialog.getByLabel('Cron pattern').fill('30 6 * * *');
    await dialog.getByLabel('Time zone').fill('Asia/Tokyo');
    await dialog.getByRole('list', { name: 'Next runs' }).getByText(/06:30/).first().waitFor();
    await lookAt(page);
    await page.getByRole('button', { name: 'Make routine' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('Say <b>good morning</b>.').waitFor();
    expect(await page.getByRole('list', { name: 'Next runs' }).getByRole('listitem').count()).toBe(5);

    await page.getByRole('button', { name: 'Run now' }).click();
    const run = page.getByRole('row').filter({ hasText: 'completed' });
    await run.waitFor();
    expect(await run.getByRole('link').getAttribute('href')).toMatch(/^\/console\/sessions\/ses_/);
    await lookAt(page);

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('What falls due meanwhile starts nothing.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await dialog.getByLabel('Interval').check();
    await dialog.getByLabel('Every', { exact: true }).fill('90m');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('every 90m').waitFor();
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page
      .getByText(/schedule/)
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'People' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('cell', { name: 'Follows it', exact: true }).waitFor();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Routines' }).waitFor();
    const made = (await owner.routines.list().all()).find((one) => one.name === name);
    expect(made?.status).toBe('cancelled');
  });

  it('are shown and not changed with a key that may only read', async () => {
    const page = await tabs.open('/routines', { key: await viewerKey() });
    const make = page.getByRole('button', { name: 'New routine' }).first();
    expect(await make.getAttribute('aria-description')).toBe('Needs the permission svc.resource.build');
    await lookAt(page);
    await page.getByRole('link', { name: 'morning report (demo)' }).click();
    const run = page.getByRole('button', { name: 'Run now' });
    await run.waitFor();
    expect(await run.getAttribute('aria-description')).toMatch(/^Needs the permission svc\./);
  });
});
