import type { Page } from 'playwright-core';
import { createAgent, createSession, eventually, invoke, reaches, settled } from '../harness/index.js';
import { OwnService } from '../harness/embedded.js';
import { lastSaid, rowsOf, textOf, transcript } from './conversations.js';
import { ConsoleTabs, lookAt } from './flow.js';

const tabs = ConsoleTabs.forThisFile();

describe('a page whose service dies', () => {
  it('goes on without a gap when the service is there again', async () => {
    const service = await OwnService.start();
    try {
      const { client } = service;
      const agent = await createAgent(client);
      const { id, session_key } = await createSession(client, agent.id, { session_key: 'outlives', title: 'Outlives' });
      const page = await tabs.open(`/sessions/${id}`, {
        url: client.baseUrl,
        key: String(client.key),
        expects: /ERR_|Failed to load resource/,
      });
      await page.getByText('Nothing was said yet').waitFor();
      const turn = await invoke(client, agent.id, 'tokens=150 every=100', { session: { session_key } });
      await page.locator('[data-status=streaming]').getByText('tok5').waitFor();
      await service.end('SIGKILL');
      await page.getByText('Reconnecting…').waitFor();
      await service.run();
      await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
      await settled(client, turn);
      await transcript(page)
        .getByRole('link', { name: /completed/ })
        .waitFor();
      const rows = await rowsOf(id, client);
      expect(rows.map(textOf)).toEqual(['tokens=150 every=100', expect.stringContaining('tok149')]);
      expect(await lastSaid(page)).toBe(textOf(rows[1] as never).trim());
      expect(await page.locator('article').count()).toBe(2);

      await page.getByRole('textbox', { name: 'Message' }).fill('Still here?');
      await page.keyboard.press('Enter');
      await transcript(page).getByText('You said: Still here?').waitFor();
    } finally {
      await service.remove();
    }
  });
});

it('waits for a service that is away when the turn is over', async () => {
  const service = await OwnService.start();
  try {
    const { client } = service;
    const agent = await createAgent(client);
    const { id, session_key } = await createSession(client, agent.id, { session_key: 'rests' });
    const page = await tabs.open(`/sessions/${id}`, {
      url: client.baseUrl,
      key: String(client.key),
      expects: /ERR_|Failed to load resource/,
    });
    await page.getByText('Nothing was said yet').waitFor();
    await service.end('SIGTERM');
    await page.getByText('Reconnecting…').waitFor();
    await service.run();
    const turn = await invoke(client, agent.id, 'After the restart', { session: { session_key } });
    await reaches(client, turn, 'completed');
    await transcript(page).getByText('You said: After the restart').waitFor();
  } finally {
    await service.remove();
  }
});

describe('a page whose file does not come', () => {
  const expects = /ERR_|Failed to load resource|A file of it did not come/;
  const failed = (page: Page) => page.getByRole('heading', { level: 1, name: 'This page could not be loaded' });

  it('says so while the service is away, and is there when it is tried again', async () => {
    const service = await OwnService.start();
    try {
      const { client } = service;
      const page = await tabs.open('/skills', { url: client.baseUrl, key: String(client.key), expects });
      await page.getByRole('heading', { level: 1, name: 'Skills' }).waitFor();
      await page.evaluate('window.isSameTab = true');
      await service.end('SIGKILL');
      await page.getByRole('link', { name: 'Tables' }).click();
      await failed(page).waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('The service does not answer.').waitFor();
      expect(await page.evaluate('window.isSameTab')).toBe(true);
      await lookAt(page);
      await service.run();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { level: 1, name: 'Tables' }).waitFor();
    } finally {
      await service.remove();
    }
  });

  it.each([
    ['Tables', 'a page', /\/assets\/tables-page-/],
    ['Overview', 'a part of it', /\/assets\/plot-/],
  ])('loads the tab anew by itself once, where another build has no such file: %s, %s', async (name, _what, file) => {
    const page = await tabs.open('/skills', { expects });
    await page.getByRole('heading', { level: 1, name: 'Skills' }).waitFor();
    let loads = 0;
    page.on('domcontentloaded', () => (loads += 1));
    await page.route(file, (route) => route.fulfill({ status: 404, body: '' }));
    await page.getByRole('link', { name }).click();
    await failed(page).waitFor();
    await eventually('one load', () => Promise.resolve(loads === 1));
    await failed(page).waitFor();
    await page.unroute(file);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect([loads, await failed(page).count()]).toEqual([2, 0]);
  });
});
