import {
  type Agent,
  Client,
  type Message,
  type Session,
  type TurnAck,
  allRows,
  callerWith,
  cancelTurn,
  converse,
  createAgent,
  createSession,
  endlessScript,
  eventually,
  freshTranscript,
  invoke,
  invokeBody,
  reaches,
  rowsWithContext,
  said,
  script,
  settled,
  startTurn,
  text,
  unique,
  v1,
  v2,
  timeFor,
} from '../harness/index.js';

type Summary = Message & { covers_through_sequence?: number };
interface Compacted extends Session {
  latest_compaction?: { message_id: string; sequence: number; covers_through_sequence: number } | null;
}

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('compaction'), system_prompt: '' });
});

const compact = (sessionId: string): Promise<Session> =>
  api.post<Session>(`/v1/sessions/${sessionId}/compact`, undefined, 200);
const read = (sessionId: string): Promise<Compacted> => api.get<Compacted>(`/v1/sessions/${sessionId}`);
const summaries = async (sessionId: string): Promise<Summary[]> =>
  (await allRows(api, sessionId)).filter(({ role }) => role === 'compaction');
const turnOf = async (sessionId: string, input: string) => settled(api, await startTurn(api, sessionId, input));

/** A session with so many completed turns of two rows each. */
async function talked(turns: number, policy: object = { strategy: 'manual' }): Promise<string> {
  const { id } = await createSession(api, agent.id, { mode: 'new', compaction_policy: policy });
  for (let index = 1; index <= turns; index += 1) await turnOf(id, `question ${index}`);
  return id;
}

const summarised = (sessionId: string, count = 1): Promise<Summary[]> =>
  eventually('the summary', async () => {
    const found = await summaries(sessionId);
    return found.length >= count ? found : null;
  });

