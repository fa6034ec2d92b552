import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';
import { person, viewerKey } from './person.js';

const tabs = ConsoleTabs.forThisFile();

/** A messaging bridge of the team that all agents may use. */
async function bridge(): Promise<{ id: string; name: string }> {
  const name = freshName('bridge');
  const { id } = await owner.connections.create({
    name,
    kind: 'channel_webhook',
    owner: { kind: 'team' },
    hosts: ['https://bridge.example.com'],
    url: 'https://bridge.example.com/answers',
  });
  await owner.connections.replaceGrants(id, { principal_ids: [], everyone: true });
  return { id, name };
}

describe('members of an agent', () => {
  it('are added and taken off, and are listed to those who may change it', async () => {
    const ann = await person('ann');
    const { id } = await owner.agents.create({ name: freshName('restricted'), visibility: 'restricted' });
    const page = await tabs.open(`/agents/${id}`);
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByText('No members yet').waitFor();
    await page.getByLabel('Who', { exact: true }).selectOption({ label: ann.name });
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('cell', { name: ann.name, exact: true }).waitFor();
    expect((await ann.svc.agents.get(id)).member_count).toBe(1);
    await lookAt(page);
    const hers = await tabs.open(`/agents/${id}?tab=members`, { key: ann.key });
    await hers.getByText('One member').waitFor();
    await lookAt(hers);
    await hers.close(); // the agent goes out of her reach
    await page.getByRole('button', { name: `Take ${ann.name} off` }).click();
    await page.getByText('No members yet').waitFor();
    await expect(ann.svc.agents.get(id)).rejects.toMatchObject({ status: 404 });
  });

  it('are said to wait while the organization reaches the agent, and a reader changes none', async () => {
    const { id } = await owner.agents.create({ name: freshName('open'), visibility: 'organization' });
    const page = await tabs.open(`/agents/${id}?tab=members`, { key: await viewerKey() });
    await page.getByText('Its members matter once it is restricted or private.').waitFor();
    const add = page.getByRole('button', { name: 'Add', exact: true });
    expect(await add.getAttribute('aria-description')).toBe('Needs the permission svc.resource.build');
    await lookAt(page);
  });
});

describe('messaging of an agent', () => {
  it('is bound to an account, changed, taken over and taken away', async () => {
    const account = await bridge();
    const first = await owner.agents.create({ name: freshName('first'), visibility: 'organization' });
    const second = await owner.agents.create({ name: freshName('second'), visibility: 'organization' });
    const page = await tabs.open(`/agents/${first.id}?tab=messaging`, { expects: /409 .*messaging-bindings$/ });
    await page.getByText('It answers no messages yet').waitFor();
    await lookAt(page);
    await page.getByRole('button', { name: 'Answer from an account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Provider').selectOption('email');
    await dialog.getByText('No connection of the team for this grants the agent.').waitFor();
    await dialog.getByLabel('Provider').selectOption('slack');
    await dialog.getByLabel('Account').selectOption({ label: account.name });
    await dialog.getByLabel('Direct messages are answered').selectOption('allowlist');
    await dialog.getByLabel('Senders').fill('U1\nU2');
    await dialog.getByLabel('Only in these channels').fill('C1');
    await lookAt(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: account.name });
    await row.getByText('named senders, mentions in 1 channel').waitFor();
    await lookAt(page);
    const [made] = await owner.agents.listMessagingBindings(first.id).all(10);
    expect(made).toMatchObject({ enabled: true, sender_allow: ['U1', 'U2'], channels: ['C1'], dm_policy: 'allowlist' });

    await row.getByRole('button', { name: /^Slack/ }).click();
    await dialog.getByLabel('In channels it answers').selectOption('all');
    await dialog.getByRole('switch', { name: 'Enabled' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('disabled').waitFor();
    await row.getByText('every message in 1 channel').waitFor();

    await page.goto(page.url().replace(first.id, second.id));
    await page.getByRole('button', { name: 'Answer from an account' }).click();
    await dialog.getByLabel('Account').selectOption({ label: account.name });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('another agent answers from this account').waitFor();
    await dialog.getByRole('switch', { name: 'Take the account over' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('direct messages, mentions in all channels').waitFor();
    expect(await owner.agents.listMessagingBindings(first.id).all(10)).toEqual([]);

    await row.getByRole('button', { name: 'Take Slack away' }).click();
    await page.getByLabel(`Type ${account.name} to confirm`).fill(account.name);
    await page.getByRole('button', { name: 'Take away', exact: true }).click();
    await page.getByText('It answers no messages yet').waitFor();
    expect(await owner.agents.listMessagingBindings(second.id).all(10)).toEqual([]);
  });
});
