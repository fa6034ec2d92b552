import { type Agent, Client, createAgent, unique } from '../harness/index.js';

const api = Client.owner();
/** Each with a part of its own, so that no two are the same name. */
const wrong: readonly ((name: string) => string)[] = [
  (name) => ` ${name}`,
  (name) => `${name}\u00a0`,
  (name) => `${name}\u202e`,
  (name) => `a\u200b${name}`,
  (name) => `${name}\u0007`,
  (name) => `e\u0301${name}`,
];
const bodies: Record<string, Record<string, unknown>> = {
  agents: { visibility: 'organization' },
  skills: { instructions: 'x' },
  roles: { description: 'd', permissions: ['svc.resource.view'] },
  principals: {},
  'api-keys': { role: 'Viewer' },
};

describe('rule G28: names are printable, in normal form, without blanks at the ends', () => {
  it.each(Object.entries(bodies))('rule G28: %s', async (path, fields) => {
    for (const spoil of wrong)
      await api.refused('bad_request', 'POST', `/v1/${path}`, { body: { ...fields, name: spoil(unique('n')) } });
    await api.post(`/v1/${path}`, { ...fields, name: `Büro ${unique('n')} 李` }, 201);
  });

  it('rule G28: a name is not changed to one that does not fit', async () => {
    const agent = await createAgent(api);
    const skill = await api.post<{ id: string; name: string }>(
      '/v1/skills',
      { name: unique('s'), instructions: 'x' },
      201,
    );
    for (const spoil of wrong) {
      await api.refused('bad_request', 'PATCH', `/v1/agents/${agent.id}`, { body: { name: spoil(agent.name) } });
      await api.refused('bad_request', 'PUT', `/v1/skills/${skill.id}`, {
        body: { name: spoil(skill.name), instructions: 'x' },
      });
    }
    expect((await api.get<Agent>(`/v1/agents/${agent.id}`)).name).toBe(agent.name);
  });

  it('rule G28: in blueprints too, in preview as in apply, and then nothing of it is made', async () => {
    const good = unique('good');
    for (const mode of ['preview', 'apply']) {
      for (const spoil of wrong) {
        const resources = {
          skills: [{ key: 's', name: good, instructions: 'x' }],
          agents: [{ key: 'a', name: spoil(unique('n')) }],
        };
        const { issues } = (await api.refused('bad_request', 'POST', '/v1/blueprints/apply', {
          body: { blueprint_key: unique('bp'), mode, resources },
        })) as { issues: { path: string }[] };
        expect(issues.map(({ path }) => path)).toEqual(['/resources/agents/0/name']);
      }
    }
    expect((await api.get<{ items: unknown[] }>('/v1/skills', { name: good })).items).toEqual([]);
  });
});
