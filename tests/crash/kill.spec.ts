import { quickest } from '@aos/kernel/testing';
import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  Client,
  finalStatuses,
  type Page,
  type Session,
  type Turn,
  type TurnAck,
  allRows,
  createAgent,
  eventually,
  invoke,
  script,
  settled,
  unique,
} from '../harness/index.js';

const kills = Number(process.env['KILLS'] ?? 3);
const invokes = 50;
const endedMs = 10_000;

interface Attempt {
  sessionKey: string;
  key: string;
  input: string;
  ack: TurnAck | null;
}

let service: OwnService;
let api: Client;
let agent: Agent;
let seed = Number(process.env['SEED'] ?? 7);

beforeAll(async () => {
  service = await OwnService.start();
  api = service.client;
  agent = await createAgent(api, { name: unique('crash') });
});

afterAll(async () => {
  await service.remove();
});

const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

/** Steps of every kind, some of which are under way when the process dies. */
function input(index: number): string {
  const wait = { wait_ms: 20 + (index % 7) * 40 };
  return index % 3 === 0
    ? script({ think: 'hm' }, wait, { call: { name: 'none', input: { place: index } } }, wait, { say: `done ${index}` })
    : script(wait, { repeat_say: { text: 'word ', times: 50 } }, { usage: { input_tokens: 10, output_tokens: 3 } });
}

/**
 * Sends one attempt until it is acknowledged or the connection breaks for good; the acknowledgement is the promise
 * under test.
 */
async function send(attempt: Attempt): Promise<void> {
  try {
    attempt.ack = await invoke(api, agent.id, attempt.input, {
      session: { session_key: attempt.sessionKey },
      key: attempt.key,
    });
  } catch (error) {
    if (String(error).includes('breaks the contract') || /: (4|5)\d\d instead/.test(String(error))) throw error;
  }
}

async function findSession(sessionKey: string): Promise<Session | null> {
  return (
    (await api.get<Page<Session>>('/v1/sessions', { agent_id: agent.id, session_key: sessionKey })).items[0] ?? null
  );
}

/** Everything an acknowledged attempt promised, after the restart. */
async function checkAcknowledged(attempt: Attempt, ack: TurnAck): Promise<void> {
  const repeat = await invoke(api, agent.id, 'CANARY', {
    session: { session_key: attempt.sessionKey },
    key: attempt.key,
  });
  expect(repeat).toMatchObject({
    deduped: true,
    turn_id: ack.turn_id,
    session_id: ack.session_id,
    after_sequence: ack.after_sequence,
    resume_cursor: ack.resume_cursor,
  });
  const turn = await settled(api, ack);
  expect(turn.status).toBe('completed');
  await checkTranscript(ack.session_id, attempt.input);
}

/** The input once, sequences without gaps, every call with one result, one answer at the end. */
async function checkTranscript(sessionId: string, sent: string): Promise<void> {
  const rows = await allRows(api, sessionId, { include: 'context', include_terminal_partials: true });
  expect(rows.map((row) => row.sequence)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.filter((row) => row.content.some((block) => block.text === sent))).toHaveLength(1);
  expect(rows.at(-1)?.role).toBe('assistant');
  const blocks = rows.flatMap((row) => row.content);
  const asked = blocks.filter((block) => block.type === 'tool_use').map((block) => block.id);
  const answered = blocks.filter((block) => block.type === 'tool_result').map((block) => block['tool_use_id']);
  expect(answered).toEqual(asked);
  expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  expect(JSON.stringify(rows)).not.toContain('CANARY');
  const turns = (await api.get<Page<Turn>>(`/v1/sessions/${sessionId}/turns`)).items;
  expect(turns).toHaveLength(1);
}

/** An attempt without an acknowledgement is there whole or not at all; a repeat makes it whole. */
async function checkUnacknowledged(attempt: Attempt): Promise<void> {
  const before = await findSession(attempt.sessionKey);
  const ack = await invoke(api, agent.id, attempt.input, {
    session: { session_key: attempt.sessionKey },
    key: attempt.key,
  });
  if (before) expect(ack.session_id).toBe(before.id);
  expect((await settled(api, ack)).status).toBe('completed');
  await checkTranscript(ack.session_id, attempt.input);
}

