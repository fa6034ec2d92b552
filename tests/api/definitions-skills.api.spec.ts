import { type Agent, Client, type Page, callerWith, createAgent, person, unique } from '../harness/index.js';

interface Skill {
  id: string;
  name: string;
  title?: string;
  description?: string;
  instructions: string;
  allowed_actions: string[];
  allowed_tools: string[];
  required_actions: string[];
  recommended_actions: string[];
  tags?: Record<string, string>;
  visibility: string;
  source: string;
}
interface Manifest {
  policy_hash: string;
  tools: { name: string }[];
  skills: { name: string; missing_required?: string[] }[];
  warnings: { code: string }[];
}

const api = Client.owner();
const create = (body: Record<string, unknown> = {}, who = api) =>
  who.post<Skill>('/v1/skills', { name: unique('skill'), instructions: 'Sort.', ...body }, 201);
const toolsOf = (agent: Agent, query: Record<string, string> = {}) =>
  api.get<Manifest>(`/v1/agents/${agent.id}/tools`, query);
const names = (manifest: Manifest) => manifest.tools.map(({ name }) => name).sort();

describe('skills', () => {
  it('R17: are created with their fields, read, listed by name and deleted', async () => {
    const tags = { team: 'a' };
    const made = await create({
      title: 'Triage',
      description: 'd',
      allowed_actions: ['svc.table.list'],
      required_actions: ['svc.table.get'],
      recommended_actions: ['svc.table.get_row'],
      tags,
    });
    expect(made.id).toMatch(/^skill_[0-9a-z]{20,}$/);
    expect(made).toMatchObject({
      title: 'Triage',
      allowed_actions: ['svc.table.list'],
      required_actions: ['svc.table.get'],
      recommended_actions: ['svc.table.get_row'],
      tags,
    });
    expect(await api.get<Skill>(`/v1/skills/${made.id}`)).toEqual(made);
    expect((await api.get<Page<Skill>>('/v1/skills', { name: made.name })).items).toEqual([made]);
    await api.delete(`/v1/skills/${made.id}`);
    await api.refused('not_found', 'GET', `/v1/skills/${made.id}`);
    await api.refused('not_found', 'PUT', `/v1/skills/${made.id}`, { body: { name: made.name, instructions: 'x' } });
    expect((await create({ name: made.name })).id).not.toBe(made.id);
  });

  it('R17: allowed_tools is another name of allowed_actions; both at once are refused', async () => {
    const made = await create({ allowed_tools: ['svc.table.list'] });
    expect(made).toMatchObject({ allowed_actions: ['svc.table.list'], allowed_tools: ['svc.table.list'] });
    await api.refused('bad_request', 'POST', '/v1/skills', {
      body: { name: unique('skill'), instructions: 'x', allowed_actions: [], allowed_tools: [] },
    });
  });

  it('R18, R43: PUT replaces the whole skill; a name is taken once', async () => {
    const [first, second] = [
      await create({ title: 't', allowed_actions: ['svc.table.list'], tags: { a: '1' } }),
      await create(),
    ];
    const name = unique('skill');
    const replaced = await api.put<Skill>(`/v1/skills/${first.id}`, { name, instructions: 'Other.' }, 200);
    expect(replaced).toMatchObject({ id: first.id, name, instructions: 'Other.', allowed_actions: [] });
    expect(replaced.title).toBeUndefined();
    expect(replaced.tags ?? {}).toEqual({});
    const taken = { body: { name, instructions: 'x' } };
    expect(await api.refused('already_exists', 'POST', '/v1/skills', taken)).toEqual({ resource_id: first.id });
    expect(await api.refused('already_exists', 'PUT', `/v1/skills/${second.id}`, taken)).toEqual({
      resource_id: first.id,
    });
    expect((await create({ name: first.name })).id).not.toBe(first.id);
  });

  it('R43: ten creates racing for one name make one skill', async () => {
    const body = { name: unique('skill'), instructions: 'x' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.send('POST', '/v1/skills', { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
    expect((await api.get<Page<Skill>>('/v1/skills', { name: body.name })).items).toHaveLength(1);
  });

  it('are imported from a document, whose front matter names them unless the request does', async () => {
    const [name, other] = [unique('doc'), unique('doc')];
    const content = `---\nname: ${name}\ntitle: Triage\nallowed-tools: svc.table.list, svc.table.get\n---\n\n# Triage\nSort.\n`;
    const made = await api.post<Skill>('/v1/skills/import', { content }, 201);
    expect(made).toMatchObject({
      name,
      title: 'Triage',
      instructions: '# Triage\nSort.',
      allowed_actions: ['svc.table.list', 'svc.table.get'],
    });
    expect(await api.refused('already_exists', 'POST', '/v1/skills/import', { body: { content } })).toEqual({
      resource_id: made.id,
    });
    expect(await api.post<Skill>('/v1/skills/import', { content, name: other }, 201)).toMatchObject({
      name: other,
      title: 'Triage',
    });
    for (const broken of [
      'Do it.',
      '---\nname: x\n---\n',
      '---\n- a\n---\nDo it.',
      '---\nname: &a x\ntitle: *a\n---\nDo it.',
    ]) {
      await api.refused('bad_request', 'POST', '/v1/skills/import', { body: { content: broken } });
    }
  });

  it("G13: a private skill is its owner's alone; viewers change nothing", async () => {
    const [ann, bob] = [await person(api, 'Admin'), await person(api, 'User')];
    const mine = await create({}, ann.client);
    expect(mine.visibility).toBe('private');
    await bob.client.refused('not_found', 'GET', `/v1/skills/${mine.id}`);
    expect((await bob.client.get<Page<Skill>>('/v1/skills', { name: mine.name })).items).toEqual([]);
    expect(
      await bob.client.refused('already_exists', 'POST', '/v1/skills', {
        body: { name: mine.name, instructions: 'x' },
      }),
    ).toEqual({});
    const viewer = await callerWith(api, 'Viewer');
    await viewer.refused('permission_denied', 'POST', '/v1/skills', {
      body: { name: unique('skill'), instructions: 'x' },
    });
  });

  it('a deleted skill leaves the agents that had it', async () => {
    const [gone, kept] = [await create(), await create()];
    const agent = await createAgent(api, { skill_ids: [gone.id, kept.id] });
    await api.delete(`/v1/skills/${gone.id}`);
    expect((await api.get<Agent & { skill_ids: string[] }>(`/v1/agents/${agent.id}`)).skill_ids).toEqual([kept.id]);
  });
});

describe("what skills do to an agent's tools", () => {
  it('R19, R20: invoked, a skill narrows and never widens; what it needs and the agent lacks is named', async () => {
    const skill = await create({
      allowed_actions: ['svc.table.list', 'svc.table.delete_row'],
      required_actions: ['svc.table.list', 'svc.table.delete_row'],
    });
    const agent = await createAgent(api, {
      skill_ids: [skill.id],
      action_selectors: [{ selector: 'svc.table.list' }, { selector_type: 'exact', selector: 'svc.table.get' }],
    });
    const before = await toolsOf(agent);
    expect(names(before)).toEqual(expect.arrayContaining(['svc.table.list', 'svc.table.get']));
    expect(before.skills).toMatchObject([{ name: skill.name, missing_required: ['svc.table.delete_row'] }]);
    const invoked = names(await toolsOf(agent, { skill_name: skill.name }));
    expect(invoked).toContain('svc.table.list');
    expect(invoked).not.toContain('svc.table.get');
    expect(invoked).not.toContain('svc.table.delete_row');
    await api.patch(
      `/v1/agents/${agent.id}`,
      { action_selectors: [{ selector_type: 'group', selector: 'svc.table' }] },
      200,
    );
    const after = await toolsOf(agent);
    expect(after.skills[0]?.missing_required ?? []).toEqual([]);
    expect(after.policy_hash).not.toBe(before.policy_hash);
  });
});

describe("agents' inbox addresses", () => {
  it('R14: an agent gets one address of its own; a repeat gives the same', async () => {
    const agent = await createAgent(api);
    const given = await api.post<Agent & { email_address?: string }>(`/v1/agents/${agent.id}/inbox`, undefined, 200);
    expect(given.email_address).toMatch(new RegExp(`^${agent.id}@.+`));
    const again = await api.post<Agent & { email_address?: string }>(`/v1/agents/${agent.id}/inbox`, undefined, 200);
    expect(again).toEqual(given);
    await api.delete(`/v1/agents/${agent.id}`);
    await api.refused('not_found', 'POST', `/v1/agents/${agent.id}/inbox`);
  });
});
