import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  type Client,
  type Message,
  type Session,
  type Turn,
  type TurnAck,
  allRows,
  cancelTurn,
  converse,
  createAgent,
  eventually,
  invoke,
  script,
  settled,
  unique,
  timeFor,
} from '../harness/index.js';

/** What two calls of the scripted model cost, and no more. */
const firstUsage = { input_tokens: 10, output_tokens: 3 };
const secondUsage = { input_tokens: 20, output_tokens: 5 };
const planScript = script(
  { think: 'hm' },
  { wait_ms: 60 },
  { usage: firstUsage },
  {
    calls: [
      { name: 'none_a', input: {} },
      { name: 'none_b', input: {} },
    ],
  },
  { wait_ms: 60 },
  { usage: secondUsage },
  { say: 'done' },
);
const longScript = script({ wait_ms: 600_000 }, { say: 'too late' });
const failingScript = script({ say: 'half' }, { error: { type: 'model_error', message: 'no' } });

let service: OwnService;
let api: Client;
let agent: Agent;
const folder = mkdtempSync(join(tmpdir(), 'aos-failpoint-'));
const file = join(folder, 'name');

beforeAll(async () => {
  writeFileSync(file, '');
  service = await OwnService.start({ SVC_FAILPOINT: file });
  api = service.client;
  agent = await createAgent(api, { name: unique('failpoints') });
});

afterAll(async () => {
  await service.remove();
  rmSync(folder, { recursive: true });
});

/**
 * Runs `work`, in which the service dies at the failpoint, then starts it anew. Gives what `work` gave, or null when
 * the death cut it off.
 */
async function dyingAt<Found>(failpoint: string, work: () => Promise<Found>): Promise<Found | null> {
  writeFileSync(file, failpoint);
  const found = await work().catch(() => null);
  await service.ended();
  writeFileSync(file, '');
  await service.run();
  return found;
}

/** Sequences without gaps, no row twice, every call answered once and in order. */
function checkRows(rows: Message[], input: string): void {
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1));
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  expect(rows.filter(({ content }) => content.some((block) => block.text === input))).toHaveLength(1);
  const blocks = rows.flatMap(({ content }) => content);
  const asked = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  expect(blocks.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id'])).toEqual(asked);
}

/** Every third place in a run of everything; all of them with FAILPOINTS=all (`npm run soak -- failpoints`). */
const share = (places: string[]) =>
  process.env['FAILPOINTS'] === 'all' ? places : places.filter((_, index) => index % 3 === 1);
const before = (...types: string[]) => types.map((type) => `before-append ${type}`);
const after = (...types: string[]) => types.map((type) => `after-append ${type}`);
const read = (sessionId: string) =>
  api.get<Session & { token_input_total: number; token_output_total: number }>(`/v1/sessions/${sessionId}`);

