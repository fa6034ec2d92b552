import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@aos/kernel';
import { FakeProvider, sse, type Reply } from '../../libs/adapters/models/src/testing/fake-provider.js';
import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  type Client,
  type Session,
  allRows,
  createAgent,
  createSession,
  endlessScript,
  eventually,
  scriptedModel,
  reaches,
  said,
  settled,
  startTurn,
  v1,
} from '../harness/index.js';

const models = join(tmpdir(), `aos-models-${randomBytes(6).toString('hex')}.json`);
let provider: FakeProvider;
let service: OwnService;
let api: Client;
let agent: Agent;

beforeAll(async () => {
  provider = await FakeProvider.start();
  writeFileSync(
    models,
    JSON.stringify({
      default_model: scriptedModel,
      providers: [
        {
          provider: 'openai-compatible',
          base_url: provider.url,
          models: [{ id: 'summer' }, { id: 'small', context_window_tokens: 1000 }],
        },
      ],
    }),
  );
  service = await OwnService.start({ SVC_MODELS_FILE: models });
  api = service.client;
  agent = await createAgent(api, { model: scriptedModel });
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
  model: 'summer',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const answer = (content: string): Reply => sse([chunk({ role: 'assistant', content }), chunk({}, 'stop'), '[DONE]']);
const silence: Reply = sse([chunk({ role: 'assistant', content: 'I begin' })], 'hang');
const compact = (id: string): Promise<Session> => api.post<Session>(`/v1/sessions/${id}/compact`, undefined, 200);
const summaries = async (id: string) => (await allRows(api, id)).filter(({ role }) => role === 'compaction');

/** A session with two completed turns whose summaries the other model writes. */
async function talked(): Promise<string> {
  const { id } = await createSession(api, agent.id, {
    mode: 'new',
    compaction_policy: { strategy: 'manual', summary_model: 'summer' },
  });
  for (const input of ['one', 'two']) await settled(api, await startTurn(api, id, input));
  return id;
}

it('rule S48: before the first model call the threshold is that of the model the turn will use', async () => {
  const small = await createAgent(api, { model: 'small', visibility: 'organization' });
  const thresholdOf = async (agentId: string, fields: object = {}) => {
    const { id } = await createSession(api, agentId, { mode: 'new', ...fields });
    return (await api.get<Session>(`/v1/sessions/${id}`)).compaction?.threshold_tokens;
  };
  expect(await thresholdOf(small.id)).toBe(200);
  expect(await thresholdOf(small.id, { model_override: scriptedModel })).toBe(40_000);
  expect(await thresholdOf(agent.id, { model_override: 'small' })).toBe(200);
  const { id } = await createSession(api, small.id, { mode: 'new' });
  await api.post(
    `/v1/sessions/${id}/messages`,
    {
      messages: ['x', 'y', 'z'].map((said) => ({ role: 'user', content: [{ type: 'text', text: said.repeat(300) }] })),
    },
    200,
  );
  const from = provider.seen.length;
  provider.replies.push(answer('What was said.'), answer('Well.'));
  await settled(api, await startTurn(api, id, 'now'));
  expect(
    provider.seen.slice(from).map((request) => JSON.stringify(request).includes('Sum up the conversation')),
  ).toEqual([true, false]);
});

describe('a turn whose pass takes long', () => {
  /** The pass gives up after 30 s by itself. */
  const soonMs = 20_000;

  /** A turn that waits for the summary of the turns before it. */
  async function passing(summary: Reply = silence): Promise<Awaited<ReturnType<typeof startTurn>>> {
    const small = await createAgent(api, { model: 'small', visibility: 'organization' });
    const { id } = await createSession(api, small.id, { mode: 'new' });
    for (const letter of ['x', 'y']) {
      provider.replies.push(answer(letter.repeat(300)));
      await settled(api, await startTurn(api, id, letter.repeat(100)));
    }
    const from = provider.seen.length;
    provider.replies.push(summary);
    const turn = await startTurn(api, id, 'z'.repeat(100));
    expect(JSON.stringify(await provider.request(from))).toContain('Sum up the conversation');
    provider.replies.push(answer('Well.'));
    return turn;
  }

  it('TT1: cancelled, it holds up no later turn of its session', async () => {
    const turn = await passing();
    await api.post(`/v1/sessions/${turn.session_id}/turns/${turn.turn_id}/cancel`, undefined, 200);
    const cancelledAt = performance.now();
    expect((await settled(api, await startTurn(api, turn.session_id, 'again'))).status).toBe('completed');
    expect(performance.now() - cancelledAt).toBeLessThan(soonMs);
  });

  it('R16: it asks its model nothing more when its agent was deleted meanwhile', async () => {
    let finish = (): void => undefined;
    const turn = await passing((response, request) => {
      finish = () => {
        answer('What was said.')(response, request);
      };
    });
    await api.delete(`/v1/agents/${turn.turn.agent_id}`);
    const asked = provider.seen.length;
    finish();
    expect(await settled(api, turn)).toMatchObject({ status: 'failed', error_type: 'agent_unavailable' });
    expect(provider.seen.length).toBe(asked);
    provider.replies.length = 0;
  });

  it('invariant 76: it holds up no stop of its process, and goes on after the restart', async () => {
    const turn = await passing();
    expect(await service.end('SIGTERM')).toBeLessThan(soonMs);
    provider.replies.unshift(answer('What was said.')); // its claim is over, and so is the pass: another one is tried
    await service.run();
    expect((await settled(api, turn)).status).toBe('completed');
  });
});

describe('compaction: another model sums up', () => {
  it('S19, S22: while it writes, the read shows the pass and a second call is refused; turns go on', async () => {
    const id = await talked();
    const from = provider.seen.length;
    let finish = (): void => undefined;
    provider.replies.push((response, request) => {
      finish = () => {
        answer('What was said.')(response, request);
      };
    });
    await compact(id);
    await provider.request(from);
    const { compaction } = await api.get<Session>(`/v1/sessions/${id}`);
    expect(compaction).toMatchObject({ in_progress: true, from_sequence: 1, through_sequence: 2, message_count: 2 });
    await api.refused('compaction_in_progress', 'POST', `/v1/sessions/${id}/compact`);
    expect((await settled(api, await startTurn(api, id, 'three'))).status).toBe('completed');
    finish();
    const [row] = await eventually('the summary', async () => {
      const found = await summaries(id);
      return found.length > 0 ? found : null;
    });
    expect(row).toMatchObject({ sequence: 7, covers_through_sequence: 2 });
    expect(said(row)).toBe('What was said.');
    expect((await api.get<Session>(`/v1/sessions/${id}`)).compaction).toEqual({ in_progress: false });
  });

  it.each([
    ['empty_summary', answer('  ')],
    [
      'summarizer_error',
      (response) => {
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
      },
    ],
  ] as [string, Reply][])(
    'S24: %s leaves all as it was, and the next pass has the same boundary',
    async (type, reply) => {
      const id = await talked();
      const open = await startTurn(api, id, endlessScript);
      await reaches(api, open, 'running');
      const before = await allRows(api, id);
      const stream = await v1(api, id, { after_sequence: open.after_sequence });
      await stream.until('the turn', ({ event }) => event === 'turn.upsert');
      provider.replies.push(reply);
      await compact(id);
      expect((await stream.until('the failure', ({ event }) => event === 'compaction.failed')).data).toMatchObject({
        error_type: type,
        from_sequence: 1,
        through_sequence: 2,
      });
      stream.close();
      expect(await allRows(api, id)).toEqual(before);
      provider.replies.push(answer('At last.'));
      expect((await compact(id)).compaction).toMatchObject({
        in_progress: true,
        from_sequence: 1,
        through_sequence: 2,
      });
      await eventually('the summary', async () => (await summaries(id)).length === 1);
    },
  );

  it('invariant 54: killed in the middle of a pass: the transcript is as it was, turns go on, and the marker keeps its deadline', async () => {
    const id = await talked();
    const from = provider.seen.length;
    provider.replies.push(silence);
    const started = (await compact(id)).compaction;
    await provider.request(from);
    const before = await allRows(api, id);
    await service.end('SIGKILL');
    await service.run();
    expect(await allRows(api, id)).toEqual(before);
    expect((await api.get<Session>(`/v1/sessions/${id}`)).compaction).toEqual(started);
    expect((await settled(api, await startTurn(api, id, 'three'))).status).toBe('completed');
    expect(await summaries(id)).toEqual([]);
  });
});