/** The process ends in the middle of many invokes, and starts again. Gives how long it took to end. */
async function endDuringInvokes(signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
  const attempts: Attempt[] = Array.from({ length: invokes }, (_, index) => ({
    sessionKey: unique('crash'),
    key: `key-${index}`,
    input: input(index),
    ack: null,
  }));
  const enough = Math.floor(random() * (invokes + 1));
  const sending = attempts.map((attempt) => send(attempt));
  await eventually(
    `${enough} acknowledgements`,
    async () => attempts.filter(({ ack }) => ack !== null).length >= enough,
  );
  const took = await service.end(signal);
  await Promise.all(sending);
  await service.run();
  await Promise.all(
    attempts.map((attempt) => (attempt.ack ? checkAcknowledged(attempt, attempt.ack) : checkUnacknowledged(attempt))),
  );
  return took;
}

describe(`kill -9 during ${invokes} concurrent invokes (invariants 2, 17, 68)`, () => {
  it.each(Array.from({ length: kills }, (_, index) => index + 1))(
    'round %i: what was acknowledged is there once and ends; repeats find it',
    async () => {
      await endDuringInvokes('SIGKILL');
    },
  );

  it('turns in flight at the kill go on by themselves, without a request that names them', async () => {
    const acks = await Promise.all(
      Array.from({ length: 10 }, () => invoke(api, agent.id, script({ wait_ms: 300 }, { say: 'survived' }))),
    );
    await eventually(
      'one to run',
      async () =>
        (await api.get<Turn>(`/v1/sessions/${acks[0]?.session_id ?? ''}/turns/${acks[0]?.turn_id ?? ''}`)).status ===
        'running',
    );
    await service.end('SIGKILL');
    await service.run();
    const statuses = await Promise.all(acks.map(async (ack) => (await settled(api, ack)).status));
    expect(new Set(statuses)).toEqual(new Set(['completed']));
  });

  it('TP9: what was acknowledged is in lists as soon as they answer, though its rows were not written yet', async () => {
    const acknowledged = await Promise.all(Array.from({ length: 20 }, () => createAgent(api, { name: unique('row') })));
    await service.end('SIGKILL');
    await service.run();
    const listed = await api.get<Page<Agent>>('/v1/agents', { limit: '100' });
    expect(listed.items.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged.map(({ id }) => id)));
  });

  it('a cancelled turn stays cancelled and a final one final over a kill', async () => {
    const [open, done] = await Promise.all([
      invoke(api, agent.id, script({ wait_ms: 600_000 })),
      invoke(api, agent.id, 'hi'),
    ]);
    const final = await settled(api, done);
    const cancelled = await api.post<Turn>(
      `/v1/sessions/${open.session_id}/turns/${open.turn_id}/cancel`,
      undefined,
      200,
    );
    await service.end('SIGKILL');
    await service.run();
    for (const turn of [final, cancelled]) {
      const now = await api.get<Turn>(`/v1/sessions/${turn.session_id}/turns/${turn.id}`);
      expect(now).toEqual(turn);
      expect(finalStatuses).toContain(now.status);
    }
  });
});

describe('SIGTERM (invariant 76)', () => {
  it(`during ${invokes} concurrent invokes: the process ends in time, and what was acknowledged ends after the start (rule TP11)`, async () => {
    expect(await quickest(endedMs, () => endDuringInvokes('SIGTERM'))).toBeLessThan(endedMs);
  });

  it('ends within ten seconds with turns open, and they finish after the start', async () => {
    const took = await quickest(endedMs, async () => {
      const ack = await invoke(api, agent.id, script({ wait_ms: 1_500 }, { say: 'after the restart' }));
      const ended = await service.end('SIGTERM');
      await service.run();
      expect((await settled(api, ack)).status).toBe('completed');
      return ended;
    });
    expect(took).toBeLessThan(endedMs);
  });
});
