import {
  type Agent,
  Client,
  type MessagesPage,
  type TurnAck,
  converse,
  createAgent,
  createSession,
  script,
  settled,
  startTurn,
  unique,
} from '../harness/index.js';

const api = Client.owner();
let agent: Agent;
let sessionId: string;
const turns: TurnAck[] = [];
const rowCount = 12;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('messages') });
  sessionId = (await createSession(api, agent.id, { mode: 'new' })).id;
  for (let index = 0; index < rowCount / 2; index += 1) {
    const ack = await startTurn(api, sessionId, `line ${index}`);
    await settled(api, ack);
    turns.push(ack);
  }
});

const page = (query: Record<string, string | number | boolean | undefined> = {}) =>
  api.get<MessagesPage>(`/v1/sessions/${sessionId}/messages`, query);
const sequences = (one: MessagesPage) => one.items.map((row) => row.sequence);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('messages: pages', () => {
  it('S25, S27: rows in sequence from 1, without gaps', async () => {
    const all = await page({ limit: 100 });
    expect(sequences(all)).toEqual(range(1, rowCount));
    expect(all.has_more).toBe(false);
  });

  it('S25: after_sequence pages forward', async () => {
    const first = await page({ limit: 5 });
    expect(sequences(first)).toEqual(range(1, 5));
    expect(first).toMatchObject({ has_more: true, next_sequence: 5, prev_sequence: 1 });
    const second = await page({ limit: 5, after_sequence: first.next_sequence });
    expect(sequences(second)).toEqual(range(6, 10));
    expect(second.has_more).toBe(true);
    const last = await page({ limit: 5, after_sequence: 10 });
    expect(sequences(last)).toEqual([11, 12]);
    expect(last.has_more).toBe(false);
    expect(await page({ after_sequence: 12 })).toMatchObject({ items: [], has_more: false });
  });

  it('S25, G5: order=desc takes the page from the newest end, rows ascend inside', async () => {
    const newest = await page({ limit: 5, order: 'desc' });
    expect(sequences(newest)).toEqual(range(8, 12));
    expect(newest.has_more).toBe(true);
    const older = await page({ limit: 5, order: 'desc', before_sequence: newest.prev_sequence });
    expect(sequences(older)).toEqual(range(3, 7));
    const oldest = await page({ limit: 5, order: 'desc', before_sequence: older.prev_sequence });
    expect(sequences(oldest)).toEqual([1, 2]);
    expect(oldest.has_more).toBe(false);
  });

  it('both bounds together select between them', async () => {
    expect(sequences(await page({ after_sequence: 3, before_sequence: 8, limit: 100 }))).toEqual(range(4, 7));
  });

  it('G2: limits and positions out of range are refused with their path', async () => {
    for (const query of [
      { limit: 0 },
      { limit: 101 },
      { limit: 'x' },
      { after_sequence: -1 },
      { before_sequence: 0 },
      { order: 'sideways' },
      { include: 'everything' },
    ]) {
      const details = await api.refused('bad_request', 'GET', `/v1/sessions/${sessionId}/messages`, {
        query,
        invalid: true,
      });
      expect(details['issues']).toEqual(
        expect.arrayContaining([expect.objectContaining({ path: `query.${Object.keys(query)[0] ?? ''}` })]),
      );
    }
  });

  it('per turn: exactly the rows of that turn', async () => {
    const third = turns[2] as TurnAck;
    const own = await api.get<MessagesPage>(`/v1/turns/${third.turn_id}/messages`);
    expect(sequences(own)).toEqual([5, 6]);
    expect(own.items.every((row) => row.turn_id === third.turn_id)).toBe(true);
    const first = await api.get<MessagesPage>(`/v1/turns/${third.turn_id}/messages`, { limit: 1 });
    expect(first.has_more).toBe(true);
    expect(
      sequences(
        await api.get<MessagesPage>(`/v1/turns/${third.turn_id}/messages`, {
          after_sequence: first.items[0]?.sequence,
        }),
      ),
    ).toEqual([6]);
    await api.refused('not_found', 'GET', '/v1/turns/turn_00000000000000000000000000000000/messages');
  });

  it('a hundred and more rows page to the end without loss or double', async () => {
    const { ack } = await converse(api, agent.id, 'first');
    for (let index = 0; index < 60; index += 1) await settled(api, await startTurn(api, ack.session_id, `l${index}`));
    for (const limit of [7, 100]) {
      const seen: number[] = [];
      for (let after = 0, more = true; more;) {
        const one = await api.get<MessagesPage>(`/v1/sessions/${ack.session_id}/messages`, {
          limit,
          after_sequence: after,
        });
        seen.push(...sequences(one));
        more = one.has_more;
        after = one.next_sequence ?? after;
      }
      expect(seen).toEqual(range(1, 122));
    }
  });
});

describe('messages: rows', () => {
  it('S26: fields and roles', async () => {
    const [input, answer] = (await page({ limit: 2 })).items;
    expect(input).toMatchObject({
      role: 'user',
      session_id: sessionId,
      agent_id: agent.id,
      entry_type: 'message',
      content: [{ type: 'text', text: 'line 0' }],
      turn_id: turns[0]?.turn_id,
    });
    expect(answer).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'You said: line 0' }],
      turn_id: turns[0]?.turn_id,
    });
    expect(input?.id).toMatch(/^msg_[0-9a-z]{20,}$/);
    expect(input?.id).toBe(turns[0]?.user_message?.id);
  });

  it('S45, S39, S44: thinking, tool_use and its tool_result are ordinary blocks paired by the call', async () => {
    const { ack, turn } = await converse(
      api,
      agent.id,
      script(
        { think: 'let me see' },
        { say: 'calling' },
        { call: { name: 'no_such_tool', input: { q: [1, { a: null }] } } },
        { say: 'done' },
      ),
    );
    expect(turn.status).toBe('completed');
    const rows = (await api.get<MessagesPage>(`/v1/sessions/${ack.session_id}/messages`)).items;
    expect(rows.map((row) => row.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const [thinking, spoken, call] = rows[1]?.content ?? [];
    expect(thinking).toMatchObject({ type: 'thinking', thinking: 'let me see' });
    expect(spoken).toMatchObject({ type: 'text', text: 'calling' });
    expect(call).toMatchObject({ type: 'tool_use', name: 'no_such_tool', input: { q: [1, { a: null }] } });
    expect(rows[2]?.content).toEqual([
      expect.objectContaining({ type: 'tool_result', tool_use_id: call?.id, is_error: true }),
    ]);
  });

  it('parallel calls: one result for each, in one row', async () => {
    const calls = Array.from({ length: 4 }, (_, index) => ({ name: `none_${index}`, input: {} }));
    const { ack } = await converse(api, agent.id, script({ calls }, { say: 'done' }));
    const rows = (await api.get<MessagesPage>(`/v1/sessions/${ack.session_id}/messages`)).items;
    const asked = rows
      .flatMap((row) => row.content)
      .filter((block) => block.type === 'tool_use')
      .map((block) => block.id);
    const answered = rows
      .flatMap((row) => row.content)
      .filter((block) => block.type === 'tool_result')
      .map((block) => block['tool_use_id']);
    expect(new Set(asked).size).toBe(4);
    expect([...answered].sort()).toEqual([...asked].sort());
  });

  it('an unknown session answers 404, a viewer may read', async () => {
    await api.refused('not_found', 'GET', '/v1/sessions/ses_00000000000000000000000000/messages');
  });
});
