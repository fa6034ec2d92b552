import {
  cancelTurn,
  createAgent,
  createSession,
  endlessScript,
  invoke,
  unique,
  type Agent,
  type Session,
} from '../harness/index.js';
import { ConsoleTabs, freshName, lookAt } from './flow.js';
import { api } from './conversations.js';
import { withPageOfOthers } from './many-agents.js';

const tabs = ConsoleTabs.forThisFile();
let agent: Agent;

const session = (fields: Record<string, unknown>): Promise<Session> =>
  createSession(api, agent.id, { session_key: unique('listed'), ...fields });

beforeAll(async () => {
  agent = await createAgent(api);
});

describe('the list of sessions', () => {
  it('is searched by title, metadata and agent, and the address has the filters', async () => {
    const title = freshName('Order');
    const { id } = await session({ title, metadata: { customer: title } });
    await session({ title: freshName('Other') });
    const page = await tabs.open('/sessions');
    const list = page.getByRole('list', { name: 'Sessions' });
    await page.getByLabel('Title or key').fill(title.toUpperCase());
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=ORDER/);
    await list.getByRole('listitem').nth(1).waitFor({ state: 'detached' }); // the list before the search is gone
    await list.getByRole('link', { name: title }).waitFor();
    expect(await list.getByRole('listitem').count()).toBe(1);
    await page.getByLabel('Title or key').fill('');
    await page.getByLabel('Metadata').fill(`customer:${title}`);
    await page.keyboard.press('Enter');
    await page.waitForURL(/metadata=customer/);
    await page.getByLabel('Agent').selectOption({ label: agent.name });
    await page.waitForURL(/agent=agent_/);
    await list.getByRole('link', { name: title }).waitFor();
    await lookAt(page);

    const shared = await tabs.open(new URL(page.url()).pathname.replace('/console', '') + new URL(page.url()).search);
    await shared.getByRole('list', { name: 'Sessions' }).getByRole('link', { name: title }).click();
    await shared.waitForURL(new RegExp(`/console/sessions/${id}$`));
  });

  it('names each agent, also where there are more than a page of the list has', async () => {
    const late = await createAgent(api);
    const title = freshName('Late');
    await createSession(api, late.id, { session_key: unique('listed'), title });
    const page = await tabs.open('/sessions');
    await withPageOfOthers(page);
    await page.reload();
    const row = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').filter({ hasText: title });
    await row.getByText(late.name).waitFor();
    await page.getByLabel('Agent').selectOption({ label: late.name });
    await page.waitForURL(new RegExp(`agent=${late.id}`));
    await row.getByRole('link', { name: title }).click();
    await page.getByRole('main').getByText(late.name, { exact: true }).first().waitFor();
  });

  it('says what to do when nothing matches', async () => {
    const page = await tabs.open(`/sessions?q=${freshName('none')}`);
    await page.getByText('No session matches').waitFor();
    await lookAt(page);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('list', { name: 'Sessions' }).waitFor();
    await page.getByLabel('Metadata').fill('no pair');
    await page.getByText('Write each as key:value.').waitFor();
  });

  it('shows the state of a session as it changes, without a reload', async () => {
    const title = freshName('Live');
    const { session_key } = await session({ title });
    const page = await tabs.open(`/sessions?q=${title}`);
    const line = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').filter({ hasText: title });
    await line.getByText('idle').waitFor();
    const turn = await invoke(api, agent.id, endlessScript, { session: { session_key } });
    await line.getByText('running').waitFor();
    await cancelTurn(api, turn);
    await line.getByText('idle').waitFor();
  });

  it('is walked by keys, over more rows than a page has', async () => {
    const prefix = unique('many');
    for (let index = 0; index < 60; index += 1) await session({ title: `${prefix} ${index}` });
    const page = await tabs.open(`/sessions?q=${prefix}`);
    const first = page.getByRole('link', { name: `${prefix} 59` });
    await first.focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(`${prefix} 58`);
    const region = page.getByRole('region', { name: 'Sessions' });
    await region.evaluate((element) => element.scrollTo(0, 1e9));
    await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
    await region.evaluate((element) => element.scrollTo(0, 1e9));
    await page.getByRole('link', { name: `${prefix} 0`, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: `${prefix} 0` }).waitFor();
  });
});
