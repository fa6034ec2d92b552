import { createAgent, createSession, invoke, reaches, settled } from '../harness/index.js';
import { OwnService } from '../harness/embedded.js';
import { lastSaid, rowsOf, textOf, transcript } from './conversations.js';
import { ConsoleTabs } from './flow.js';

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
      const turn = await invoke(client, agent.id, 'tokens=60 every=100', { session: { session_key } });
      await page.locator('[data-status=streaming]').getByText('tok5').waitFor();
      await service.end('SIGKILL');
      await page.getByText('Reconnecting…').waitFor();
      await service.run();
      await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
      await settled(client, turn, 60_000);
      await transcript(page)
        .getByRole('link', { name: /completed/ })
        .waitFor();
      const rows = await rowsOf(id, client);
      expect(rows.map(textOf)).toEqual(['tokens=60 every=100', expect.stringContaining('tok59')]);
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