describe('kill -9 at a named place of the turn runner (invariants 2, 17, 19, 68)', () => {
  const runnersTypes = [
    'TurnQueued',
    'TurnClaimed',
    'ModelAnswered',
    'ModelAnswered:2',
    'ToolCallFinished',
    'ToolCallFinished:2',
    'TurnCompleted',
  ];
  const places = [
    ...before(...runnersTypes),
    ...after(...runnersTypes),
    'before-model-call',
    'before-model-call:2',
    'after-model-call',
    'after-model-call:2',
    'before-tool-dispatch',
    'before-tool-dispatch:2',
    'after-tool-dispatch',
    'after-tool-dispatch:2',
  ];

  /** The turn is claimed with its admission (rule TP11): one append. */
  const admission = before('TurnQueued', 'TurnClaimed');

  it.each(share(places))('%s: the turn completes, no row is there twice, each call is counted once', async (place) => {
    const how = { session: { session_key: unique('fp') }, key: 'key' };
    const first = await dyingAt(place, () => invoke(api, agent.id, planScript, how));
    const again: TurnAck = await invoke(api, agent.id, planScript, how);
    if (first) expect(again).toMatchObject({ deduped: true, turn_id: first.turn_id });
    expect(again.deduped).toBe(!admission.includes(place)); // nothing of it was written
    const turn = await settled(api, again);
    expect(turn.status).toBe('completed');
    expect(turn.usage).toEqual({
      calls: 2,
      input_tokens: firstUsage.input_tokens + secondUsage.input_tokens,
      output_tokens: firstUsage.output_tokens + secondUsage.output_tokens,
    });
    expect(await read(again.session_id)).toMatchObject({ token_input_total: 30, token_output_total: 8 });
    const rows = await allRows(api, again.session_id);
    checkRows(rows, planScript);
    expect(rows.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it.each([...before('TurnClaimed'), ...after('TurnClaimed')])(
    '%s, in an append of its own: the turn that a nudge began completes, once',
    async (place) => {
      const { ack } = await converse(api, agent.id, 'hi', { session: { session_key: unique('fp') } });
      await dyingAt(place, () =>
        api.post(`/v1/sessions/${ack.session_id}/nudges`, { content: 'go on', idempotency_key: 'nudge' }, 202),
      );
      const turns = await eventually('all turns to be final', async () => {
        const { items } = await api.get<{ items: Turn[] }>(`/v1/sessions/${ack.session_id}/turns`);
        return items.every(({ status }) => status === 'completed') ? items : null;
      });
      expect(turns).toHaveLength(2);
      const rows = await allRows(api, ack.session_id);
      expect(rows.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    },
  );

  it.each(share([...before('NudgeQueued', 'NudgeDelivered'), ...after('NudgeQueued', 'NudgeDelivered')]))(
    '%s: the nudge is one row',
    async (place) => {
      const how = { session: { session_key: unique('fp') }, key: 'key' };
      const slow = script({ wait_ms: await timeFor(api, 4) }, { say: 'done' });
      const nudge = (sessionId: string) =>
        api.post<{ nudge_id: string }>(
          `/v1/sessions/${sessionId}/nudges`,
          { content: 'look here', idempotency_key: 'nudge' },
          202,
        );
      const ack = await dyingAt(place, async () => {
        const admitted = await invoke(api, agent.id, slow, how);
        await nudge(admitted.session_id).catch(() => null);
        return admitted;
      });
      if (!ack) throw new Error('the turn was not admitted');
      const { nudge_id: nudgeId } = await nudge(ack.session_id);
      await settled(api, ack);
      const given = await eventually('the nudge in a row, all turns final', async () => {
        const { items } = await api.get<{ items: Turn[] }>(`/v1/sessions/${ack.session_id}/turns`);
        if (items.some(({ status }) => status !== 'completed')) return null;
        const rows = await allRows(api, ack.session_id);
        return rows.some(({ metadata }) => metadata?.['session_nudge_id'] === nudgeId) ? rows : null;
      });
      checkRows(given, slow);
      expect(given.filter(({ metadata }) => metadata?.['session_nudge_id'] === nudgeId)).toHaveLength(1);
    },
  );

  it.each(share([...before('TurnCancelled'), ...after('TurnCancelled')]))(
    '%s: a repeated cancel ends the turn once',
    async (place) => {
      const ack = await dyingAt(place, async () => {
        const admitted = await invoke(api, agent.id, longScript);
        await cancelTurn(api, admitted).catch(() => null);
        return admitted;
      });
      if (!ack) throw new Error('the turn was not admitted');
      const turn = await cancelTurn(api, ack);
      expect(turn.status).toBe('cancelled');
      expect(await cancelTurn(api, ack)).toEqual(turn);
      checkRows(await allRows(api, ack.session_id), longScript);
    },
  );

  it.each(share([...before('TurnFailed'), ...after('TurnFailed')]))(
    '%s: the turn fails once and carries no usage',
    async (place) => {
      const how = { session: { session_key: unique('fp') }, key: 'key' };
      await dyingAt(place, () => invoke(api, agent.id, failingScript, how));
      const turn = await settled(api, await invoke(api, agent.id, failingScript, how));
      expect(turn).toMatchObject({ status: 'failed', error_type: 'model_error' });
      expect(turn).not.toHaveProperty('usage');
      checkRows(await allRows(api, turn.session_id, { include_terminal_partials: true }), failingScript);
    },
  );

  it.each(
    share([
      ...before('CompactionStarted', 'TranscriptSummarised'),
      ...after('CompactionStarted', 'TranscriptSummarised'),
      'before-summary-call',
      'after-summary-call',
    ]),
  )('%s: the transcript stands as it was, and has at most one summary', async (place) => {
    const session = { session_key: unique('fp') };
    const { ack } = await converse(api, agent.id, 'one', { session });
    await converse(api, agent.id, 'two', { session });
    const rowsBefore = await allRows(api, ack.session_id);
    await dyingAt(place, () => api.post(`/v1/sessions/${ack.session_id}/compact`, undefined, 200));
    const rows = await allRows(api, ack.session_id);
    expect(rows.slice(0, rowsBefore.length)).toEqual(rowsBefore);
    expect(rows.slice(rowsBefore.length).map(({ role }) => role)).toEqual(
      place === 'after-append TranscriptSummarised' ? ['compaction'] : [],
    );
    await converse(api, agent.id, 'three', { session });
    checkRows(await allRows(api, ack.session_id), 'three');
  });
});
