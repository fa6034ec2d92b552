import { lastSaid, rowsOf, textOf, transcript } from '../console/conversations.js';
import { ConsoleTabs, baseUrl } from '../console/flow.js';
import { Client, createAgent, createSession, invoke, reaches, settled, unique } from '../harness/index.js';
import { crash, replicas, serviceBack } from './fleet.js';

const api = Client.owner();
const tabs = ConsoleTabs.forThisFile();

describe('the console before a fleet', () => {
  it('shows a turn to its end when the replicas that run and stream it are killed', async () => {
    const agent = await createAgent(api, { name: unique('console') });
    const { id, session_key } = await createSession(api, agent.id, { session_key: unique('console') });
    const page = await tabs.open(`/sessions/${id}`, { url: baseUrl, expects: /ERR_|Failed to load resource/ });
    await page.getByText('Nothing was said yet').waitFor();
    const turn = await invoke(api, agent.id, 'tokens=120 every=100', { session: { session_key } });
    await reaches(api, turn, 'running');
    await page.locator('[data-status=streaming]').getByText('tok5').waitFor();
    for (const name of ['stream-service', 'session-service']) {
      const [victim] = replicas(name);
      if (!victim) throw new Error(`two copies of ${name} are needed`);
      const pid = crash(victim);
      await serviceBack(victim, pid);
    }
    expect((await settled(api, turn, 120_000)).status).toBe('completed');
    await transcript(page)
      .getByRole('link', { name: /completed/ })
      .waitFor({ timeout: 60_000 });
    const rows = await rowsOf(id, api);
    expect(rows.map(textOf)).toEqual(['tokens=120 every=100', expect.stringContaining('tok119')]);
    expect(await lastSaid(page)).toBe(textOf(rows[1] as never).trim());
    expect(await page.locator('article').count()).toBe(2);
    await page.getByRole('textbox', { name: 'Message' }).fill('Still here?');
    await page.keyboard.press('Enter');
    await transcript(page).getByText('You said: Still here?').waitFor({ timeout: 60_000 });
  });
});
