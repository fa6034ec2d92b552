import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@aos/kernel';
import { FakeProvider, sse, type Reply } from '../../libs/adapters/models/src/testing/fake-provider.js';
import { OwnService } from '../harness/embedded.js';
import {
  type Client,
  type Page,
  type Session,
  scriptedModel,
  createAgent,
  createSession,
  eventually,
  invoke,
  invokeBody,
  settled,
  startTurn,
  unique,
} from '../harness/index.js';

const models = join(tmpdir(), `aos-models-${randomBytes(6).toString('hex')}.json`);
let provider: FakeProvider;
let service: OwnService;
let api: Client;
let orgId: string;

beforeAll(async () => {
  provider = await FakeProvider.start();
  const offered = [
    { id: 'dear', plans: ['pro', 'team'] },
    { id: 'plain', plans: ['default', 'pro'] },
  ];
  writeFileSync(
    models,
    JSON.stringify({
      default_model: scriptedModel,
      providers: [{ provider: 'openai-compatible', base_url: provider.url, models: offered }],
    }),
  );
  service = await OwnService.start({ SVC_MODELS_FILE: models });
  const made = (await service.operator('org', 'create', 'Planned')) as { org_id: string; owner_key: string };
  orgId = made.org_id;
  api = service.client.as(made.owner_key);
});

afterEach(async () => {
  await service.operator('org', 'plan', orgId, 'default');
});

afterAll(async () => {
  await service.remove();
  await provider.stop();
  rmSync(models, { force: true });
});

const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'dear',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const answer = (content: string): Reply => sse([chunk({ role: 'assistant', content }), chunk({}, 'stop'), '[DONE]']);
const asking: Reply = sse([
  chunk({
    role: 'assistant',
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'none', arguments: '{}' } }],
  }),
  chunk({}, 'tool_calls'),
  '[DONE]',
]);

describe('rule S14: a model is there for the plans that the models file names', () => {
  it('an operator puts an organization on a plan; unknown organizations and words that are none are refused', async () => {
    expect(await service.operator('org', 'plan', orgId, 'pro')).toEqual({ org_id: orgId, plan: 'pro' });
    await expect(service.operator('org', 'plan', 'org_00000000000000000000000000', 'pro')).rejects.toThrow('not_found');
    await expect(service.operator('org', 'plan', orgId)).rejects.toThrow('invalid_argument');
    await expect(service.operator('org', 'plan', orgId, 'two words')).rejects.toThrow('invalid_argument');
    const changed = await eventually('the entry of the audit', async () => {
      const { items } = await api.get<Page<{ action: string; resource: { id: string }; changed_fields: string[] }>>(
        '/v1/audit',
        { limit: 5 },
      );
      return items.find(({ action }) => action === 'organization.plan_changed') ?? null;
    });
    expect(changed).toMatchObject({ resource: { id: orgId }, changed_fields: ['plan'] });
  });

  it('session creation refuses an override that the plan forbids, and nothing is made', async () => {
    const agent = await createAgent(api);
    const key = unique('k');
    const spec = { session_key: key, model_override: 'dear' };
    expect(
      await api.refused('plan_limit_exceeded', 'POST', '/v1/sessions', { body: { agent_id: agent.id, ...spec } }),
    ).toEqual({ model: 'dear' });
    await api.refused('plan_limit_exceeded', 'POST', '/v1/agents/invoke', {
      body: invokeBody(agent.id, 'x', { session: spec }),
    });
    expect((await api.get<Page<Session>>('/v1/sessions', { agent_id: agent.id, session_key: key })).items).toEqual([]);
    expect((await createSession(api, agent.id, { model_override: 'plain', mode: 'new' })).model_override).toBe('plain');
    await service.operator('org', 'plan', orgId, 'team');
    expect((await createSession(api, agent.id, spec)).model_override).toBe('dear');
    await api.refused('plan_limit_exceeded', 'POST', '/v1/sessions', {
      body: { agent_id: agent.id, mode: 'new', model_override: 'plain' },
    });
  });

  it("the plan is looked at before each model call, of the agent's own model too", async () => {
    const agent = await createAgent(api, { model: 'dear' });
    const seen = provider.seen.length;
    expect(await settled(api, await invoke(api, agent.id, 'hi'))).toMatchObject({
      status: 'failed',
      error_type: 'model_unavailable',
      error_message: expect.stringContaining('plan') as string,
    });
    expect(provider.seen).toHaveLength(seen);
    await service.operator('org', 'plan', orgId, 'pro');
    provider.replies.push(answer('Hello.'));
    const open = await invoke(api, agent.id, 'hi');
    expect(await settled(api, open)).toMatchObject({ status: 'completed' });
    let release = (): void => undefined;
    provider.replies.push((response, request) => {
      release = () => {
        asking(response, request);
      };
    });
    const second = await startTurn(api, open.session_id, 'and now?');
    await provider.request(seen + 1);
    await service.operator('org', 'plan', orgId, 'default');
    release();
    expect(await settled(api, second)).toMatchObject({ status: 'failed', error_type: 'model_unavailable' });
    expect(provider.seen).toHaveLength(seen + 2);
  });

  it('a summary is written by no model that the plan forbids', async () => {
    const agent = await createAgent(api);
    const { id } = await createSession(api, agent.id, {
      mode: 'new',
      compaction_policy: { strategy: 'manual', summary_model: 'dear' },
    });
    for (const input of ['one', 'two']) await settled(api, await startTurn(api, id, input));
    const seen = provider.seen.length;
    await api.post(`/v1/sessions/${id}/compact`, undefined, 200);
    await eventually(
      'the end of the pass',
      async () => (await api.get<Session>(`/v1/sessions/${id}`)).compaction?.in_progress === false,
    );
    expect(provider.seen).toHaveLength(seen);
    expect((await api.get<Session>(`/v1/sessions/${id}`)).compaction).not.toHaveProperty('through_sequence');
  });
});
