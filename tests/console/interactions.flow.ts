import type { Page } from 'playwright-core';
import { OwnService } from '../harness/embedded.js';
import { ConsoleTabs, freshName, lookAt, owner, seriousFaults } from './flow.js';
import { person, type Person } from './person.js';

const tabs = ConsoleTabs.forThisFile();
const under = '/interactions';
const markup = '<img src=x onerror="document.title=`taken`"><script>document.title="taken"</script>';
let ann: Person;
let bob: Person;

beforeAll(async () => {
  [ann, bob] = await Promise.all([person('ann'), person('bob')]);
});

/** One question to Ann, and to Bob where he is named. */
function asked(more: object = {}) {
  return owner.interactions.create({
    kind: 'request_information' as const,
    title: freshName('Name'),
    target_user_ids: [ann.id],
    spec: { questions: [{ id: 'name', prompt: 'Name?', mode: 'input' as const, multiline: false }] },
    ...more,
  });
}

const answerOf = (who: Person, id: string, text: string) =>
  who.svc.interactions.respond(id, { answers: [{ question_id: 'name', text }] });

/** Ann's form with a text that is typed and not sent; `sent` has what would change something. */
async function typed(id: string, expects?: RegExp): Promise<{ page: Page; sent: string[] }> {
  const page = await tabs.open(`/${id}`, { key: ann.key, under, ...(expects && { expects }) });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.getByLabel('Name?').fill('Half a na');
  return { page, sent };
}

/** Milliseconds that it takes to ask and to type: a request that is to expire lives longer. */
async function timeToType(): Promise<number> {
  const from = performance.now();
  const { page } = await typed((await asked()).id);
  await page.close();
  return performance.now() - from;
}

const hasFocus = (page: Page) => page.evaluate<string>('document.activeElement.id || document.activeElement.tagName');

