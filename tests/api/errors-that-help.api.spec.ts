import { Client, allRows, createAgent, invoke, settled, unique } from '../harness/index.js';

const api = Client.owner();
const messageOf = (answer: { body: unknown }): string => (answer.body as { error: { message: string } }).error.message;

describe('rule G29: errors and warnings say what to do', () => {
  it('a software key that creates an agent hears of visibility', async () => {
    const answer = await api.send('POST', '/v1/agents', { body: { name: unique('alone') } });
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toContain('send visibility "organization"');
  });

  it('a refused private address names the setting, and the pair as it was written', async () => {
    for (const [endpoint, pair] of [
      ['http://127.1:8080/x', '127.1:8080'],
      ['http://LocalHost/x', 'LocalHost:80'],
      ['http://10.0.0.9:7000/x', '10.0.0.9:7000'],
    ]) {
      const answer = await api.send('POST', '/v1/actions', {
        body: { name: unique('private'), endpoint_url: endpoint },
      });
      expect([answer.status, messageOf(answer).split(': ').at(-1)]).toEqual([
        400,
        `SVC_EGRESS_ALLOW does not name ${pair}`,
      ]);
    }
  });

  it('a model that is not in the catalog is named when the agent is made, and in the error of its turns', async () => {
    const { headers, body } = await api.call<{ id: string }>('POST', '/v1/agents', {
      body: { name: unique('wrong'), model: 'gpt-ü, 9', visibility: 'organization' },
    });
    expect(headers.get('x-svc-warning')).toBe(
      'model_unavailable the%20model%20gpt-%C3%BC%2C%209%20is%20not%20in%20the%20catalog',
    );
    const ack = await invoke(api, body.id, 'hello');
    expect(await settled(api, ack)).toMatchObject({
      status: 'failed',
      error_type: 'model_unavailable',
      error_message: expect.stringContaining('gpt-ü, 9') as string,
    });
    expect(await allRows(api, ack.session_id)).toHaveLength(1);
    const agent = await createAgent(api, { name: unique('right') });
    const changed = async (fields: object) =>
      (await api.call('PATCH', `/v1/agents/${agent.id}`, { body: fields })).headers.get('x-svc-warning');
    expect([
      await changed({ model: 'nope' }),
      await changed({ description: 'x' }),
      await changed({ model: 'svc-scripted-1' }),
    ]).toEqual(['model_unavailable the%20model%20nope%20is%20not%20in%20the%20catalog', null, null]);
  });

  it('G29: a model of summaries that is not in the catalog is named where a policy names it', async () => {
    const agent = await createAgent(api, { name: unique('sums') });
    const opening = () => ({ agent_id: agent.id, session_key: unique('key') });
    const session = await api.post<{ id: string }>('/v1/sessions', opening());
    const warnings = async (summary_model: string) => {
      const named = { compaction_policy: { strategy: 'auto', summary_model } };
      const name = unique('sums');
      const blueprint = {
        mode: 'preview',
        blueprint_key: name,
        resources: { agents: [{ key: name, name, ...named }] },
      };
      const asked: [method: string, path: string, body: object][] = [
        ['POST', '/v1/agents', { name, visibility: 'organization', ...named }],
        ['PATCH', `/v1/agents/${agent.id}`, named],
        ['POST', '/v1/blueprints/apply', blueprint],
        ['POST', '/v1/sessions', { ...opening(), ...named }],
        ['PATCH', `/v1/sessions/${session.id}`, named],
      ];
      const answers = await Promise.all(asked.map(([method, path, body]) => api.call(method, path, { body })));
      return answers.map(({ headers }) => headers.get('x-svc-warning'));
    };
    const warning = 'model_unavailable the%20model%20none%20of%20summaries%20is%20not%20in%20the%20catalog';
    expect(await warnings('none')).toEqual(Array(5).fill(warning));
    expect(await warnings('svc-scripted-1')).toEqual(Array(5).fill(null));
  });

  it('G29: a blueprint whose agent names a model that is not in the catalog says so, previewed and applied', async () => {
    const agents = ['nope', 'svc-scripted-1', undefined, 'nope'].map((model) => {
      const name = unique('by-blueprint');
      return { key: name, name, ...(model ? { model } : {}) };
    });
    const warned = async (mode: string) =>
      (
        await api.call('POST', '/v1/blueprints/apply', {
          body: { mode, blueprint_key: unique('warned'), resources: { agents } },
        })
      ).headers.get('x-svc-warning');
    const warning = 'model_unavailable the%20model%20nope%20is%20not%20in%20the%20catalog';
    expect([await warned('preview'), await warned('apply')]).toEqual([warning, warning]);
  });
});
