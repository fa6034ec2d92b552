import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentService } from '../../libs/client/src/index.js';
import { asking, transcript } from './conversations.js';
import { FirstStart } from './first-start.js';
import { ConsoleTabs } from './flow.js';
import { command, goTo, tabTo } from './keyboard.js';

const tabs = ConsoleTabs.forThisFile();
const folder = mkdtempSync(join(tmpdir(), 'main-job-'));
let service: FirstStart;

beforeAll(async () => {
  service = await FirstStart.on(folder);
});

afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true });
});

/** A person with a key, whom an agent can ask; the key of the first link is of no person. */
async function personMade(): Promise<{ id: string; key: string }> {
  const owner = new AgentService({ baseUrl: service.link.origin, key: service.ownerKey });
  const { id } = await owner.principals.create({ name: 'Ann', kind: 'human' });
  await owner.roleAssignments.create({ principal_id: id, role_name: 'Admin' });
  const { key } = await owner.apiKeys.create({ name: 'Ann', principal_id: id });
  return { id, key };
}

it('SF12: the main job from the first start on needs no mouse', async () => {
  const ann = await personMade();
  const page = await tabs.open(`/${service.link.hash}`, { key: null, url: service.link.origin });
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

  await goTo(page, 'Agents');
  await tabTo(page, 'New agent');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await tabTo(page, 'Name');
  await page.keyboard.type('helper');
  await tabTo(page, 'Model');
  await page.keyboard.type('svc-scripted-1');
  await tabTo(page, 'Make agent');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'helper' }).waitFor();
  await tabTo(page, 'Grant an action');
  await page.keyboard.press('Enter');
  await page.getByLabel('Selector 1', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('svc.interaction.open');
  await tabTo(page, 'Save');
  await page.keyboard.press('Enter');
  await page.getByText('Saved').waitFor();

  await page.keyboard.press('Control+Home');
  await tabTo(page, 'Log out');
  await page.keyboard.press('Enter');
  await page.getByLabel('API key').waitFor();
  await page.keyboard.type(ann.key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'helper' }).waitFor();

  await command(page, 'start session helper', 'Start a session with helper');
  await page.waitForURL(/\/console\/sessions\/ses_/);
  await tabTo(page, 'Message');
  await page.keyboard.type('Count: tokens=40 every=150');
  await page.keyboard.press('Enter');
  await page.locator('[data-status=streaming]').getByText('tok1').waitFor();
  await transcript(page).getByText('tok39').waitFor();

  const spec = { questions: [{ id: 'name', prompt: 'Which name?', mode: 'input' }] };
  await transcript(page)
    .getByRole('link', { name: /completed/ })
    .waitFor();
  await page.keyboard.type(asking('A name is needed', [ann.id], spec, 'Thank you.'));
  await page.keyboard.press('Enter');
  await page.getByLabel('Which name?').waitFor();
  await tabTo(page, 'Which name?');
  await page.keyboard.type('Ann');
  await tabTo(page, 'Answer');
  await page.keyboard.press('Enter');
  await transcript(page).getByText('Thank you.', { exact: true }).waitFor();

  await transcript(page)
    .getByRole('link', { name: /completed/ })
    .nth(2) // the answer sets a turn off, which a message would end
    .waitFor();
  await tabTo(page, 'Message');
  await page.keyboard.type('Count: tokens=900 every=1000');
  await page.keyboard.press('Enter');
  await page.locator('[data-status=streaming]').getByText('tok0').waitFor();
  await tabTo(page, 'Cancel turn');
  await page.keyboard.press('Enter');
  await transcript(page)
    .getByRole('link', { name: /cancelled/ })
    .waitFor();
});
