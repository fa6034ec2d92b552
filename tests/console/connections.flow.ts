import type { Locator, Page } from 'playwright-core';
import { OAuthIssuer } from '../harness/oauth-issuer.js';
import { ConsoleTabs, baseUrl, freshName, lookAt, owner } from './flow.js';
import { person, viewerKey } from './person.js';
import { TlsFront } from './tls-front.js';

const tabs = ConsoleTabs.forThisFile();
const secret = 'a-secret-of-the-account';
const host = 'https://api.example.com';

/** The console under https, where an authorization may lead back to. */
let front: TlsFront;
beforeAll(async () => {
  front = await TlsFront.start(baseUrl);
});
afterAll(() => front.close());

/** The form of a new connection, with its name. */
async function opened(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name: 'New connection' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  return dialog;
}

/** The secret stands nowhere in the tab. */
async function keepsNothing(page: Page, text: string): Promise<void> {
  expect(await page.content()).not.toContain(text);
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(text);
}

describe('connections', () => {
  it('CO6: are made, granted, changed, given another secret and deleted', async () => {
    const name = freshName('shop');
    const page = await tabs.open('/access', { expects: /400 .*connections$/ });
    await page.getByRole('tab', { name: 'Connections' }).click();
    const dialog = await opened(page, name);
    await dialog.getByLabel('Provider').fill('demo-shop');
    await dialog.getByLabel('Hosts').fill('nowhere');
    await dialog.getByLabel('Form').fill('Bearer {secret}');
    await dialog.getByLabel('Secret', { exact: true }).fill(secret);
    await dialog.getByRole('button', { name: 'API: show the API call' }).click();
    const shown = page.getByRole('dialog', { name: 'API call' });
    await shown.getByText('<secret>').waitFor();
    expect(await shown.innerText()).not.toContain(secret);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Make connection' }).click();
    await dialog
      .getByText(/origin|host/i)
      .last()
      .waitFor();
    await dialog.getByLabel('Hosts').fill(host);
    await lookAt(page);
    await dialog.getByRole('button', { name: 'Make connection' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await keepsNothing(page, secret);
    const [made] = (await owner.connections.list({ provider: 'demo-shop' }).all(100)).filter(
      (one) => one.name === name,
    );
    expect(made).toMatchObject({ hosts: [host], format: 'Bearer {secret}', owner: { kind: 'team' } });

    await page.getByLabel('Grant it to').selectOption({ label: 'support (Agent)' });
    await page.getByRole('button', { name: 'Save grants' }).click();
    await page.getByText('Saved').waitFor();
    const [agent] = await owner.agents.list({ name: 'support' }).all();
    expect((await owner.connections.get(made?.id ?? '')).grants.principal_ids).toEqual([agent?.id]);
    await page.getByRole('list', { name: 'Granted to' }).getByText('support').waitFor();
    await lookAt(page);
    await page.getByRole('switch', { name: /^Every agent/ }).click();
    await page.getByRole('button', { name: 'Save grants' }).click();
    await page.getByRole('list', { name: 'Granted to' }).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await dialog.getByLabel('Hosts').fill(`${host}\nhttps://two.example.com`);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('list', { name: 'Hosts' }).getByText('https://two.example.com').waitFor();

    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await dialog.getByLabel('Secret', { exact: true }).fill(`${secret}-2`);
    await dialog.getByRole('button', { name: 'Replace it' }).click();
    await page.getByText('The secret was replaced').waitFor();
    await keepsNothing(page, `${secret}-2`);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('tab', { name: 'Connections', selected: true }).waitFor();
    await expect(owner.connections.get(made?.id ?? '')).rejects.toMatchObject({ status: 404 });
  });

  it('CO6: of every kind have their fields, and a bridge shows its secret once', async () => {
    const names = { basic: freshName('basic'), headers: freshName('headers'), smtp: freshName('smtp') };
    const page = await tabs.open('/access?view=connections');
    let dialog = await opened(page, names.basic);
    await dialog.getByLabel('Kind').selectOption('basic');
    await dialog.getByLabel('Hosts').fill(host);
    await dialog.getByLabel('User name').fill('shop');
    await dialog.getByLabel('Password').fill(secret);
    await dialog.getByRole('button', { name: 'Make connection' }).click();
    await page.getByRole('heading', { level: 1, name: names.basic }).waitFor();

    await page.getByRole('link', { name: 'Connections /' }).click();
    dialog = await opened(page, names.headers);
    await dialog.getByLabel('Kind').selectOption('headers');
    await dialog.getByLabel('Hosts').fill(host);
    await dialog.getByLabel('Name of header 1').fill('X-App');
    await dialog.getByLabel('Secret of header 1').fill(secret);
    await lookAt(page);
    await dialog.getByRole('button', { name: 'Make connection' }).click();
    await page.getByRole('heading', { level: 1, name: names.headers }).waitFor();
    await page.getByText('X-App').waitFor();
    await keepsNothing(page, secret);

    await page.getByRole('link', { name: 'Connections /' }).click();
    dialog = await opened(page, names.smtp);
    await dialog.getByLabel('Kind').selectOption('smtp');
    await dialog.getByLabel('Server').fill('smtp.example.com:587');
    await dialog.getByLabel('User name').fill('shop');
    await dialog.getByLabel('Password').fill(secret);
    await dialog.getByRole('button', { name: 'Make connection' }).click();
    await page.getByRole('heading', { level: 1, name: names.smtp }).waitFor();

    await page.getByRole('link', { name: 'Connections /' }).click();
    dialog = await opened(page, freshName('bridge'));
    await dialog.getByLabel('Kind').selectOption('channel_webhook');
    await dialog.getByLabel('URL').fill('https://api.example.com/bridge');
    await dialog.getByRole('button', { name: 'Make connection' }).click();
    const signing = await page.locator('code[aria-label="Signing secret"]').innerText();
    expect(signing).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByText('Messaging bridge').waitFor();
    await keepsNothing(page, signing);
  });

  it('of a person are theirs alone, and say what a grant covers', async () => {
    const ann = await person('ann');
    const name = freshName('mine');
    const page = await tabs.open('/access?view=connections', { key: ann.key });
    const dialog = await opened(page, name);
    await dialog.getByLabel('Hosts').fill(host);
    await dialog.getByLabel('Secret', { exact: true }).fill(secret);
    await dialog.getByRole('button', { name: 'Make connection' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('The grants cover no action.').waitFor();
    expect(await page.getByRole('switch', { name: /^Every agent/ }).count()).toBe(0);
    await page.getByLabel('Grant it to').selectOption({ label: 'support (Agent)' });
    await page.getByText('A grant covers the actions of the provider').waitFor();
    await lookAt(page);
    const mine = (await ann.svc.connections.list().all(100)).find((one) => one.name === name);
    expect(mine?.owner).toEqual({ kind: 'person', id: ann.id });
    const other = await tabs.open('/access?view=connections');
    await other.getByRole('tab', { name: 'Connections', selected: true }).waitFor();
    await lookAt(other);
    expect(await other.getByRole('link', { name }).count()).toBe(0);
  });

  it('of an account that its provider authorizes begin at a provider, and say what came back from it', async () => {
    const provider = freshName('provider');
    const page = await tabs.open('/access?view=connections', { expects: /40[09] .*authorize(\/complete)?$/ });
    await page.getByRole('button', { name: 'New provider' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill(provider);
    await dialog.getByLabel('Issuer', { exact: true }).fill('https://login.acme.invalid');
    await dialog.getByLabel('Authorization endpoint').fill('https://login.acme.invalid/authorize');
    await dialog.getByLabel('Token endpoint').fill('https://login.acme.invalid/token');
    await dialog.getByLabel('Client id').fill('console-flow');
    await dialog.getByLabel('Client secret').fill(secret);
    await dialog.getByLabel('Hosts').fill(host);
    await dialog.getByLabel('Scopes').fill('read\nwrite');
    await lookAt(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('table', { name: 'Providers' }).getByText(provider).waitFor();
    await keepsNothing(page, secret);
    expect(await owner.connections.getProvider(provider)).toMatchObject({ scopes: ['read', 'write'], hosts: [host] });

    const name = freshName('account');
    await opened(page, name);
    await dialog.getByLabel('Kind').selectOption('oauth2_authorization_code');
    await dialog.getByLabel('Provider').selectOption(provider);
    await dialog.getByRole('button', { name: 'Make connection' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('needs authorization').waitFor();
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /return/i })
      .waitFor(); // the console's own origin is not among them
    await lookAt(page);
    const address = page.url();
    await page.goto(`${address}?error=access_denied`);
    await page.getByText('The account was not authorized: access denied.').waitFor();
    await page.goto(`${address}?connection_id=${address.split('/').at(-1) ?? ''}&receipt=none-of-ours`);
    await page.getByRole('alert').filter({ hasText: 'conflict' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('link', { name: 'Connections /' }).click();
    await page.getByRole('button', { name: `Delete ${provider}` }).click();
    await page.getByLabel(`Type ${provider} to confirm`).fill(provider);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: `Delete ${provider}` }).waitFor({ state: 'detached' });
  });

  it('TE26: of an account that its provider authorizes go there, come back with a receipt and are authorized', async () => {
    const issuer = await OAuthIssuer.start(`${baseUrl}/v1/oauth/callback`);
    try {
      const [provider, name] = [freshName('issuer'), freshName('authorized')];
      await owner.connections.saveProvider(provider, issuer.provider([host]) as never);
      await owner.organization.replaceOAuthReturnOrigins({ origins: [front.origin] });
      const account = { name, kind: 'oauth2_authorization_code', provider, owner: { kind: 'team' } } as const;
      const { id } = await owner.connections.create(account);
      const page = await tabs.open(`/access/connections/${id}`, { through: front.origin });
      await page.getByText('needs authorization').waitFor();
      await lookAt(page);
      await page.getByRole('button', { name: 'Authorize', exact: true }).click();
      await page.getByText('The account is authorized').first().waitFor();
      await page.getByRole('button', { name: 'Authorize again' }).waitFor();
      expect(await owner.connections.get(id)).toMatchObject({ status: 'active' });
      expect(new URL(page.url()).search).toBe('');
      await lookAt(page);
      expect(await issuer.asked()).toEqual(['authorization_code']);
      await page.reload();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      expect(await owner.connections.get(id)).toMatchObject({ status: 'active' });
    } finally {
      await owner.organization.replaceOAuthReturnOrigins({ origins: [] });
      await issuer.close();
    }
  });

  it('have their return origins beside them, for administrators', async () => {
    const page = await tabs.open('/access?view=connections', { expects: /400 .*oauth-return-origins$/ });
    await page.getByLabel('Origins', { exact: true }).fill('https://app.example.com/path');
    await page.getByRole('button', { name: 'Save origins' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Origins', { exact: true }).fill('https://app.example.com\nhttps://other.example.com');
    await page.getByRole('button', { name: 'Save origins' }).click();
    await page.getByText('Saved').waitFor();
    expect((await owner.organization.getOAuthReturnOrigins()).origins).toEqual([
      'https://app.example.com',
      'https://other.example.com',
    ]);
    await owner.organization.replaceOAuthReturnOrigins({ origins: [] });
    const viewed = await tabs.open('/access?view=connections', { key: await viewerKey() });
    const make = viewed.getByRole('button', { name: 'New connection' });
    expect(await make.getAttribute('aria-description')).toBe('Needs the permission svc.resource.use');
    await lookAt(viewed);
    expect(await viewed.getByLabel('Origins', { exact: true }).count()).toBe(0);
  });
});
