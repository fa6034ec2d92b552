import { readFileSync } from 'node:fs';
import {
  createSession,
  converse,
  endlessScript,
  eventually,
  invoke,
  person,
  reaches,
  script,
  settled,
  type Agent,
  type Session,
} from '../harness/index.js';
import { api, asking, askingAgent, lastSaid, rowsOf, textOf, transcript } from './conversations.js';
import { ConsoleTabs, freshName, lookAt } from './flow.js';

const tabs = ConsoleTabs.forThisFile();
let agent: Agent;

beforeAll(async () => {
  agent = await askingAgent();
});

function session(fields: Record<string, unknown> = {}): Promise<Session> {
  return createSession(api, agent.id, { session_key: freshName('flow'), ...fields });
}

describe('one session', () => {
  it('sends what is written, and shows the answer as it streams', async () => {
    const { id } = await session({ title: 'Streams' });
    const page = await tabs.open(`/sessions/${id}`);
    await page.getByText('Nothing was said yet').waitFor();
    await lookAt(page);
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Say: tokens=40 every=150');
    await field.press('Shift+Enter');
    await field.press('Enter');
    await page.locator('[data-status=streaming]').getByText('tok1').waitFor();
    expect(await field.inputValue()).toBe('');
    await transcript(page).getByText('tok39').waitFor();
    await page.locator('[data-status=streaming]').waitFor({ state: 'detached' });
    await transcript(page)
      .getByRole('link', { name: /completed/ })
      .waitFor();
    const rows = await rowsOf(id);
    expect(textOf(rows[0] as never)).toBe('Say: tokens=40 every=150\n');
    expect(await lastSaid(page)).toBe(textOf(rows[1] as never).trim());

    await field.fill('Once more');
    await page.getByRole('button', { name: 'Send' }).click();
    await transcript(page).getByText('You said: Once more').waitFor();
    await lookAt(page);
  });

  it('learns of a turn that another caller starts while it rests', async () => {
    const { id, session_key } = await session();
    const page = await tabs.open(`/sessions/${id}`);
    await page.getByText('Nothing was said yet').waitFor();
    await converse(api, agent.id, 'From elsewhere', { session: { session_key } });
    await transcript(page).getByText('You said: From elsewhere').waitFor();
    await converse(api, agent.id, 'And again', { session: { session_key } });
    await transcript(page).getByText('You said: And again').waitFor();
  });

  it('steers an open turn, takes a nudge back, and cancels the turn', async () => {
    const { id, session_key } = await session();
    const turn = await invoke(api, agent.id, endlessScript, { session: { session_key } });
    await reaches(api, turn, 'running');
    const page = await tabs.open(`/sessions/${id}`);
    const field = page.getByRole('textbox', { name: 'Nudge' });
    await field.fill('Hurry, please');
    await field.press('Enter');
    const waiting = page.getByRole('list', { name: 'Nudges that wait' });
    await waiting.getByText('Hurry, please').waitFor();
    await lookAt(page);
    await waiting.getByRole('button', { name: 'Take the nudge back' }).click();
    await waiting.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel turn' }).click();
    await transcript(page).getByText('The turn was cancelled.').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect((await settled(api, turn)).status).toBe('cancelled');
  });

  it('answers a question in its place', async () => {
    const ada = await person(api);
    const questions = [
      {
        id: 'colour',
        prompt: 'Which colour?',
        mode: 'select',
        options: ['red', 'blue'].map((value) => ({ value, label: `The ${value} one` })),
      },
      { id: 'why', prompt: 'And why?', mode: 'input' },
    ];
    const { id, session_key } = await session({ visibility: 'organization' });
    await converse(api, agent.id, asking('Choose a colour', [ada.id], { questions }, 'I have asked.'), {
      session: { session_key },
    });
    const page = await tabs.open(`/sessions/${id}`, { key: String(ada.client.key) });
    const question = page.getByRole('region', { name: 'Question: Choose a colour' });
    await question.getByRole('button', { name: 'Answer' }).click();
    await question.getByText('Choose one.').waitFor();
    await lookAt(page);
    await question.getByLabel('The blue one').check();
    await question.getByLabel('And why?').fill('It suits.');
    await question.getByRole('button', { name: 'Answer' }).click();
    await question.getByText('completed').waitFor();
    await question.getByText('It suits.').waitFor();
    await transcript(page).getByText('to a question').waitFor(); // the outcome began a turn
    const { items } = await ada.client.get<{ items: { responses: { answers: object[] }[] }[] }>('/v1/interactions', {
      session_id: id,
    });
    expect(items[0]?.responses[0]?.answers).toEqual([
      { question_id: 'colour', value: 'blue' },
      { question_id: 'why', text: 'It suits.' },
    ]);
  });

  it('wakes a turn that waits, and shows the nudge that it took', async () => {
    const ada = await person(api);
    const { id, session_key } = await session();
    await converse(api, agent.id, asking('When?', [ada.id], {}, 'Asked.'), { session: { session_key } });
    const { items } = await ada.client.get<{ items: { id: string }[] }>('/v1/interactions', { inbox: true });
    const wait = { name: 'svc_event_wait', input: { interaction_id: items[0]?.id } };
    const turn = await invoke(api, agent.id, script({ call: wait }, { say: 'Awake.' }), { session: { session_key } });
    await reaches(api, turn, 'waiting');
    const page = await tabs.open(`/sessions/${id}`);
    await page.getByText('Waiting for an answer to its question').waitFor();
    await page.getByText('this key is not asked').waitFor();
    await page.getByRole('switch', { name: 'Wake it' }).waitFor();
    const field = page.getByRole('textbox', { name: 'Nudge' });
    await field.fill('Go on');
    await field.press('Enter');
    await transcript(page).getByText('steered the turn').waitFor();
    await transcript(page).getByText('Go on', { exact: true }).waitFor();
    await transcript(page).getByText('Awake.', { exact: true }).waitFor();
  });

  it('marks context, thinking, tools, a failed turn and what it kept', async () => {
    const { id, session_key } = await session();
    const steps = [
      { think: 'Secret thoughts' },
      { say: 'I look.' },
      { call: { name: 'no_such_tool', input: { a: 1 } } },
    ];
    await converse(api, agent.id, script(...steps, { say: 'Found.' }), {
      session: { session_key },
      context: [{ name: 'page', content: 'The reader is at /orders' }],
    });
    await converse(api, agent.id, script({ say: 'Half.' }, { error: { message: 'it broke' } }), {
      session: { session_key },
    });
    const page = await tabs.open(`/sessions/${id}`);
    await transcript(page).getByText('kept of a turn that failed').waitFor();
    await page.getByRole('note', { name: 'Failed turn' }).getByText('it broke').waitFor();
    await transcript(page).evaluate((element) => element.scrollTo(0, 0));
    await page.getByRole('button', { name: 'Context: page' }).click();
    await transcript(page).getByText('The reader is at /orders').waitFor();
    expect(await transcript(page).getByText('Secret thoughts', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Thinking' }).click();
    await transcript(page).getByText('Secret thoughts', { exact: true }).waitFor();
    const card = page.getByRole('region', { name: 'Tool call no_such_tool' });
    await card.getByRole('button', { name: /no_such_tool/ }).click();
    await card.getByRole('region', { name: 'Input' }).getByText('"a": 1').waitFor();
    await card.getByRole('region', { name: 'Output' }).waitFor();
    await lookAt(page);
  });

  it('shows the record of a call, however often the action ran since', async () => {
    const { id, session_key } = await session();
    const call = { name: 'svc_interaction_list', input: {} };
    await converse(api, agent.id, script({ call }, { say: 'None.' }), { session: { session_key } });
    const again = () => api.post('/v1/actions/svc.interaction.list/invoke', { parameters: {} });
    for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 11 }, again));
    const page = await tabs.open(`/sessions/${id}`);
    const card = page.getByRole('region', { name: 'Tool call svc.interaction.list' });
    await card.getByRole('button', { name: /svc\.interaction\.list/ }).click();
    await card.getByText('Attempts').waitFor();
    await card.getByText('Delivery', { exact: true }).waitFor();
    await lookAt(page);
  });

  it('is renamed, exported and deleted', async () => {
    const { id, session_key } = await session();
    await converse(api, agent.id, 'Keep this', { session: { session_key } });
    const page = await tabs.open(`/sessions/${id}`);
    await page.getByRole('button', { name: 'Change the title' }).click();
    await page.getByLabel('Title').fill('A better title');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'A better title' }).waitFor();

    for (const [form, ending] of [
      ['JSON', 'json'],
      ['Markdown', 'md'],
    ]) {
      await page.getByRole('button', { name: 'More' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: `Export as ${form}` }).click(),
      ]);
      expect(file.suggestedFilename()).toBe(`A-better-title-${id}.${ending}`);
      const text = readFileSync(await file.path(), 'utf8');
      expect(text).toContain('You said: Keep this');
      if (form === 'JSON')
        expect(JSON.parse(text)).toMatchObject({ session: { id }, messages: [{ sequence: 1 }, { sequence: 2 }] });
    }

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel('Type A better title to confirm').fill('A better title');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    expect((await api.send('GET', `/v1/sessions/${id}`)).status).toBe(404);
  });

  it('shows the frames of its stream, and its calls without the key', async () => {
    const { id } = await session();
    const page = await tabs.open(`/sessions/${id}`);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('Enter');
    await transcript(page).getByText('You said: Hello').waitFor();
    await page.getByRole('tab', { name: 'Frames' }).click();
    await page.getByRole('list', { name: 'Frames' }).getByText('turn.upsert').first().click();
    await page
      .getByRole('region', { name: /^Frame \d+$/ })
      .getByText('"event_type": "turn.upsert"')
      .waitFor();
    await lookAt(page);
    await page.getByRole('textbox', { name: 'Message' }).fill('Shown');
    await page.getByRole('button', { name: 'API: show the API call' }).last().click();
    const call = await page.getByLabel('API call').locator('pre').innerText();
    expect(call).toContain(`/v1/sessions/${id}/turns`);
    expect(call).toContain('Shown');
    expect(call).toContain('$SVC_KEY');
  });

  it('offers a key that may only read nothing but to read', async () => {
    const { id, session_key } = await session({ visibility: 'organization' });
    await converse(api, agent.id, 'Read me', { session: { session_key } });
    const reader = await person(api, 'Viewer');
    const page = await tabs.open(`/sessions/${id}`, { key: String(reader.client.key) });
    await transcript(page).getByText('You said: Read me').waitFor();
    await page.getByText('svc.resource.use').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await lookAt(page);
  });

  it('says that it is not there, with the id of the request', async () => {
    const page = await tabs.open('/sessions/ses_none', { expects: /404/ });
    await page.getByText('It is not there').waitFor();
    await page.getByText(/req_/).waitFor();
  });

  it('is worked by keys alone', async () => {
    const { id } = await session({ title: freshName('Keys') });
    const { title } = await api.get<Session>(`/v1/sessions/${id}`);
    const page = await tabs.open(`/sessions?q=${title}`);
    await page.getByRole('link', { name: title }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    const focused = () => page.evaluate<string>(`document.activeElement.getAttribute('aria-label') ?? ''`);
    for (let steps = 0; (await focused()) !== 'Message' && steps < 40; steps += 1) await page.keyboard.press('Tab');
    await page.keyboard.type('By keys');
    await page.keyboard.press('Enter');
    await transcript(page).getByText('You said: By keys').waitFor();
    expect(await focused()).toBe('Message');
    for (let steps = 0; (await focused()) !== 'Transcript' && steps < 40; steps += 1)
      await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Home');
    await eventually('the beginning', () =>
      page.evaluate<boolean>(`document.querySelector('[role=log]').scrollTop === 0`),
    );
  });
});
