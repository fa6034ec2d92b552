import { ActionServer } from '../harness/actions.js';
import { eventually } from '../harness/waiting.js';
import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';
import { viewerKey } from './person.js';

const tabs = ConsoleTabs.forThisFile();
let server: ActionServer;
beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());

/** An address that nothing answers at. */
const nowhere = (word: string): string => `https://${freshName(word)}.invalid/events`;

async function hookMade(url = nowhere('hook')): Promise<{ id: string; url: string }> {
  const { id } = await owner.webhooks.create({ url, event_types: ['crm.*'] });
  return { id, url };
}

/** Something happens at a provider: one event. */
async function happens(): Promise<string> {
  const body = { id: freshName('e'), event_type: 'crm.deal.won', integration_id: freshName('int'), event: { n: 1 } };
  return (await owner.events.receiveProviderEvent(body)).event_id;
}

describe('web hooks', () => {
  it('CO6: are made with a secret that is shown once, tested, changed and deleted', async () => {
    const url = nowhere('made');
    const page = await tabs.open('/events');
    await page.getByRole('tab', { name: 'Web hooks' }).click();
    await page.getByRole('button', { name: 'New web hook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(url);
    await dialog.getByLabel('Types of events').fill('no type');
    await dialog.getByRole('button', { name: 'Make web hook' }).click();
    await dialog.getByText(/pattern|Invalid/).waitFor();
    await dialog.getByLabel('Types of events').fill('crm.*\n\ncrm.*');
    await dialog.getByLabel('Add a family').selectOption('session.*');
    await dialog.getByRole('checkbox', { name: 'session' }).check();
    await lookAt(page);
    await dialog.getByRole('button', { name: 'Make web hook' }).click();
    const secret = await dialog.getByLabel('Signing secret', { exact: true }).last().innerText();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/=]{44}$/);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('heading', { level: 1, name: new URL(url).host }).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('status').filter({ hasText: 'The endpoint did not answer' }).first().waitFor();
    await page.getByText('Nothing waits').waitFor();
    await lookAt(page);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await dialog.getByLabel('Description').fill('To the <b>books</b>');
    await dialog.getByRole('checkbox', { name: 'session' }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'To the <b>books</b>' }).waitFor();
    const [made] = (await owner.webhooks.list().all(100)).filter((one) => one.url === url);
    expect(made).toMatchObject({ event_types: ['crm.*', 'session.*'], description: 'To the <b>books</b>' });
    expect(made).not.toHaveProperty('source_kinds');

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
    expect(await dialog.getByLabel('Signing secret', { exact: true }).last().innerText()).not.toBe(secret);
    await dialog.getByRole('button', { name: 'I have it' }).click();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${url} to confirm`).fill(url);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('tab', { name: 'Web hooks', selected: true }).waitFor();
    await expect(owner.webhooks.get(made?.id ?? '')).rejects.toMatchObject({ status: 404 });
  });

  it('show what waits, and send it again', async () => {
    const { id, url } = await hookMade();
    const page = await tabs.open('/events?view=webhooks', { expects: /400 .*\/redeliver$/ });
    await page.getByRole('link', { name: url }).click();
    const event = await happens();
    const row = page.getByRole('row').filter({ hasText: event });
    await row.getByText('waiting', { exact: true }).waitFor();
    await lookAt(page);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Send events again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Received from').fill('2026-01-01T10:00');
    await dialog.getByLabel('Until').fill('2026-01-01T09:00');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Which').selectOption('event');
    await dialog.getByLabel('Event id').fill(event);
    await lookAt(page);
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('One event is sent again').waitFor();
    await page.close(); // else it would read anew what goes
    await owner.webhooks.delete(id);
  });

  it.each([
    ['where it stood', 'Enable', true],
    ['from now on', 'Enable from now on', false],
  ])('that were disabled say why, and go on %s', async (_where, label, keepsOld) => {
    let isGone = true;
    const path = `/${freshName('hook')}`;
    const url = server.at(path, () => ({ status: isGone ? 410 : 200 }));
    const { id } = await hookMade(url);
    const sent = () => server.on(path).map(({ headers }) => headers['webhook-id']);
    const before = await happens();
    await eventually('the end of the hook', async () => (await owner.webhooks.get(id)).status === 'disabled');
    const missed = await happens();
    isGone = false;
    const page = await tabs.open(`/events/webhooks/${id}`);
    await page.getByText('the endpoint answered 410').waitFor();
    await page.getByRole('button', { name: 'Enable', exact: true }).waitFor();
    await lookAt(page);
    if (keepsOld) await page.getByRole('button', { name: label, exact: true }).click();
    else {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: label }).click();
    }
    await page.getByRole('status').filter({ hasText: 'Enabled' }).first().waitFor();
    await page.getByRole('button', { name: 'Enable', exact: true }).waitFor({ state: 'detached' });
    expect(await owner.webhooks.get(id)).toMatchObject({ status: 'active', disabled: null });
    const after = await happens();
    await eventually('the next event', () => Promise.resolve(sent().includes(after)));
    if (keepsOld) await eventually('what was missed', () => Promise.resolve(sent().includes(missed)));
    else expect(sent()).toEqual([before, after]);
    await page.close();
    await owner.webhooks.delete(id);
  });

  it('are for administrators', async () => {
    const page = await tabs.open('/events?view=webhooks', { key: await viewerKey() });
    await page.getByText('svc.org.admin').first().waitFor();
    const make = page.getByRole('button', { name: 'New web hook' });
    expect(await make.getAttribute('aria-description')).toBe('Needs the permission svc.org.admin');
    await lookAt(page);
  });
});