describe('compaction: manual', () => {
  it('S20, S23: starts at once and sums up all rows but those of the newest final turn', async () => {
    const id = await talked(3);
    const answer = await compact(id);
    expect(answer.compaction).toEqual({
      in_progress: true,
      started_at: expect.any(String) as string,
      deadline: expect.any(String) as string,
      from_sequence: 1,
      through_sequence: 4,
      message_count: 4,
    });
    const progress = answer.compaction as unknown as { started_at: string; deadline: string };
    expect(Date.parse(progress.deadline) - Date.parse(progress.started_at)).toBe(120_000);
    const [row] = await summarised(id);
    expect(row).toMatchObject({
      role: 'compaction',
      entry_type: 'compaction',
      sequence: 7,
      covers_through_sequence: 4,
      content: [text('Summary of 4 messages.')],
    });
    expect(row).not.toHaveProperty('turn_id');
    expect(await read(id)).toMatchObject({
      compaction: { in_progress: false },
      latest_compaction: { message_id: row?.id, sequence: 7, covers_through_sequence: 4 },
    });
  });

  it('the rows that are summed up stay readable, and the model is given the summary instead', async () => {
    const id = await talked(0);
    for (let index = 0; index < 3; index += 1) await turnOf(id, 'x'.repeat(4000));
    const before = await allRows(api, id);
    await compact(id);
    await summarised(id);
    expect((await allRows(api, id)).slice(0, before.length)).toEqual(before);
    const turn = await turnOf(id, 'short');
    expect(turn.usage?.input_tokens).toBeGreaterThan(2000);
    expect(turn.usage?.input_tokens).toBeLessThan(2200);
  });

  it('nothing to sum up leaves the session unchanged: no turn, one turn, right after a pass', async () => {
    for (const turns of [0, 1]) {
      const id = await talked(turns);
      const before = await read(id);
      expect(await compact(id)).toEqual(before);
      expect(await read(id)).toEqual(before);
    }
    const id = await talked(2);
    await compact(id);
    await summarised(id);
    const before = await read(id);
    expect((await compact(id)).compaction).toEqual({ in_progress: false });
    expect(await read(id)).toEqual(before);
    expect(await summaries(id)).toHaveLength(1);
  });

  it('the next pass goes on after the last summary', async () => {
    const id = await talked(2);
    await compact(id);
    await summarised(id);
    await turnOf(id, 'question 3');
    const answer = await compact(id);
    expect(answer.compaction).toMatchObject({ in_progress: true, from_sequence: 3, through_sequence: 4 });
    const rows = await summarised(id, 2);
    expect(rows.map((row) => [row.sequence, row.covers_through_sequence, said(row)])).toEqual([
      [5, 2, 'Summary of 2 messages.'],
      [8, 4, 'Summary of 3 messages.'],
    ]);
  });

  it('invariants 54, 55: of twenty racing calls one starts the pass, and one summary is written', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await talked(2);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => api.send('POST', `/v1/sessions/${id}/compact`)),
      );
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
      await summarised(id);
      await eventually('the end of the pass', async () => !(await read(id)).compaction?.in_progress);
      expect(await summaries(id)).toHaveLength(1);
    }
  });

  it('S21, S16: a session that is never compacted refuses; a change of its policy allows it', async () => {
    const id = await talked(2, { strategy: 'none' });
    expect((await read(id)).compaction_policy?.strategy).toBe('disabled');
    await api.refused('compaction_disabled', 'POST', `/v1/sessions/${id}/compact`);
    await api.patch(`/v1/sessions/${id}`, { compaction_policy: { strategy: 'manual' } });
    expect((await compact(id)).compaction?.in_progress).toBe(true);
    await summarised(id);
  });

  it('also under auto, where the threshold stays on the read', async () => {
    const id = await talked(2, { strategy: 'auto', threshold_tokens: 9999 });
    expect((await compact(id)).compaction).toMatchObject({ in_progress: true, threshold_tokens: 9999 });
    await summarised(id);
    expect((await read(id)).compaction).toEqual({ in_progress: false, threshold_tokens: 9999 });
  });

  it('unknown sessions 404, callers who may only read 403', async () => {
    await api.refused('not_found', 'POST', '/v1/sessions/ses_00000000000000000000000000/compact');
    const id = await talked(2);
    await (await callerWith(api, 'Viewer')).refused('permission_denied', 'POST', `/v1/sessions/${id}/compact`);
    expect(await summaries(id)).toEqual([]);
  });

  it("invariant 55: a pass while a turn runs leaves that turn's rows alone, and tool calls stay with their results", async () => {
    const id = await talked(1);
    await turnOf(id, script({ call: { name: 'none', input: {} } }, { say: 'after' }));
    const open = await startTurn(api, id, endlessScript);
    await reaches(api, open, 'running');
    await compact(id);
    const [row] = await summarised(id);
    expect(row?.covers_through_sequence).toBe(2);
    expect(row).not.toHaveProperty('turn_id');
    await cancelTurn(api, open);
    await turnOf(id, 'on');
    await compact(id);
    const [, second] = await summarised(id, 2);
    const covered = (await allRows(api, id)).filter(
      ({ sequence }) => sequence <= (second?.covers_through_sequence ?? 0),
    );
    const uses = covered.flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_use').map((block) => block.id),
    );
    const results = covered.flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id']),
    );
    expect(uses).toHaveLength(1);
    expect(results).toEqual(uses);
  });
});

