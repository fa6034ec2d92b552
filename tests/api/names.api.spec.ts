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

describe('ADR 62: a text that names something is a whole one', () => {
  const [half, other] = ['\ud800', '\ud801'];

  it('R10: two external references that differ in half a character do not lead to one agent', async () => {
    const ref = unique('ref');
    for (const cut of [half, other])
      await api.refused('bad_request', 'POST', '/v1/agents', {
        body: { name: unique('n'), visibility: 'organization', external_ref: ref + cut },
      });
    const agent = await createAgent(api);
    await api.refused('bad_request', 'PATCH', `/v1/agents/${agent.id}`, { body: { external_ref: ref + half } });
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    ['A37: an end user', '/v1/tokens', { end_user: `u${half}`, verbs: ['read'], ttl_seconds: 60 }, 'end_user'],
    [
      'R15: a mail',
      '/v1/inbound/email',
      { message_id: `m${half}`, from: 'a@example.com', to: ['x@example.com'] },
      'message_id',
    ],
    ['TE13: a message', '/v1/inbound/messages', { id: half }, 'id'],
    ['TE13: a channel', '/v1/inbound/messages', { channel: { id: half, kind: 'dm' } }, 'channel.id'],
    [
      'TE14: a thread',
      '/v1/inbound/messages',
      { channel: { id: 'c', kind: 'dm', thread_id: half } },
      'channel.thread_id',
    ],
    ['B8: a blueprint', '/v1/blueprints/apply', { blueprint_key: half, resources: {} }, 'blueprint_key'],
    ['B8: a namespace', '/v1/blueprints/apply', { namespace: half, resources: {} }, 'namespace'],
  ])('%s', async (_, path, fields, argument) => {
    const message = {
      id: 'm',
      provider: 'slack',
      integration_id: 'i',
      channel: { id: 'c', kind: 'dm' },
      sender: { id: 's' },
      text: 't',
    };
    const body = {
      ...(path === '/v1/inbound/messages' ? message : {}),
      ...(path === '/v1/tokens' ? { agent_id: (await createAgent(api)).id } : {}),
      ...fields,
    };
    expect(await api.refused('invalid_argument', 'POST', path, { body })).toEqual({
      argument,
      reason: 'half_character',
    });
  });

  it('B22, B24: nor is a blueprint named so that no path leads to it', async () => {
    for (const mode of ['preview', 'apply'])
      for (const key of ['.', '..', 'a\u0000', '\u0085'])
        for (const argument of ['blueprint_key', 'namespace'])
          expect(
            await api.refused('invalid_argument', 'POST', '/v1/blueprints/apply', {
              body: { mode, [argument]: key, resources: {} },
            }),
          ).toEqual({ argument, reason: 'not_addressable' });
  });
});
