import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '@aos/platform/testing';
import { InteractionsWorld, until } from '../testing/interactions.process.js';

jest.setTimeout(120_000);

const world = new InteractionsWorld();
let browser: Browser;
let ann: { id: string; key: string };
let bob: { id: string; key: string };

beforeAll(async () => {
  browser = await launchBrowser();
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
  page.on('pageerror', (error) => {
    faults.push(String(error));
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  await page.goto(`${world.app?.url ?? ''}${path}`);
  await page.fill('#key', key);
  await page.keyboard.press('Enter');
  return { page, faults };
}

const asked = () =>
  world.made('/v1/interactions', {
    kind: 'assign_work',
    title: '<b>Plan</b> the release',
    description: '<img src=x onerror=alert(1)>',
    target_user_ids: [ann.id],
    resolution_policy: { type: 'any_of', review: { reviewer_user_ids: [bob.id] } },
    references: [
      { kind: 'external_url', url: 'javascript:alert(1)', label: 'bad' },
      { kind: 'external_url', url: 'https://example.com/', label: 'good' },
    ],
    spec: {
      questions: [
        {
          id: 'when',
          prompt: 'When?',
          mode: 'select',
          options: [
            { value: 'now', label: 'Now' },
            { value: 'later', label: 'Later' },
          ],
          allow_other: true,
        },
        {
          id: 'where',
          prompt: 'Where?',
          mode: 'multi_select',
          options: [
            { value: 'eu', label: 'Europe' },
            { value: 'us', label: 'America' },
          ],
        },
        { id: 'who', prompt: 'Who?', mode: 'input' },
      ],
    },
  });

/** One question to Ann, and to Bob where he is named. */
const question = (more: Record<string, unknown> = {}) =>
  world.made('/v1/interactions', {
    kind: 'request_information',
    title: 'Which name?',
    target_user_ids: [ann.id],
    spec: { questions: [{ id: 'name', prompt: 'Name?', mode: 'input' }] },
    ...more,
  });
const answer = (id: string, text: string, key: string) =>
  world.made(`/v1/interactions/${id}/respond`, { answers: [{ question_id: 'name', text }] }, key);
const focused = (page: Page) => page.evaluate('document.activeElement.id || document.activeElement.textContent');
const notice = (page: Page, text: string) => page.locator('#notice', { hasText: text }).waitFor({ timeout: 10_000 });

/** Ann's form, with a text that is typed and not sent; `sent` counts what changes something. */
async function typed(id: string): Promise<{ page: Page; faults: string[]; sent: string[] }> {
  const { page, faults } = await opened(`/interactions/${id}`, ann.key);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.waitForSelector('form[aria-label=Answer]');
  await page.focus('fieldset input');
  await page.keyboard.type('Half a na');
  return { page, faults, sent };
}

describe('the pages in a browser', () => {
  it('ask for the key again when it opens nothing, and keep it in the tab', async () => {
    const { page } = await opened('/interactions', 'wrong');
    await page.waitForSelector('#key-problem:not([hidden])');
    expect(await page.textContent('#key-problem')).toBe('This key is not accepted.');
    expect(
      await page.evaluate(
        () => (globalThis as unknown as { document: { activeElement: { id: string } } }).document.activeElement.id,
      ),
    ).toBe('key');
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
    expect(await page.locator('fieldset .wrong:not([hidden])').allTextContents()).toEqual([
      'Needs an answer.',
      'Needs an answer.',
      'Needs an answer.',
    ]);
    for (const key of ['Space', 'ArrowDown', 'Tab', 'Tab', 'Space', 'Tab', 'Tab']) await page.keyboard.press(key);
    await page.keyboard.type('Ann');
    await page.keyboard.press('Enter');
    await page.locator('#notice', { hasText: 'Your answer was taken.' }).waitFor();
    const { body } = await world.call('GET', `/v1/interactions/${id}`);
    expect(body).toMatchObject({
      status: 'in_review',
      responses: [
        {
          answers: [
            { question_id: 'when', value: 'later' },
            { question_id: 'where', values: ['eu'] },
            { question_id: 'who', text: 'Ann' },
          ],
        },
      ],
    });
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

  const endings: [string, string, (id: string) => Promise<unknown>][] = [
    ['answer', 'was answered elsewhere', (id) => answer(id, "Bob's", bob.key)],
    ['cancellation', 'was dismissed elsewhere', (id) => world.made(`/v1/interactions/${id}/cancel`, {})],
    [
      'expiry',
      'has expired',
      (id) =>
        until('expired', async () => {
          await world.pass(60_000);
          return (await world.call('GET', `/v1/interactions/${id}`)).body.status === 'expired' ? id : null;
        }),
    ],
  ];
  it.each(endings)(
    'show what became of a request after %s elsewhere, and send nothing of what was typed',
    async (_ending, words, end) => {
      const { id } = await question({
        target_user_ids: [ann.id, bob.id],
        expires_at: new Date(world.clock.now() + 60_000).toISOString(),
      });
      const { page, faults, sent } = await typed(id);
      await end(id);
      await notice(page, words);
      expect(await page.textContent('#notice')).toContain('What you had entered was not sent.');
      expect(await page.locator('form').count()).toBe(0);
      expect(await focused(page)).toBe('main');
      await page.keyboard.press('Enter');
      expect(sent).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  it("keep form, text and focus when another person's answer leaves the request open, and close the form at one's own in another tab", async () => {
    const { id } = await question({ target_user_ids: [ann.id, bob.id], resolution_policy: { type: 'all_of' } });
    const { page, sent } = await typed(id);
    await answer(id, "Bob's", bob.key);
    await page.locator('dd', { hasText: "Bob's" }).waitFor({ timeout: 10_000 });
    await page.keyboard.type('me');
    expect(await page.inputValue('fieldset input')).toBe('Half a name');
    const { id: second } = await question({ target_user_ids: [ann.id, bob.id], resolution_policy: { type: 'all_of' } });
    const { page: other } = await typed(second);
    await answer(second, "Ann's", ann.key);
    await notice(other, 'You answered this request elsewhere.');
    expect(await other.locator('form').count()).toBe(0);
    expect(sent).toEqual([]);
  });

  it('show what became of a request when an answer comes too late', async () => {
    const { id } = await question({ target_user_ids: [ann.id, bob.id] });
    const { page } = await typed(id);
    await page.route('**/respond', async (route) => {
      await answer(id, "Bob's", bob.key);
      await route.continue();
    });
    await page.keyboard.press('Enter');
    await notice(page, 'was answered elsewhere');
    expect(await page.locator('form').count()).toBe(0);
  });

  it('go on looking after the service could not be reached', async () => {
    const { id } = await question();
    const { page } = await typed(id);
    let looks = 0;
    await page.route(`**/v1/interactions/${id}`, async (route) => {
      looks += 1;
      await (looks === 1 ? route.abort() : route.continue());
    });
    await page.waitForEvent('requestfailed');
    expect(await page.inputValue('fieldset input')).toBe('Half a na');
    await world.made(`/v1/interactions/${id}/cancel`, {});
    await notice(page, 'was dismissed elsewhere');
  });

  it('look only while the tab is seen and the request is open, and at once when it is seen again', async () => {
    const { id } = await question();
    const { page } = await typed(id);
    let looks = 0;
    page.on('request', (request) => {
      if (request.url().endsWith(`/v1/interactions/${id}`)) looks += 1;
    });
    const turn = async (hidden: boolean) => {
      await page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${String(hidden)}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'));`,
      );
    };
    await turn(true);
    await page.clock.install();
    const before = looks;
    await page.clock.runFor(120_000);
    expect(looks).toBe(before);
    await world.made(`/v1/interactions/${id}/cancel`, {});
    await turn(false);
    await page.clock.runFor(1);
    await notice(page, 'was dismissed elsewhere');
    const after = looks;
    expect(after).toBe(before + 1);
    await page.clock.runFor(120_000);
    expect(looks).toBe(after);
  });

  it('drop what was being read or sent when the key is forgotten', async () => {
    const { id } = await question();
    const { page, faults } = await typed(id);
    let goOn: () => void = () => undefined;
    const forgotten = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route('**/respond', async (route) => {
      await forgotten;
      await route.continue();
    });
    await page.keyboard.press('Enter');
    await notice(page, 'Sending');
    await page.click('#forget');
    const answered = page.waitForResponse('**/respond');
    goOn();
    await (await answered).finished();
    expect(await page.locator('h1').allTextContents()).toEqual(['Your key']);
    expect(await page.textContent('#notice')).toBe('The key is forgotten.');
    expect(await page.locator('form').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it('ask before they dismiss: Escape and Keep back out, with what was typed, and a second press dismisses', async () => {
    const { id } = await question();
    const { page, faults, sent } = await typed(id);
    const dismiss = page.locator('button', { hasText: 'Dismiss request' });
    for (const back of ['Escape', 'Enter']) {
      await dismiss.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('alertdialog', { name: 'Dismiss this request?' }).waitFor();
      expect(await focused(page)).toBe('Keep it open');
      await page.keyboard.press(back);
      await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
      expect(await focused(page)).toBe('Dismiss request');
    }
    expect(await page.inputValue('fieldset input')).toBe('Half a na');
    expect(sent).toEqual([]);
    expect((await world.call('GET', `/v1/interactions/${id}`)).body.status).toBe('pending');
    for (const key of ['Enter', 'Tab', 'Enter']) await page.keyboard.press(key);
    await notice(page, 'The request was dismissed.');
    expect((await world.call('GET', `/v1/interactions/${id}`)).body.status).toBe('cancelled');
    expect(faults).toEqual([]);
  });

  it('show what became of a request while they ask whether to dismiss it', async () => {
    const { id } = await question({ target_user_ids: [ann.id, bob.id] });
    const { page, sent } = await typed(id);
    await page.click('button:has-text("Dismiss request")');
    await answer(id, "Bob's", bob.key);
    await notice(page, 'was answered elsewhere');
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    expect(await focused(page)).toBe('main');
    expect(sent).toEqual([]);
  });
});