describe('CO5: the pages of questions', () => {
  it('ask for a key, say when it is refused, keep it for the tab and log out', async () => {
    const page = await tabs.open('', { key: null, under, expects: /401/ });
    await page.getByLabel('API key').fill('svck_wrong');
    await page.keyboard.press('Enter');
    await page.getByText('This key is not accepted.').waitFor();
    await lookAt(page);
    await page.getByLabel('API key').fill(ann.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('lead by keyboard alone from the inbox to an answer, and on to the review', async () => {
    const options = ['Now', 'Later'].map((label) => ({ value: label.toLowerCase(), label }));
    const { id, title } = await asked({
      kind: 'assign_work',
      resolution_policy: { type: 'any_of', review: { reviewer_user_ids: [bob.id] } },
      spec: {
        questions: [
          { id: 'when', prompt: 'When?', mode: 'select', options },
          { id: 'who', prompt: 'Who?', mode: 'input', multiline: false },
        ],
      },
    });
    const page = await tabs.open('', { key: ann.key, under });
    const link = page.getByRole('link', { name: title });
    await link.waitFor();
    await lookAt(page);
    await link.focus();
    await page.keyboard.press('Enter');
    const form = page.getByRole('form', { name: `Answer ${title}` });
    await form.waitFor();
    await form.getByLabel('Now').focus();
    for (const key of ['Space', 'ArrowDown', 'Tab']) await page.keyboard.press(key);
    await page.keyboard.type('Ann');
    await page.keyboard.press('Enter');
    await page.getByText('It is answered and waits for its reviewers.').waitFor();
    expect(await hasFocus(page)).toBe('main');
    await lookAt(page);
    const reviewer = await tabs.open(`/${id}`, { key: bob.key, under });
    await reviewer.getByRole('button', { name: 'Ask for changes' }).click();
    await reviewer.getByText('Say what is to be changed.').waitFor();
    await lookAt(reviewer);
    await reviewer.getByRole('button', { name: 'Accept' }).click();
    await reviewer.getByText('completed', { exact: true }).waitFor();
    expect((await owner.interactions.get(id)).responses?.[0]?.answers).toEqual([
      { question_id: 'when', value: 'later' },
      { question_id: 'who', text: 'Ann' },
    ]);
  });

  it('show hostile text as text, and only addresses of the web as links', async () => {
    const { id } = await asked({
      title: markup,
      description: markup,
      context: { [markup]: markup },
      references: [
        { kind: 'external_url', url: 'javascript:alert(1)', label: 'bad' },
        { kind: 'external_url', url: 'https://example.com/', label: `good \u202e${markup}` },
      ],
      spec: {
        questions: [
          { id: 'a', prompt: markup, mode: 'select', options: [{ value: 'x', label: markup, description: markup }] },
        ],
      },
    });
    const page = await tabs.open(`/${id}`, { key: ann.key, under });
    await page.getByRole('heading', { level: 1, name: markup }).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    const targets = await page
      .locator('main a')
      .evaluateAll((links) => links.map((link) => [link.getAttribute('href'), link.getAttribute('rel')]));
    expect(targets).toEqual([['https://example.com/', 'noopener noreferrer']]);
    expect(await page.title()).toBe(`${markup} · Console`);
    await lookAt(page);
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('link', { name: markup }).first().waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
  });

  const endings: [string, string, (id: string) => Promise<unknown>][] = [
    ['an answer', 'It was answered elsewhere.', (id) => answerOf(bob, id, 'Bob')],
    ['a cancellation', 'It was dismissed elsewhere.', (id) => owner.interactions.cancel(id, {})],
    ['its expiry', 'It has expired.', () => Promise.resolve()],
  ];
  it.each(endings)(
    'say what became of a request after %s, and send nothing of what was typed',
    async (_, words, end) => {
      const expiring = words.includes('expired') ? 4_000 + 3 * (await timeToType()) : 600_000;
      const { id } = await asked({
        target_user_ids: [ann.id, bob.id],
        expires_at: new Date(Date.now() + expiring).toISOString(),
      });
      const { page, sent } = await typed(id);
      await end(id);
      await page.getByText(`${words} What you had entered was not sent.`).waitFor();
      expect(await page.getByRole('form').count()).toBe(0);
      expect(await hasFocus(page)).toBe('main');
      await page.keyboard.press('Enter');
      expect(sent).toEqual([]);
    },
  );

  it('keep form and text when the answer of another leaves the request open', async () => {
    const { id } = await asked({ target_user_ids: [ann.id, bob.id], resolution_policy: { type: 'all_of' } });
    const { page, sent } = await typed(id);
    await answerOf(bob, id, 'Bob');
    await page.getByRole('region', { name: 'Answers' }).getByText('Bob', { exact: true }).waitFor();
    await page.keyboard.type('me');
    expect(await page.getByLabel('Name?').inputValue()).toBe('Half a name');
    expect(sent).toEqual([]);
    await answerOf(ann, id, 'Ann');
    await page.getByText('It was answered elsewhere.').waitFor();
  });

  it('ask before they dismiss, and keep what was typed when that is taken back', async () => {
    const { id } = await asked();
    const { page, sent } = await typed(id);
    await page.getByRole('button', { name: 'Dismiss…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Dismiss this question?' });
    await dialog.waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name?').inputValue()).toBe('Half a na');
    expect(sent).toEqual([]);
    await page.getByRole('button', { name: 'Dismiss…' }).click();
    await dialog.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await page.getByText('Dismissed.', { exact: true }).waitFor();
    expect((await owner.interactions.get(id)).status).toBe('cancelled');
  });

  it('say that a request is not there', async () => {
    const page = await tabs.open('/int_none', { key: ann.key, under, expects: /404/ });
    await page.getByText('It is not there').waitFor();
    await lookAt(page);
  });

  it('work where the console is off, under a policy of hashes', async () => {
    const service = await OwnService.start({ SVC_CONSOLE: 'off' });
    try {
      const { client } = service;
      const url = client.baseUrl;
      const answers = await Promise.all(
        ['/console', '/interactions', '/interactions/x'].map((path) => fetch(url + path)),
      );
      expect(answers.map(({ status }) => status)).toEqual([404, 200, 200]);
      expect(answers[1]?.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; connect-src 'self'; base-uri/,
      );
      const page = await tabs.open('', { key: String(client.key), url, under });
      await page.getByText('Nothing waits here').waitFor();
      await lookAt(page);
      await page.close(); // its stream would be cut
    } finally {
      await service.remove();
    }
  });
});
