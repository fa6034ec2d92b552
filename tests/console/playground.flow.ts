import { createAgent, person, script, type Agent, type Session } from '../harness/index.js';
import { api } from './conversations.js';
import { ConsoleTabs, lookAt } from './flow.js';
import { withPageOfOthers } from './many-agents.js';

const tabs = ConsoleTabs.forThisFile();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api);
});

const playgroundSessions = async (): Promise<Session[]> =>
  (await api.get<{ items: Session[] }>('/v1/sessions', { agent_id: agent.id, limit: 100 })).items;

describe('the playground', () => {
  it('talks to an agent in several conversations side by side, and deletes or keeps them', async () => {
    const page = await tabs.open(`/playground?agent=${agent.id}`);
    await withPageOfOthers(page);
    await page.reload();
    await page.getByText('A new conversation').waitFor();
    await lookAt(page);
    await page.getByRole('button', { name: 'Add a model' }).click();
    await page.getByLabel('Model of conversation 2').selectOption('svc-scripted-1');
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Hello');
    await field.press('Enter');
    for (const number of [1, 2])
      await page
        .getByRole('log', { name: `Transcript ${number}` })
        .getByText('You said: Hello')
        .waitFor();
    await field.fill('Again');
    await field.press('Enter');
    for (const number of [1, 2])
      await page
        .getByRole('log', { name: `Transcript ${number}` })
        .getByText('You said: Again')
        .waitFor();
    await lookAt(page);
    const begun = await playgroundSessions();
    expect(begun.map(({ model_override: model }) => model ?? '').sort()).toEqual(['', 'svc-scripted-1']);
    await page.reload();
    await page.getByRole('log', { name: 'Transcript 2' }).getByText('You said: Again').waitFor();

    await page.getByRole('button', { name: 'Delete sessions…' }).click();
    await page.getByLabel(`Type ${agent.name} to confirm`).fill(agent.name);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('A new conversation').first().waitFor();
    expect(await playgroundSessions()).toEqual([]);

    await field.fill('Kept');
    await field.press('Enter');
    await page.getByRole('log', { name: 'Transcript 1' }).getByText('You said: Kept').waitFor();
    await page.getByRole('button', { name: 'Keep, begin anew' }).click();
    await page.getByText('A new conversation').first().waitFor();
    expect(await playgroundSessions()).toHaveLength(2);
  });

  it('asks for an output that meets a schema, and shows it', async () => {
    const page = await tabs.open(`/playground?agent=${agent.id}`);
    await page.getByRole('button', { name: 'Output schema' }).click();
    const editor = page.locator('.cm-content');
    await editor.click();
    await editor.fill('{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}');
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill(script({ say: '{"n": 7}' }));
    await field.press('Enter');
    const log = page.getByRole('log', { name: 'Transcript 1' });
    await log.getByRole('region', { name: 'Output', exact: true }).getByText('"n": 7').waitFor();
    await field.fill(script({ say: 'no number' }));
    await field.press('Enter');
    await log.getByText('output_schema_unsatisfied').waitFor();
    await editor.fill('{');
    await field.fill('never sent');
    await page.getByRole('button', { name: 'Send', disabled: true }).waitFor();
  });

  it('names the permission that a key lacks', async () => {
    const reader = await person(api, 'Viewer');
    const page = await tabs.open('/playground', { key: String(reader.client.key) });
    await page.getByText('svc.resource.use').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await lookAt(page);
  });
});
