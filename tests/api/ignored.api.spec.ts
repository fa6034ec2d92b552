import { Client, createAgent, createSession, sendForm, startTurn, unique, v2 } from '../harness/index.js';
import { TestWorker, endWorkers } from '../harness/worker.js';

const api = Client.owner();
afterEach(endWorkers);

const ignored = async (
  method: string,
  path: string,
  call: { body?: unknown; query?: Record<string, string> } = {},
): Promise<string | null> => (await api.send(method, path, { ...call, invalid: true })).headers.get('x-svc-ignored');

describe('rules G8, G29: what is ignored is named', () => {
  it('members of the body and names of the query, at any depth, on any answer', async () => {
    const agent = await createAgent(api, { name: unique('ignored') });
    const session = await createSession(api, agent.id, { mode: 'new' });
    const path = `/v1/sessions/${session.id}`;
    expect(await ignored('PATCH', path, { body: { title: 'x', expected_version: 3 } })).toBe('/expected_version');
    expect(await ignored('PATCH', path, { body: { titel: 'x' }, query: { agent: agent.id, limit: '3' } })).toBe(
      '/titel, query.agent, query.limit',
    );
    expect(await ignored('GET', '/v1/sessions', { query: { agent: 'a', 'odd, ü/name': '1' } })).toBe(
      'query.agent, query.odd%2C%20%C3%BC%2Fname',
    );
    expect(await ignored('POST', `${path}/cancel`, { body: { reason: 'bored' } })).toBe('/reason');
    expect(
      await ignored('POST', '/v1/agents/invoke', {
        body: {
          agent_ref: { id: agent.id, nick: 'a' },
          session: { session_key: unique('k'), owner: { kind: 'team', of: 1 } },
          input: {
            content: [
              { type: 'text', text: 'a', size: 1 },
              { type: 'text', text: 'b' },
            ],
            'a/b~c': 1,
            metadata: { free: { deep: 1 } },
          },
          priority: 1,
        },
      }),
    ).toBe('/agent_ref/nick, /session/owner/of, /input/content/0/size, /input/a~1b~0c, /priority');
    expect(await ignored('PATCH', '/v1/sessions/ses_00000000000000000000000000', { body: { colour: 1 } })).toBe(
      '/colour',
    );
  });

  it('nothing is named where all is known, free or refused', async () => {
    const agent = await createAgent(api, { name: unique('known') });
    expect(await ignored('GET', '/v1/sessions', { query: { limit: '3' } })).toBeNull();
    expect(await ignored('PATCH', `/v1/agents/${agent.id}`, { body: { descripton: 'x' } })).toBeNull();
    const session = await createSession(api, agent.id, { mode: 'new', metadata: { any: { thing: [1] } } });
    expect(
      await ignored('PATCH', `/v1/sessions/${session.id}`, { body: { metadata: { free: { deep: 1 } } } }),
    ).toBeNull();
    expect(await ignored('POST', `/v1/sessions/${session.id}/cancel`, { body: {} })).toBeNull();
  });

  it('at most 20 names, and short ones', async () => {
    const agent = await createAgent(api, { name: unique('many') });
    const session = await createSession(api, agent.id, { mode: 'new' });
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${'ü'.repeat(5000)}${index}`, 1]));
    const named = await ignored('PATCH', `/v1/sessions/${session.id}`, { body: { title: 'x', ...many, '\ud800': 1 } });
    expect(named?.split(', ').length).toBeLessThanOrEqual(20);
    expect(named?.length).toBeLessThan(8_000);
  });

  it('fields of a form, those of a file of a session where only an artifact takes them', async () => {
    const agent = await createAgent(api, { name: unique('form') });
    const session = await createSession(api, agent.id, { mode: 'new' });
    const file = ['file', Buffer.from('x'), 'x.txt'] as const;
    const fields = [['name', 'x.txt'], ['meta/data', '{}'], file, ['owner', '{"kind":"team"}']] as const;
    const artifact = await sendForm(api, fields, { path: '/v1/artifacts?agent=a' });
    expect([artifact.status, artifact.headers.get('x-svc-ignored')]).toEqual([201, '/meta~1data, query.agent']);
    const path = `/v1/sessions/${session.id}/attachments`;
    const attachment = await sendForm(api, [file, ['owner', 'us'], ['visibility', 'all']], { path });
    expect([attachment.status, attachment.headers.get('x-svc-ignored')]).toEqual([201, '/owner, /visibility']);
    const refused = await sendForm(api, [file, ['nmae', 'x']]);
    expect([refused.status, refused.headers.get('x-svc-ignored')]).toEqual([400, '/nmae']);
    expect((await sendForm(api, [file, ['name', 'x']])).headers.get('x-svc-ignored')).toBeNull();
  });

  it('on event streams too', async () => {
    const agent = await createAgent(api, { name: unique('streamed') });
    const session = await createSession(api, agent.id, { mode: 'new' });
    await startTurn(api, session.id, 'hello');
    const stream = await v2(api, session.id, undefined, { query: { agent: 'a' } });
    expect(stream.headers['x-svc-ignored']).toBe('query.agent');
    await stream.over();
  });
});

describe('rule G29: worker.registered', () => {
  it('names what of the registration was ignored, and that no action names means all', async () => {
    const worker = (await TestWorker.connect(api)) as TestWorker;
    const registered = await worker.ask(
      {
        type: 'worker.register',
        worker_instance_id: unique('i'),
        capabilities: ['x'],
        queues: ['q'],
        name: 'n',
        actions: ['typo'],
        models: [{ provider: 'p', model: 'm', size: 1 }],
      },
      'worker.registered',
    );
    expect(registered).toMatchObject({
      ignored: ['/capabilities', '/queues', '/actions', '/models/0/size'],
      takes_all_actions: false,
    });
    const all = await TestWorker.register(api, {});
    all.kill();
    const other = (await TestWorker.connect(api)) as TestWorker;
    const plain = await other.ask({ type: 'worker.register', worker_instance_id: unique('i') }, 'worker.registered');
    expect(plain).toMatchObject({ takes_all_actions: true });
    expect(plain).not.toHaveProperty('ignored');
    const named = (await TestWorker.connect(api)) as TestWorker;
    expect(
      await named.ask(
        { type: 'worker.register', worker_instance_id: unique('i'), action_names: ['a'] },
        'worker.registered',
      ),
    ).toMatchObject({ takes_all_actions: false });
  });
});