describe('compaction: automatic', () => {
  it('S15, F11: over the threshold a turn sums up before its next model call; v1 tells it before the final frame', async () => {
    const id = await talked(2, { threshold_tokens: 30 });
    expect(await summaries(id)).toEqual([]);
    const ack = await startTurn(api, id, script({ wait_ms: await timeFor(api, 4) }, { say: 'x'.repeat(200) }));
    const stream = await v1(api, id, { after_sequence: ack.after_sequence });
    const frames = await stream.over();
    const names = frames.map(({ event }) => event);
    const made = frames.find(({ event }) => event === 'compaction.created');
    const [row] = await summaries(id);
    expect(made?.id).toBe(String(row?.sequence));
    expect(made?.data).toMatchObject({
      message_id: row?.id,
      sequence: row?.sequence,
      role: 'compaction',
      covers_through_sequence: 2,
      trigger: 'auto',
      from_sequence: 1,
      through_sequence: 2,
      turn_id: ack.turn_id,
    });
    expect(names.indexOf('compaction.created')).toBeLessThan(names.indexOf('agent.message'));
    expect(names.indexOf('compaction.created')).toBeLessThan(names.indexOf('turn.completed'));
    expect(names.at(-1)).toBe('stream.end');
    expect(names).not.toContain('compaction.failed');
  });

  it('F11: compaction.created is replayed with its own sequence; the pulses are not', async () => {
    const id = await talked(3, { threshold_tokens: 10 });
    const rows = await summaries(id);
    expect(rows.length).toBeGreaterThan(0);
    const frames = await (await v1(api, id, { after_sequence: 0 })).over();
    expect(frames.filter(({ event }) => event === 'compaction.created').map((frame) => frame.id)).toEqual(
      rows.map((row) => String(row.sequence)),
    );
    const durable = frames.filter((frame) => frame.id !== null).map((frame) => Number(frame.id));
    expect(durable).toEqual([...durable].sort((left, right) => left - right));
    expect(frames.some(({ event }) => event === 'compaction.started')).toBe(false);
    const later = await (await v1(api, id, { after_sequence: rows.at(-1)?.sequence ?? 0 })).over();
    expect(later.some(({ event }) => event === 'compaction.created')).toBe(false);
  });

  it('F22: v2 carries the summary as a row and no pulses', async () => {
    const id = await talked(2, { threshold_tokens: 30 });
    const ack = await startTurn(api, id, script({ wait_ms: 300 }, { say: 'x'.repeat(200) }));
    const stream = await v2(api, id, ack.resume_cursor);
    await stream.over();
    expect(stream.frames.some(({ event }) => event.startsWith('compaction.'))).toBe(false);
    const [row] = await summaries(id);
    const frame = stream.frames.find(
      ({ event, data }) => event === 'message.upsert' && data['entry_type'] === 'compaction',
    );
    const place = (of: typeof frame) => stream.frames.findIndex((one) => one === of);
    expect(place(frame)).toBeLessThan(
      place(stream.frames.find(({ event, data }) => event === 'turn.upsert' && data['status'] === 'completed')),
    );
    expect(frame?.data).toMatchObject({
      id: row?.id,
      role: 'compaction',
      status: 'final',
      sequence: row?.sequence,
      covers_through_sequence: 2,
    });
    const snapshot = await freshTranscript(api, id);
    expect(snapshot.messages.get(row?.id ?? '')).toMatchObject({ entry_type: 'compaction', content: row?.content });
  });

  it('a manual or disabled session is never summed up by itself', async () => {
    for (const strategy of ['manual', 'disabled'])
      expect(await summaries(await talked(3, { strategy, threshold_tokens: 1 }))).toEqual([]);
  });

  it('under the threshold nothing is summed up', async () => {
    expect(await summaries(await talked(4, { threshold_tokens: 1000 }))).toEqual([]);
  });
});

