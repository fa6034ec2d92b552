import type { Page } from 'playwright-core';
import { createAgent, createSession, eventually } from '../harness/index.js';
import { api, rowsOf, textOf, transcript } from './conversations.js';
import { ConsoleTabs, freshName, owner } from './flow.js';
import { command, goTo } from './keyboard.js';

const tabs = ConsoleTabs.forThisFile();

/** Holds these calls back until the function that it gives is called. */
async function hold(page: Page, url: RegExp, method: string): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    if (route.request().method() === method) await released;
    await route.continue();
  });
  return release;
}

describe('where answers take their time', () => {
  it('what is typed while a message is on its way stays in the field', async () => {
    const { id } = await createSession(api, (await createAgent(api)).id, { session_key: freshName('slow') });
    const page = await tabs.open(`/sessions/${id}`);
    const release = await hold(page, /\/turns$/, 'POST');
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('First');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Send', disabled: true }).waitFor();
    await field.pressSequentially(' and then');
    release();
    await transcript(page).getByText('You said: First').waitFor();
    await eventually('what was sent is out of the field', async () => (await field.inputValue()) === 'and then');
    expect(textOf((await rowsOf(id))[0] as never)).toBe('First');
  });

  it('an answer to the playground leaves the address of the page that is open by then', async () => {
    const page = await tabs.open('/playground');
    const release = await hold(page, /\/agents\/invoke$/, 'POST');
    const answered = page.waitForResponse(/\/agents\/invoke$/);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send', disabled: true }).waitFor();
    await goTo(page, 'Sessions');
    release();
    await (await answered).finished();
    await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
    expect(page.url()).toMatch(/\/console\/sessions$/);
  });

  it('a deletion leads nobody away who has gone on to another page', async () => {
    const { id, name } = await owner.skills.create({ name: freshName('slow'), instructions: 'Wait.' });
    const page = await tabs.open(`/skills/${id}`);
    const release = await hold(page, /\/skills\/[^/]+$/, 'DELETE');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete', disabled: true }).waitFor();
    await goTo(page, 'Workers');
    release();
    await page.getByText(`${name} was deleted`).waitFor();
    await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
    expect(page.url()).toMatch(/\/console\/workers$/);
  });

  it('a held Enter sends a message once', async () => {
    const { id } = await createSession(api, (await createAgent(api)).id, { session_key: freshName('slow') });
    const page = await tabs.open(`/sessions/${id}`);
    const sent: string[] = [];
    page.on('request', (one) => {
      if (one.method() === 'POST') sent.push(new URL(one.url()).pathname);
    });
    await page.getByRole('textbox', { name: 'Message' }).fill('Once');
    const keys = await page.context().newCDPSession(page);
    const enter = { type: 'keyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' } as const;
    await Promise.all(
      [false, true, true].map((autoRepeat) => keys.send('Input.dispatchKeyEvent', { ...enter, autoRepeat })),
    );
    await transcript(page).getByText('You said: Once').waitFor();
    expect(sent).toEqual([`/v1/sessions/${id}/turns`]);
  });
});

describe('a window that makes a secret', () => {
  it.each([
    ['/access?view=keys', 'New key', { Name: freshName('slow') }, 'Make key', 'The key'],
    [
      '/events?view=webhooks',
      'New web hook',
      { URL: `https://${freshName('slow')}.invalid/`, 'Types of events': 'crm.*' },
      'Make web hook',
      'Signing secret',
    ],
  ])('%s: %s stays until the secret is there', async (path, opens, fields, make, shown) => {
    const page = await tabs.open(path);
    const release = await hold(page, /\/(api-keys|webhooks)$/, 'POST');
    await page.getByRole('button', { name: opens }).first().click();
    for (const [field, text] of Object.entries(fields)) await page.getByLabel(field, { exact: true }).fill(text);
    const sent = page.waitForRequest((one) => one.method() === 'POST');
    await page.getByRole('button', { name: make }).click();
    await sent;
    await page.keyboard.press('Escape');
    release();
    await page.getByRole('dialog').getByLabel(shown, { exact: true }).waitFor();
  });
});

describe('a refusal that no page shows', () => {
  const refusal = { status: 409, json: { error: { code: 'conflict', message: 'not now' } } };

  it('of a session that the palette starts is said', async () => {
    const { name } = await createAgent(api);
    const page = await tabs.open('/', { expects: /409/ });
    await page.route(/\/v1\/sessions$/, (route) => route.fulfill(refusal));
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await command(page, `start session ${name}`, `Start a session with ${name}`);
    await page.getByText('Starting a session failed: not now').waitFor();
  });

  it('of a new secret of an action is said', async () => {
    const { name } = await owner.actions.create({
      name: `slow.${freshName('a').replace('-', '_')}`,
      endpoint_kind: 'http',
      endpoint_url: 'https://example.invalid/',
    });
    const page = await tabs.open(`/actions/${name}`, { expects: /409/ });
    await page.route(/\/secret\/rotate$/, (route) => route.fulfill(refusal));
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
    await page.getByText('Rotating the secret failed: not now').waitFor();
  });
});
