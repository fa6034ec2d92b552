import { baseUrl, ConsoleTabs, freshName, lookAt, owner } from './flow.js';
import { person, type Person } from './person.js';

const tabs = ConsoleTabs.forThisFile();
let ann: Person;
let bob: Person;

beforeAll(async () => {
  [ann, bob] = await Promise.all([person('ann'), person('bob')]);
});

const options = ['eu', 'us', 'asia'].map((value) => ({ value, label: value.toUpperCase() }));

/** Work for Ann that Bob reviews, with a question of every mode that work may have. */
function work(title: string) {
  return owner.interactions.create({
    kind: 'assign_work',
    title,
    description: '<img src=x onerror=alert(1)> Plan it.',
    target_user_ids: [ann.id],
    resolution_policy: { type: 'any_of', review: { reviewer_user_ids: [bob.id] } },
    context: { order: 'o-7' },
    references: [
      { kind: 'external_url', url: 'javascript:alert(1)', label: 'bad' },
      { kind: 'external_url', url: 'https://example.com/', label: 'good' },
    ],
    spec: {
      questions: [
        { id: 'when', prompt: 'When?', mode: 'select', options, allow_other: true },
        { id: 'where', prompt: 'Where?', mode: 'multi_select', options, max_selections: 2 },
        { id: 'who', prompt: 'Who?', mode: 'input' },
        { id: 'why', prompt: 'Why?', mode: 'input', required: false, multiline: true },
      ],
    },
  });
}

describe('questions', () => {
  it('reach the inbox as they are asked, are answered, and are reviewed', async () => {
    const page = await tabs.open('/questions', { key: ann.key });
    await page.getByText('Nothing waits here').waitFor();
    const title = freshName('Plan');
    const { id } = await work(title);
    await page.getByRole('link', { name: title }).click();
    const form = page.getByRole('form', { name: `Answer ${title}` });
    await form.waitFor();
    expect(await page.locator('main').getByRole('list', { name: 'References' }).getByRole('link').count()).toBe(1);
    await form.getByRole('button', { name: 'Answer' }).click();
    await form.getByText('Choose one.').first().waitFor();
    await lookAt(page);

    await form.getByLabel('Something else').first().check();
    await form.getByLabel('Something else: When?').fill('tomorrow');
    await form.getByLabel('EU', { exact: true }).last().check();
    await form.getByLabel('US', { exact: true }).last().check();
    await form.getByLabel('Who?').fill('Ann');
    await page.getByRole('link', { name: 'Questions /' }).click();
    await page.getByRole('link', { name: title }).click();
    expect(await form.getByLabel('Who?').inputValue()).toBe('Ann');
    await form.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('It is answered and waits for its reviewers.').waitFor();
    expect((await owner.interactions.get(id)).responses?.[0]?.answers).toEqual([
      { question_id: 'when', other: 'tomorrow' },
      { question_id: 'where', values: ['eu', 'us'] },
      { question_id: 'who', text: 'Ann' },
    ]);

    const reviewer = await tabs.open('/questions?view=reviews', { key: bob.key });
    await reviewer.getByRole('link', { name: title }).click();
    await reviewer.getByRole('button', { name: 'Ask for changes' }).click();
    await reviewer.getByText('Say what is to be changed.').waitFor();
    await reviewer.getByRole('button', { name: 'Accept' }).click();
    await reviewer.getByRole('region', { name: 'Course' }).getByText('accepted').waitFor();
    await lookAt(reviewer);
    await page.getByRole('region', { name: 'Course' }).getByText('accepted').waitFor();
  });

  it('that are asked between the list and the beginning of the stream are shown once it is open', async () => {
    const page = await tabs.open('/skills', { key: ann.key });
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    await page.route('**/v1/events?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${baseUrl}/console/questions`);
    await page.getByRole('main').getByRole('heading', { level: 1, name: 'Questions' }).waitFor();
    const title = freshName('Refund');
    const listed = page.getByRole('link', { name: title });
    await page.getByRole('main').getByText('Nothing waits here').or(page.getByRole('table')).waitFor();
    await owner.interactions.create({ kind: 'request_approval', title, target_user_ids: [ann.id] });
    expect(await listed.count()).toBe(0);
    open();
    await listed.waitFor();
  });

  it('show what the service refuses at the answer it refuses, and say what became of a form that goes', async () => {
    const title = freshName('Name');
    const asked = {
      kind: 'request_information' as const,
      title,
      target_user_ids: [ann.id, bob.id],
      spec: { questions: [{ id: 'name', prompt: 'Name?', mode: 'input' as const }] },
    };
    const { id } = await owner.interactions.create(asked);
    const page = await tabs.open(`/questions/${id}`, { key: ann.key });
    await page.getByLabel('Name?').fill('Half a na');
    await bob.svc.interactions.respond(id, { answers: [{ question_id: 'name', text: 'Bob' }] });
    await page.getByText('It was answered elsewhere. What you had entered was not sent.').waitFor();
    await page.getByRole('region', { name: 'Answers' }).getByText('Bob', { exact: true }).waitFor();
  });

  it('are dismissed with a reason, found in the history, and hidden by their title', async () => {
    const title = freshName('Refund');
    const { id } = await owner.interactions.create({ kind: 'request_approval', title, target_user_ids: [ann.id] });
    const page = await tabs.open(`/questions/${id}`);
    await page.getByText('Approve or reject').waitFor();
    await page.getByText('Only those it was sent to may answer it.').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Dismiss…' }).click();
    await page.getByLabel('Reason').fill('a duplicate');
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await page.getByText('Dismissed: a duplicate').waitFor();

    await page.getByRole('link', { name: 'Questions /' }).click();
    await page.getByRole('tab', { name: 'All' }).click();
    await page.getByLabel('Status').selectOption('cancelled');
    await page.getByLabel('Kind').selectOption({ label: 'Approval' });
    const link = page.getByRole('link', { name: title });
    await link.waitFor();
    expect(new URL(page.url()).search).toBe('?view=history&status=cancelled&kind=request_approval');
    await lookAt(page);
    await link.click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Hide…' }).click();
    await page.getByLabel(`Type ${title} to confirm`).fill(title);
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Questions' }).waitFor();
    expect((await owner.interactions.list({ status: 'cancelled' }).all()).map((one) => one.id)).not.toContain(id);
  });
});
