import {
  converse,
  createAgent,
  createSession,
  endlessScript,
  invoke,
  reaches,
  script,
  type Agent,
} from '../harness/index.js';
import { api } from './conversations.js';
import { ConsoleTabs, freshName, lookAt } from './flow.js';

const tabs = ConsoleTabs.forThisFile();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api);
});

async function sessionKey(): Promise<{ id: string; session_key: string }> {
  return createSession(api, agent.id, { session_key: freshName('turns'), title: freshName('Turns') });
}

describe('one turn', () => {
  it('says what it did, how long each step took, and leads to its place in the session', async () => {
    const { id, session_key } = await sessionKey();
    const steps = [{ say: 'I look.' }, { call: { name: 'no_such_tool', input: {} } }, { say: 'Found it.' }];
    const { turn } = await converse(api, agent.id, script(...steps), {
      session: { session_key },
      context: [{ name: 'page', content: 'The reader is at /orders' }],
    });
    const page = await tabs.open(`/sessions/${id}`);
    await page
      .getByRole('log')
      .getByRole('link', { name: /^Turn completed/ })
      .click();
    await page.waitForURL(new RegExp(`/sessions/${id}/turns/${turn.id}$`));
    const kinds = page.getByRole('region', { name: 'Steps of the turn' }).locator('tbody tr td:first-child');
    await page.getByRole('cell', { name: /^no_such_tool/ }).waitFor();
    expect(await kinds.allInnerTexts()).toEqual(['Context', 'Input', 'Model call', 'Tool call', 'Model call']);
    const lefts = await page
      .locator('[data-bar] > span')
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().left));
    expect(lefts).toEqual([...lefts].sort((one, other) => one - other));
    expect(new Set(lefts).size).toBeGreaterThan(1);
    const about = page.getByRole('region', { name: 'About' });
    expect(await about.innerText()).toMatch(/Model calls\s+2/);
    await page.getByRole('region', { name: 'Rows' }).getByText('Found it.', { exact: true }).waitFor();
    await lookAt(page);
    await about.getByRole('link', { name: 'Show it in its session' }).click();
    await page.waitForURL(new RegExp(`/sessions/${id}\\?row=\\d+$`));
    await page.getByRole('log').getByText('Found it.', { exact: true }).waitFor();
  });

  it('says why it failed and what to do, and what it gave as output', async () => {
    const { session_key, id } = await sessionKey();
    const failed = await converse(api, agent.id, script({ say: 'Half.' }, { error: { message: 'it broke' } }), {
      session: { session_key },
    });
    const page = await tabs.open(`/sessions/${id}/turns/${failed.turn.id}`);
    const why = page.getByRole('note', { name: 'Why it failed' });
    await why.getByText('model_error').waitFor();
    await why.getByText('it broke').waitFor();
    await why.getByText(/Send again/).waitFor();
    await page.getByText('kept of a turn that failed').waitFor();
    await lookAt(page);
  });

  it('follows one that runs, and cancels it', async () => {
    const { id, session_key } = await sessionKey();
    const turn = await invoke(api, agent.id, endlessScript, { session: { session_key } });
    await reaches(api, turn, 'running');
    const page = await tabs.open(`/sessions/${id}/turns/${turn.turn_id}`);
    const about = page.getByRole('region', { name: 'About' });
    await about.getByText('running').waitFor();
    await about.getByRole('button', { name: 'Cancel' }).click();
    await about.getByText('cancelled').waitFor();
    await about.getByText('Ended').waitFor();
  });

  it('says that it is not there', async () => {
    const { id } = await sessionKey();
    const page = await tabs.open(`/sessions/${id}/turns/turn_none`, { expects: /404/ });
    await page.getByText('It is not there').waitFor();
  });
});
