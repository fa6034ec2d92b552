import { createAgent, invoke, reaches, script } from '../harness/index.js';
import { api } from './conversations.js';
import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';

const tabs = ConsoleTabs.forThisFile();

describe('the overview', () => {
  it('shows the last hour, what waits, what is not ready, the latest sessions and the failed turns', async () => {
    const [title, message] = [freshName('Where is my order'), freshName('the provider answered 500')];
    const agent = await createAgent(api);
    const failing = script({ error: { type: 'model_error', message } });
    const turn = await invoke(api, agent.id, failing, { session: { session_key: title, title } });
    await reaches(api, turn, 'failed');
    const page = await tabs.open('/');
    for (const name of ['Turns a minute', 'Tokens a minute', 'Time of a turn'])
      await page.getByRole('figure', { name }).waitFor();
    await page.getByText('Waiting for you').waitFor();
    await page.getByText('Everything answers.').waitFor();
    await page.getByRole('link', { name: title }).waitFor();
    await page.getByRole('link', { name: message }).waitFor();
    await page.locator('.uplot canvas').first().waitFor();
    await lookAt(page);
  });

  it('shows a session of another client at once, and is walked by arrow keys', async () => {
    const page = await tabs.open('/');
    const sessions = page.getByRole('table', { name: 'Latest sessions' });
    await sessions.waitFor();
    await page.getByRole('img', { name: 'Live: changes appear as they happen' }).waitFor();
    const title = freshName('session');
    const [agent] = await owner.agents.list({ name: 'support' }).all();
    const session = await owner.sessions.create({ agent_id: agent?.id ?? '', session_key: title, title });
    await owner.sessions.appendMessages(session.id, {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
    await sessions.getByRole('link', { name: title }).waitFor();
    await sessions.getByRole('link', { name: title }).focus();
    await page.keyboard.press('ArrowDown');
    const before = `document.activeElement.closest('tr').previousElementSibling.textContent`; // others may join above
    expect(await page.evaluate<string>(before)).toContain(title);
  });

  it('opens the palette by keyboard and goes to a page', async () => {
    const page = await tabs.open('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('skil');
    await page.getByRole('option', { name: 'Go to Skills' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Skills' }).waitFor();
  });

  it('offers a key without rights only what it may, and asks for nothing that it may not', async () => {
    const person = await owner.principals.create({ name: freshName('viewer'), kind: 'human' });
    const [viewer] = (await owner.roles.list().all()).filter(({ name }) => name === 'Viewer');
    await owner.roleAssignments.create({ principal_id: person.id, role_id: viewer?.id ?? '' });
    const { key = '' } = await owner.apiKeys.create({ name: 'viewer', principal_id: person.id });
    const page = await tabs.open('/', { key });
    await page.getByText('svc.org.admin').first().waitFor();
    await page.getByRole('link', { name: 'Skills' }).click();
    const make = page.getByRole('button', { name: 'New skill' }).first();
    await make.waitFor();
    expect(await make.getAttribute('aria-disabled')).toBe('true');
    expect(await make.getAttribute('aria-description')).toBe('Needs the permission svc.resource.build');
    await make.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    await lookAt(page);
  });
});
