import { AgentService } from '../../libs/client/src/index.js';
import { ConsoleTabs, baseUrl, freshName, lookAt, owner } from './flow.js';

const tabs = ConsoleTabs.forThisFile();

describe('workers', () => {
  it('stand in the list while they are connected, and it says how to start one', async () => {
    const page = await tabs.open('/workers');
    await page.getByRole('button', { name: 'Start a worker' }).first().click();
    await page
      .getByLabel('A worker in TypeScript')
      .getByText(`baseUrl: '${new URL(page.url()).origin}'`)
      .waitFor();
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByLabel('A worker in Python').waitFor();
    await lookAt(page);
    await page.keyboard.press('Escape');

    const name = freshName('worker');
    const { id } = await owner.principals.create({ name, kind: 'worker' });
    await owner.roleAssignments.create({ principal_id: id, role_name: 'Worker' });
    const { key } = await owner.apiKeys.create({ name, principal_id: id });
    const svc = new AgentService({ baseUrl, key });
    const worker = svc.worker({ name, version: '1.2', concurrency: 3, actions: { [`${name}.do`]: () => ({}) } });
    try {
      const row = page.getByRole('row', { name: new RegExp(`${name} 1\\.2`) });
      await row.getByText('connected', { exact: true }).waitFor();
      await row.getByText('0 / 3').waitFor();
      await lookAt(page);
      await row.getByRole('button').click();
      await page.getByRole('dialog', { name }).getByText(`${name}.do`).waitFor();
      await lookAt(page);
      await page.keyboard.press('Escape');
      await worker.drain();
      await row.waitFor({ state: 'detached' });
    } finally {
      worker.close();
    }
  });
});
