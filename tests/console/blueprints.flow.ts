import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';
import { readerKey } from './reader.js';

const tabs = ConsoleTabs.forThisFile();

const documentOf = (namespace: string, key: string, prompt: string): string =>
  JSON.stringify({
    namespace,
    blueprint_key: key,
    blueprint_version: '1',
    resources: { agents: [{ key: 'guide', name: `${key}-guide`, system_prompt: prompt }] },
  });

const fileOf = (text: string) => ({ name: 'desk.json', mimeType: 'application/json', buffer: Buffer.from(text) });

describe('blueprints', () => {
  it('are planned, applied, protected, changed and destroyed', async () => {
    const key = freshName('desk');
    const page = await tabs.open('/blueprints', { expects: /409/ });
    await page.getByRole('button', { name: 'Apply a blueprint' }).first().click();
    await page.getByLabel('Blueprint file').setInputFiles(fileOf(documentOf('flows', key, 'You greet.')));
    await page.locator('.cm-content', { hasText: 'You greet.' }).waitFor();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('1 to make.').waitFor();
    expect(await owner.agents.list({ name: `${key}-guide` }).all()).toEqual([]);
    await lookAt(page);
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('1 made.').waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('link', { name: `flows / ${key}` }).click();
    await page.getByRole('heading', { level: 1, name: `flows / ${key}` }).waitFor();
    expect(new URL(page.url()).search).toBe('?namespace=flows');
    await page.getByRole('link', { name: `${key}-guide as guide` }).waitFor();

    await page.getByRole('button', { name: 'Protect', exact: true }).click();
    await page.getByRole('button', { name: 'Lift the protection' }).waitFor();
    await lookAt(page);
    await page.getByRole('link', { name: `${key}-guide as guide` }).click();
    await page.getByText('It is protected').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('other');
    await page.getByText('Protected by its blueprint').waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await page.goBack();

    await page.getByRole('button', { name: 'Apply a new version' }).click();
    await page.getByLabel('Blueprint file').setInputFiles(fileOf(documentOf('flows', key, 'You help.')));
    await page.locator('.cm-content', { hasText: 'You help.' }).waitFor();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('1 to change.').waitFor();
    const planned = page.getByRole('list', { name: 'Resources' });
    await planned.getByRole('group', { name: 'system_prompt before' }).getByText('You greet.').waitFor();
    await planned.getByRole('group', { name: 'system_prompt after' }).getByText('You help.').waitFor();
    await lookAt(page);
    await page.getByRole('button', { name: 'Close' }).first().click();

    const destroy = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Destroy…' }).click();
      await page.getByLabel(`Type ${key} to confirm`).fill(key);
      await page.getByRole('button', { name: 'Destroy', exact: true }).click();
    };
    await destroy();
    await page.getByRole('alert').getByText('blueprint_resource_protected').waitFor();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Lift the protection' }).click();
    await page.getByRole('button', { name: 'Protect', exact: true }).waitFor();
    await destroy();
    await page.getByRole('heading', { level: 1, name: 'Blueprints' }).waitFor();
    expect(await owner.agents.list({ name: `${key}-guide` }).all()).toEqual([]);
  });

  it('with references are planned, and one with a fault says on which line it is', async () => {
    const demo = readFileSync(join(__dirname, '..', '..', 'tools', 'demo', 'support-desk.yaml'), 'utf8');
    const page = await tabs.open('/blueprints');
    await page.getByRole('button', { name: 'Apply a blueprint' }).first().click();
    const choose = (text: string) =>
      page.getByLabel('Blueprint file').setInputFiles({ ...fileOf(text), name: 'desk.yaml' });
    await choose(demo.replace('skills: [{ key: refunds }]', 'skills: [{ kye: refunds }]'));
    const line = demo.split('\n').findIndex((text) => text.includes('skills: [')) + 1;
    await page.getByRole('status').getByText(`Line ${line}: resources.agents.0.skills.0`).waitFor();
    expect(await page.getByRole('button', { name: 'Plan', exact: true }).isDisabled()).toBe(true);
    await lookAt(page);
    await choose(demo.replace('of a small shop', 'of a small bookshop'));
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('group', { name: 'system_prompt after' }).getByText('small bookshop').waitFor();
  });

  it('that are no blueprint are not sent', async () => {
    const page = await tabs.open('/blueprints');
    await page.getByRole('button', { name: 'Apply a blueprint' }).first().click();
    await page.getByLabel('Blueprint file').setInputFiles(fileOf('{"resources": {"agents": ['));
    await page.getByRole('button', { name: 'Plan', exact: true }).and(page.locator(':disabled')).waitFor();
    await page.getByLabel('Blueprint file').setInputFiles(fileOf('[1]'));
    await page.getByText('A blueprint is an object with resources.').waitFor();
  });

  it('offer a reader what is bound and no apply', async () => {
    const page = await tabs.open('/blueprints/support-desk?namespace=demo', { key: await readerKey() });
    await page.getByRole('link', { name: 'demo_orders as orders' }).waitFor();
    const apply = page.getByRole('button', { name: 'Apply a new version' });
    expect(await apply.getAttribute('aria-description')).toBe('Needs the permission svc.resource.build');
  });
});
