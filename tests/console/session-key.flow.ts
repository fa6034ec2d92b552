import { quickest } from '@aos/kernel/testing';
import { ConsoleTabs, lookAt, owner, ownerKey } from './flow.js';

const tabs = ConsoleTabs.forThisFile();
/** A second, and the browser's time to draw. */
const withinMs = 1_500;

describe('logging in', () => {
  it('asks for the key once and goes on to the page of the link', async () => {
    const page = await tabs.open('/skills?name=none', { key: null });
    await page.getByLabel('API key').waitFor();
    expect(await page.getByLabel('API key').getAttribute('autocomplete')).toBe('off');
    await lookAt(page);
    await page.getByLabel('API key').fill(ownerKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Skills' }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/console/skills?name=none');
    expect(page.url()).not.toContain(ownerKey);
    await page.reload();
    await page.getByRole('heading', { name: 'Skills' }).waitFor();
  });

  it('keeps no key that the service refuses', async () => {
    const page = await tabs.open('/', { key: null, expects: /401/ });
    await page.getByLabel('API key').fill('svck_wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('This key is not accepted.').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('forgets the key at log out', async () => {
    const page = await tabs.open('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('forgets a key within a second of its end, on a page that only watches', async () => {
    const { id: principal } = await owner.me.get().then(({ principal: of }) => of);
    const took = await quickest(withinMs, async () => {
      const { id, key = '' } = await owner.apiKeys.create({ name: 'short-lived', principal_id: principal });
      // A gateway cuts the stream of a key that has ended.
      const page = await tabs.open('/', { key, expects: /401|ERR_INCOMPLETE_CHUNKED_ENCODING/ });
      await page.getByRole('img', { name: 'Live: changes appear as they happen' }).waitFor();
      await owner.apiKeys.delete(id);
      const from = performance.now();
      await page.getByText('This key is not accepted any more. Log in again.').waitFor();
      const shown = performance.now() - from;
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
      return shown;
    });
    expect(took).toBeLessThan(withinMs);
  });
});
