import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { InteractionsWorld } from '../testing/interactions.process.js';

jest.setTimeout(120_000);

/** A browser of the system: `apt-get install chromium`, or its path in `SVC_CHROMIUM`. */
const executablePath = process.env.SVC_CHROMIUM ?? '/usr/bin/chromium';
const world = new InteractionsWorld();
let browser: Browser;
let ann: { id: string; key: string };
let bob: { id: string; key: string };

beforeAll(async () => {
  if (!existsSync(executablePath)) throw new Error(`there is no browser at ${executablePath}`);
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  await world.start();
  ann = await world.person('ann');
  bob = await world.person('bob');
});

afterAll(async () => {
  await browser?.close();
  await world.stop();
});

/** A tab that has been given a key; a fault of a script or a breach of the policy fails the test. */
async function opened(path: string, key: string, width = 1000): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => { faults.push(String(error)); });
  page.on('console', (message) => { if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text()); });
  await page.goto(`${world.app?.url ?? ''}${path}`);
  await page.fill('#key', key);
  await page.keyboard.press('Enter');
  return { page, faults };
}

const asked = () => world.made('/v1/interactions', {
  kind: 'assign_work', title: '<b>Plan</b> the release', description: '<img src=x onerror=alert(1)>', target_user_ids: [ann.id],
  resolution_policy: { type: 'any_of', review: { reviewer_user_ids: [bob.id] } },
  references: [{ kind: 'external_url', url: 'javascript:alert(1)', label: 'bad' }, { kind: 'external_url', url: 'https://example.com/', label: 'good' }],
  spec: { questions: [
    { id: 'when', prompt: 'When?', mode: 'select', options: [{ value: 'now', label: 'Now' }, { value: 'later', label: 'Later' }], allow_other: true },
    { id: 'where', prompt: 'Where?', mode: 'multi_select', options: [{ value: 'eu', label: 'Europe' }, { value: 'us', label: 'America' }] },
    { id: 'who', prompt: 'Who?', mode: 'input' },
  ] },
});

describe('the pages in a browser', () => {
  it('ask for the key again when it opens nothing, and keep it in the tab', async () => {
    const { page } = await opened('/interactions', 'wrong');
    await page.waitForSelector('#key-problem:not([hidden])');
    expect(await page.textContent('#key-problem')).toBe('This key is not accepted.');
    expect(await page.evaluate(() => (globalThis as unknown as { document: { activeElement: { id: string } } }).document.activeElement.id)).toBe('key');
    expect((await page.context().cookies()).length).toBe(0);
  });

  it('lead from the inbox to the form, by keyboard alone to the answer, and on to the review', async () => {
    const { id } = await asked();
    const { page, faults } = await opened('/interactions', ann.key);
    await page.click('ul.list a');
    await page.waitForSelector('form[aria-label=Answer]');
    expect(await page.textContent('h1')).toBe('<b>Plan</b> the release');
    expect(await page.locator('main a').allTextContents()).toEqual(['good']);
    await page.focus('button[type=submit]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.wrong:not([hidden])');
    expect(await page.locator('fieldset .wrong:not([hidden])').allTextContents()).toEqual(['Needs an answer.', 'Needs an answer.', 'Needs an answer.']);
    for (const key of ['Space', 'ArrowDown', 'Tab', 'Tab', 'Space', 'Tab', 'Tab']) await page.keyboard.press(key);
    await page.keyboard.type('Ann');
    await page.keyboard.press('Enter');
    await page.locator('#notice', { hasText: 'Your answer was taken.' }).waitFor();
    const { body } = await world.call('GET', `/v1/interactions/${id}`);
    expect(body).toMatchObject({ status: 'in_review', responses: [{ answers: [{ question_id: 'when', value: 'later' }, { question_id: 'where', values: ['eu'] }, { question_id: 'who', text: 'Ann' }] }] });
    const { page: other, faults: otherFaults } = await opened(`/interactions/${id}`, bob.key);
    await other.click('button:has-text("Ask for changes")');
    await other.waitForSelector('#review-problem:not([hidden])');
    await other.click('button:has-text("Accept")');
    await other.locator('#notice', { hasText: 'The work was accepted.' }).waitFor();
    expect((await world.call('GET', `/v1/interactions/${id}`)).body.status).toBe('completed');
    expect([...faults, ...otherFaults]).toEqual([]);
  });

  it('fit a narrow screen', async () => {
    const { id } = await asked();
    const { page } = await opened(`/interactions/${id}`, ann.key, 320);
    await page.waitForSelector('form[aria-label=Answer]');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });
});
