import {
  type Agent,
  Client,
  type ErrorBody,
  type Page,
  type Session,
  callerWith,
  converse,
  createAgent,
  createSession,
  invoke,
  invokeBody,
  person,
  settled,
  unique,
} from '../harness/index.js';

const api = Client.owner();

const lookUp = async (client: Client, agent: Agent, key: string): Promise<Session[]> =>
  (await client.get<Page<Session>>('/v1/sessions', { agent_id: agent.id, session_key: key })).items;
const everyWay = (agent: Agent, session: Record<string, unknown>) =>
  [
    ['/v1/sessions', { body: { agent_id: agent.id, ...session } }],
    ['/v1/agents/invoke', { body: invokeBody(agent.id, 'x', { session }) }],
  ] as const;

describe('rule S47: the default session of a person', () => {
  it('two people without a key, or with `default`, have a session each, on create, invoke and lookup', async () => {
    const agent = await createAgent(api);
    const [ann, bob] = await Promise.all([person(api), person(api)]);
    const anns = await createSession(ann.client, agent.id);
    expect(anns).toMatchObject({
      session_key: `default:${ann.id}`,
      scope_name: `default:${ann.id}`,
      visibility: 'private',
      owner: { id: ann.id },
    });
    const bobs = await converse(bob.client, agent.id, 'a word of Bob', { session: { session_key: 'default' } });
    expect(bobs.ack.session_id).not.toBe(anns.id);
    for (const key of ['default', `default:${ann.id}`]) {
      expect((await createSession(ann.client, agent.id, { session_key: key, mode: 'continue' })).id).toBe(anns.id);
      expect((await lookUp(ann.client, agent, key)).map(({ id, session_key }) => [id, session_key])).toEqual([
        [anns.id, `default:${ann.id}`],
      ]);
    }
    const again = await invoke(ann.client, agent.id, 'hi', { session: {} });
    expect(again.session_id).toBe(anns.id);
    await settled(ann.client, again);
    expect((await lookUp(bob.client, agent, 'default')).map(({ id }) => id)).toEqual([bobs.ack.session_id]);
  });

  it('software shares one, which no person means', async () => {
    const agent = await createAgent(api);
    const [other, ann] = await Promise.all([callerWith(api, 'User'), person(api)]);
    const shared = await createSession(api, agent.id);
    expect(shared.session_key).toBe('default');
    expect((await createSession(other, agent.id, { session_key: 'default' })).id).toBe(shared.id);
    expect(await lookUp(ann.client, agent, 'default')).toEqual([]);
    await ann.client.refused('not_found', 'POST', '/v1/sessions', { body: { agent_id: agent.id, mode: 'continue' } });
    expect((await createSession(ann.client, agent.id)).id).not.toBe(shared.id);
    expect((await lookUp(api, agent, 'default')).map(({ id }) => id)).toEqual([shared.id]);
  });

  it("another principal's default key is refused everywhere", async () => {
    const agent = await createAgent(api);
    const [ann, bob] = await Promise.all([person(api), person(api)]);
    await createSession(ann.client, agent.id);
    for (const client of [bob.client, api]) {
      for (const key of [`default:${ann.id}`, 'default:', 'default:x']) {
        for (const mode of ['continue', 'continue_or_create', 'new']) {
          for (const [path, call] of everyWay(agent, { mode, session_key: key })) {
            expect(await client.refused('invalid_argument', 'POST', path, call)).toMatchObject({
              argument: 'session_key',
            });
          }
        }
        await client.refused('invalid_argument', 'GET', '/v1/sessions', {
          query: { agent_id: agent.id, session_key: key },
        });
      }
    }
  });

  it("a session `default` from before stays its owner's alone", async () => {
    const agent = await createAgent(api);
    const [ann, bob] = await Promise.all([person(api), person(api)]);
    const old = await createSession(api, agent.id, { owner: { kind: 'person', id: ann.id }, visibility: 'private' });
    expect(old.session_key).toBe('default');
    expect((await createSession(ann.client, agent.id)).id).toBe(old.id);
    expect((await lookUp(ann.client, agent, 'default')).map(({ id }) => id)).toEqual([old.id]);
    const turn = await invoke(ann.client, agent.id, 'hi', { session: { mode: 'continue' } });
    expect(turn.session_id).toBe(old.id);
    await settled(ann.client, turn);
    expect((await createSession(bob.client, agent.id)).session_key).toBe(`default:${bob.id}`);
    await ann.client.refused('session_key_conflict', 'POST', '/v1/sessions', {
      body: { agent_id: agent.id, mode: 'new', session_key: 'default' },
    });
    await ann.client.delete(`/v1/sessions/${old.id}`);
    expect((await createSession(ann.client, agent.id)).session_key).toBe(`default:${ann.id}`);
  });

  it('a deleted one frees its key', async () => {
    const agent = await createAgent(api);
    const ann = await person(api);
    const first = await createSession(ann.client, agent.id);
    await ann.client.delete(`/v1/sessions/${first.id}`);
    expect(await lookUp(ann.client, agent, 'default')).toEqual([]);
    const second = await createSession(ann.client, agent.id);
    expect([second.session_key, second.id === first.id]).toEqual([`default:${ann.id}`, false]);
  });
});

const endOf = ({ status, body }: { status: number; body: unknown }): string =>
  status < 300 ? 'made' : (body as ErrorBody).error.code;

describe('rule S47: an explicit key whose session is out of reach', () => {
  it('is a conflict without details, and not found where only a session that is there will do', async () => {
    const agent = await createAgent(api);
    const [ann, bob] = await Promise.all([person(api), person(api)]);
    const key = unique('k');
    const anns = await createSession(ann.client, agent.id, { session_key: key });
    for (const mode of ['continue_or_create', 'new']) {
      for (const [path, call] of everyWay(agent, { mode, session_key: key }))
        expect(await bob.client.refused('session_key_conflict', 'POST', path, call)).toEqual({});
    }
    for (const [path, call] of everyWay(agent, { mode: 'continue', session_key: key }))
      await bob.client.refused('not_found', 'POST', path, call);
    expect(await lookUp(bob.client, agent, key)).toEqual([]);
    expect((await createSession(ann.client, agent.id, { session_key: key })).id).toBe(anns.id);
  });

  it.each(['continue_or_create', 'new'])(
    'rule S47: of people who race for a key (%s) one gets a session',
    async (mode) => {
      const agent = await createAgent(api);
      const people = await Promise.all([person(api), person(api)]);
      for (let race = 0; race < 10; race += 1) {
        for (const way of [0, 1] as const) {
          const [path, call] = everyWay(agent, { mode, session_key: unique('k') })[way];
          const answers = await Promise.all(people.map(({ client }) => client.send('POST', path, call)));
          expect(answers.map(endOf).sort()).toEqual(['made', 'session_key_conflict']);
        }
      }
    },
  );

  it('rule S4: of software that races for a new session of one key one makes it', async () => {
    const agent = await createAgent(api);
    const body = { agent_id: agent.id, mode: 'new', session_key: unique('k') };
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.send('POST', '/v1/sessions', { body })));
    const conflicts = Array.from({ length: 19 }, () => 'session_key_conflict');
    expect(answers.map(endOf).sort()).toEqual(['made', ...conflicts]);
  });
});