describe('compaction: a pass that fails', () => {
  it('S24, SES5: says so, leaves the transcript as it was, and the next pass has the same boundary', async () => {
    const id = await talked(2, { strategy: 'manual', summary_model: 'no-such-model' });
    const open = await startTurn(api, id, endlessScript);
    await reaches(api, open, 'running');
    const before = await rowsWithContext(api, id);
    const stream = await v1(api, id, { after_sequence: open.after_sequence });
    await stream.until('the running turn', ({ event }) => event === 'turn.upsert');
    await compact(id);
    const failed = await stream.until('the failure', ({ event }) => event === 'compaction.failed');
    expect(failed.data).toMatchObject({
      trigger: 'manual',
      from_sequence: 1,
      through_sequence: 2,
      error_type: 'summarizer_error',
      error_message: expect.any(String) as string,
    });
    stream.close();
    expect(stream.of('compaction.started')).toHaveLength(1);
    expect(await rowsWithContext(api, id)).toEqual(before);
    expect(await read(id)).toMatchObject({ compaction: { in_progress: false }, latest_compaction: null });
    await api.patch(`/v1/sessions/${id}`, { compaction_policy: { summary_model: 'svc-scripted-1' } });
    expect((await compact(id)).compaction).toMatchObject({ from_sequence: 1, through_sequence: 2 });
    await summarised(id);
    await cancelTurn(api, open);
  });

  it('an automatic one does not harm its turn', async () => {
    const id = await talked(3, { threshold_tokens: 10, summary_model: 'no-such-model' });
    const rows = await allRows(api, id);
    expect(rows.map((row) => row.role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    expect(rows.at(-1)?.content).toEqual([text('You said: question 3')]);
  });
});

describe('compaction: context', () => {
  const contextRows = async (sessionId: string) =>
    (await rowsWithContext(api, sessionId))
      .filter(({ content }) => content[0]?.type === 'reminder')
      .map(({ content, sequence }) => [content[0]?.name, content[0]?.content, sequence]);
  const say = async (session: Session, board: string, input = 'hi') =>
    converse(api, agent.id, input, {
      session: { session_key: session.session_key },
      context: [{ name: 'board', content: board }],
    });

  it("invariant 11: a value that a pass took from the model's window is recorded anew, once", async () => {
    const session = await createSession(api, agent.id, {
      session_key: unique('k'),
      compaction_policy: { strategy: 'manual' },
    });
    await say(session, 'v1');
    await say(session, 'v1');
    await say(session, 'v1');
    expect(await contextRows(session.id)).toEqual([['app-board', 'v1', 1]]);
    await compact(session.id);
    await summarised(session.id);
    const { ack } = await say(session, 'v1', script({ read: 'context:app-board' }));
    await say(session, 'v1');
    expect(await contextRows(session.id)).toEqual([
      ['app-board', 'v1', 1],
      ['app-board', 'v1', ack.after_sequence - 1],
    ]);
    expect(said((await allRows(api, session.id)).find((row) => row.sequence === ack.after_sequence + 1))).toBe('v1');
  });

  it('invariant 11: a value behind the boundary stays and is not recorded again', async () => {
    const session = await createSession(api, agent.id, {
      session_key: unique('k'),
      compaction_policy: { strategy: 'manual' },
    });
    await say(session, 'old');
    await say(session, 'new');
    await compact(session.id);
    const [row] = await summarised(session.id);
    expect(row?.covers_through_sequence).toBe(3);
    await say(session, 'new', script({ read: 'context:app-board' }));
    expect((await contextRows(session.id)).map(([, value]) => value)).toEqual(['old', 'new']);
    expect(said((await allRows(api, session.id)).at(-1))).toBe('new');
    await say(session, 'old');
    expect((await contextRows(session.id)).map(([, value]) => value)).toEqual(['old', 'new', 'old']);
  });
});

describe('compaction: policy of a session', () => {
  it('S15: default, then agent, then request', async () => {
    const manual = await createAgent(api, { compaction_policy: { strategy: 'manual', threshold_tokens: 77 } });
    const by = async (agentId: string, policy?: object) =>
      (
        await api.post<TurnAck>(
          '/v1/agents/invoke',
          invokeBody(agentId, 'hi', { session: { mode: 'new', ...(policy ? { compaction_policy: policy } : {}) } }),
          202,
        )
      ).session.compaction_policy;
    expect(await by((await createAgent(api)).id)).toEqual({ strategy: 'auto', threshold: 'sm' });
    expect(await by(manual.id)).toEqual({ strategy: 'manual', threshold_tokens: 77 });
    expect(await by(manual.id, { strategy: 'auto' })).toEqual({ strategy: 'auto', threshold_tokens: 77 });
    expect(await by(manual.id, { threshold: 'xl' })).toEqual({ strategy: 'manual', threshold: 'xl' });
    expect((await invoke(api, manual.id, 'hi')).session).not.toHaveProperty('compaction.started_at');
  });
});
