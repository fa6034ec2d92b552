import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';

const tabs = ConsoleTabs.forThisFile();

const said = (text: string) => [{ type: 'text', text }];

/** A message in a new session: it leaves an event of that session. */
async function messageIn(key: string, text: string): Promise<string> {
  const {
    items: [agent],
  } = await owner.agents.list({ limit: 1 }).page();
  const session = await owner.sessions.create({ agent_id: agent?.id ?? '', session_key: key });
  await owner.sessions.appendMessages(session.id, { messages: [{ role: 'user', content: said(text) }] });
  return session.id;
}

describe('events', () => {
  it('come as they happen, are paused and gone on with, and lead to one event whole', async () => {
    const key = freshName('tail');
    const page = await tabs.open('/events?family=session');
    await page.getByText(/^Live, \d+ shown$/).waitFor();
    await lookAt(page);
    const session = await messageIn(key, `one of ${key}`);
    await page.getByRole('link', { name: new RegExp(`one of ${key}`) }).waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await owner.sessions.appendMessages(session, {
      messages: [{ role: 'user', content: said(`<b>two</b> of ${key}`) }],
    });
    await page.getByRole('button', { name: /^Go on, show [1-9]/ }).click();
    const second = page.getByRole('link', { name: new RegExp(`<b>two</b> of ${key}`) });
    await second.waitFor();

    await page.getByRole('region', { name: 'Events, newest first' }).focus();
    await page.keyboard.press('ArrowDown');
    await second.click();
    await page.getByRole('heading', { level: 1, name: 'session.message.created' }).waitFor();
    await page.getByText(`"<b>two</b> of ${key}"`).first().waitFor();
    await lookAt(page);
    const address = page.url();
    await page
      .getByRole('button', { name: /^Copy [A-Za-z0-9_.-]{9,}$/ })
      .last()
      .click();
    const position = await page.evaluate<string>('navigator.clipboard.readText()');
    const behind = await owner.events.list({ source_id: session, cursor: position }).all();
    expect(behind).toEqual([]);

    await page.goto(address);
    await page.getByText(`"<b>two</b> of ${key}"`).first().waitFor();
  });

  it('are filtered by type, kind and id of their source, in the address', async () => {
    const session = await messageIn(freshName('other'), 'elsewhere');
    const page = await tabs.open('/events');
    await page.getByText(/^Live, \d+ shown$/).waitFor();
    await page.getByLabel('Source id').fill(session);
    await page.keyboard.press('Enter');
    await page.getByText('Live, 1 shown').waitFor();
    await page.getByLabel('Type').fill('table.*');
    await page.keyboard.press('Enter');
    await page.getByText('No such event is kept').waitFor();
    expect(new URL(page.url()).search).toBe(`?source=${session}&type=table.*`);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText(/^Live, ([2-9]|\d\d+) shown$/).waitFor();
  });
});
