import type { Page } from 'playwright-core';
import { createAgent, createSession, eventually } from '../harness/index.js';
import { api, transcript } from './conversations.js';
import { ConsoleTabs, freshName, owner, ownerKey } from './flow.js';
import { focused, goTo, tabTo } from './keyboard.js';
import { withPageOfOthers } from './many-agents.js';

const tabs = ConsoleTabs.forThisFile();

describe('without a mouse', () => {
  it('a person logs in, makes a skill, writes in its editor, leaves the editor and saves', async () => {
    const name = freshName('keyboard');
    const page = await tabs.open('/', { key: null });
    await page.getByLabel('API key').waitFor();
    await page.keyboard.type(ownerKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await goTo(page, 'Skills');

    await tabTo(page, 'New skill');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type(name);
    await tabTo(page, 'Instructions');
    await page.keyboard.type('Greet first.');
    await tabTo(page, 'Make skill');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name }).waitFor();

    await page.locator('.cm-content').waitFor();
    await tabTo(page, 'Instructions'); // the tab of that name
    await tabTo(page, 'Instructions'); // its panel
    await tabTo(page, 'Instructions'); // the editor
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Be kind. ');
    expect(await focused(page)).toBe('Instructions');
    await page.keyboard.press('Escape');
    await tabTo(page, 'Save');
    await page.keyboard.press('Enter');
    await page.getByText('Saved').waitFor();
    const [saved] = await owner.skills.list({ name }).all();
    expect(saved?.instructions.trim()).toBe('Be kind. Greet first.');
    await page.close(); // else it would read anew what goes
    await owner.skills.delete(saved?.id ?? '');
  });

  it.each([
    ['/agents', 'New agent', 'Name'],
    ['/tables', 'New table', 'Name'],
    ['/routines', 'New routine', 'Name'],
    ['/access', 'New principal', 'Name'],
    ['/access?view=keys', 'New key', 'Name'],
    ['/access?view=connections', 'New connection', 'Name'],
    ['/events?view=webhooks', 'New web hook', 'URL'],
    ['/workers', 'Start a worker', 'Start a worker'],
  ])('%s: the window of %s begins in its first field, and gives the focus back', async (path, button, first) => {
    const page = await tabs.open(path);
    await page.getByRole('button', { name: button }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: button }).waitFor();
    await eventually('the focus is inside', async () => (await focused(page)).startsWith(first));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually('the focus is back', async () => (await focused(page)) === button);
  });

  it('a person makes a web hook, keeps its secret and deletes the hook', async () => {
    const url = `https://${freshName('keyboard')}.invalid/events`;
    const page = await tabs.open('/events');
    await page.getByRole('tab', { name: 'Live' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'New web hook' }).waitFor();
    await tabTo(page, 'New web hook');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'URL');
    await page.keyboard.type(url);
    await tabTo(page, 'Types of events');
    await page.keyboard.type('crm.*');
    await tabTo(page, 'Make web hook');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Signing secret' }).waitFor();
    await tabTo(page, 'I have it');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: new URL(url).host }).waitFor();
    await tabTo(page, 'More');
    await page.keyboard.press('Enter');
    const focus = page.locator(':focus');
    await page.getByRole('menuitem').and(focus).waitFor();
    await page.keyboard.press('End');
    await page.getByRole('menuitem', { name: 'Delete…' }).and(focus).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, `Type ${url} to confirm`);
    await page.keyboard.type(url);
    await tabTo(page, 'Delete');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Web hooks', selected: true }).waitFor();
    expect((await owner.webhooks.list().all(100)).filter((one) => one.url === url)).toEqual([]);
  });

  it('a dialog keeps the focus, Escape closes it, and the focus goes back to what opened it', async () => {
    const page = await tabs.open('/skills');
    await page.getByRole('heading', { level: 1, name: 'Skills' }).waitFor();
    await tabTo(page, 'New skill');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let step = 0; step < 8; step += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate<boolean>(`document.activeElement.closest('[role=dialog]') !== null`)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator(':focus', { hasText: 'New skill' }).waitFor(); // it goes back a moment behind the dialog
    expect(await focused(page)).toBe('New skill');
  });

  it('the palette gives the focus back, also to a window below it', async () => {
    const page = await tabs.open('/skills');
    await page.getByRole('button', { name: 'New skill' }).first().focus();
    await closePalette(page);
    await eventually('the focus is back', async () => (await focused(page)) === 'New skill');
    await page.keyboard.press('Enter');
    await eventually('the first field has the focus', async () => (await focused(page)) === 'Name');
    await closePalette(page);
    await eventually('the focus is back in the window', async () => (await focused(page)) === 'Name');
  });

  it('a button keeps the focus while it is busy and when it means the opposite', async () => {
    const { id: agent_id } = await createAgent(api);
    const { id } = await owner.routines.create({
      name: freshName('keys'),
      agent_id,
      instructions: 'Wait.',
      schedule: { cron: '0 7 1 1 *', timezone: 'Europe/Berlin' },
      per_occurrence_ceiling_milli: 1_000,
      daily_ceiling_milli: 5_000,
    });
    const page = await tabs.open(`/routines/${id}`);
    await page.getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume', disabled: false }).waitFor();
    expect(await focused(page)).toBe('Resume');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Pause', disabled: false }).waitFor();
    expect(await focused(page)).toBe('Pause');
  });

  it.each([
    ['/sessions', 'Title or key', 'q'],
    ['/sessions', 'Metadata', 'metadata'],
    ['/events', 'Type', 'type'],
    ['/events', 'Source id', 'source'],
    ['/access?view=audit', 'Action', 'action'],
    ['/questions?view=history', 'Session', 'session'],
  ])('%s: the filter %s keeps the focus when Enter was pressed', async (path, label, name) => {
    const page = await tabs.open(path);
    await page.getByLabel(label, { exact: true }).focus();
    await page.keyboard.type('a:b');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get(name) === 'a:b');
    await page.locator('[aria-busy=true]:not(article)').first().waitFor({ state: 'detached' });
    expect(await focused(page)).toBe(label);
  });

  it.each(['Menu', 'Agents'])(
    'Escape closes the menu of a narrow screen from %s, and leads to its button',
    async (from) => {
      const page = await tabs.open('/sessions');
      await page.setViewportSize({ width: 360, height: 740 });
      await page.getByRole('button', { name: 'Menu' }).focus();
      await page.keyboard.press('Enter');
      await tabTo(page, 'Agents');
      if (from === 'Menu') await page.getByRole('button', { name: 'Menu' }).focus();
      await page.keyboard.press('Escape');
      await page.getByRole('navigation').waitFor({ state: 'hidden' });
      expect(await focused(page)).toBe('Menu');
    },
  );

  it('End leads to the end of a long transcript, wherever the reader is', async () => {
    const { id } = await createSession(api, (await createAgent(api)).id, { session_key: freshName('keys') });
    const said = (number: number) => ({
      role: 'user',
      content: [{ type: 'text', text: `Row ${number}. ${'word '.repeat((number * 7) % 90)}` }],
    });
    for (let from = 0; from < 600; from += 100) {
      const messages = Array.from({ length: 100 }, (_, at) => said(from + at));
      await api.post(`/v1/sessions/${id}/messages`, { messages }, 200);
    }
    const page = await tabs.open(`/sessions/${id}`);
    await page.getByText('Row 599.').waitFor();
    await transcript(page).focus();
    await eventually('the beginning', async () => {
      await page.keyboard.press('Home');
      return page.getByText('Row 0.').isVisible();
    });
    await page.keyboard.press('End');
    await page.getByText('Row 599.').waitFor();
    await eventually('the end', () =>
      transcript(page).evaluate(
        ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 1,
      ),
    );
  });
});

/** Opens the palette and leaves it by Escape. */
async function closePalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox').waitFor({ state: 'detached' });
}

it('a person starts a session by the palette and talks to the agent, without a mouse', async () => {
  const off = await owner.agents.create({
    name: freshName('support-off'),
    status: 'inactive',
    visibility: 'organization',
  });
  const page = await tabs.open('/');
  await withPageOfOthers(page);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type('start session support');
  await page.getByRole('option', { name: 'Start a session with support' }).waitFor();
  expect(await page.getByRole('option', { name: off.name }).count()).toBe(0);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/console\/sessions\/ses_/);
  await page.getByLabel('Message').waitFor();
  await tabTo(page, 'Message');
  await page.keyboard.type('Good morning');
  await page.keyboard.press('Enter');
  await page.getByText('You said: Good morning').waitFor();
});
