import {
  type Agent,
  Client,
  endlessScript,
  finalStatuses,
  type Message,
  type Page,
  type Session,
  type Turn,
  type TurnAck,
  allRows,
  callerWith,
  cancelTurn,
  createAgent,
  createSession,
  eventually,
  invoke,
  reaches,
  readTurn,
  rowsWithContext,
  said,
  script,
  settled,
  startTurn,
  text,
  unique,
  v1,
  timeFor,
} from '../harness/index.js';

interface Nudge {
  id: string;
  status: string;
  delivery: string;
  content: string;
  wake: boolean;
  turn: { id: string; status: string };
  sender_principal_id: string;
  metadata?: Record<string, unknown>;
  created_at: string;
  delivered_at: string | null;
  cancelled_at: string | null;
}
interface NudgeAck {
  nudge_id: string;
  delivery: string;
  woke_turn: boolean;
  status: string;
  session: Session;
  turn: Turn;
  after_sequence: number;
  deduped: boolean;
}

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('nudges') });
});

const pathOf = (sessionId: string): string => `/v1/sessions/${sessionId}/nudges`;
const nudge = (sessionId: string, content: string, more: Record<string, unknown> = {}): Promise<NudgeAck> =>
  api.post<NudgeAck>(pathOf(sessionId), { content, ...more }, 202);
const readNudge = (sessionId: string, id: string): Promise<Nudge> => api.get<Nudge>(`${pathOf(sessionId)}/${id}`);
const cancelNudge = (sessionId: string, id: string): Promise<Nudge> =>
  api.post<Nudge>(`${pathOf(sessionId)}/${id}/cancel`, undefined, 200);
const listed = async (sessionId: string, query: Record<string, string | string[]> = {}): Promise<Nudge[]> =>
  (await api.get<Page<Nudge>>(pathOf(sessionId), { limit: 100, ...query })).items;
const nudgeOf = (row: Message): unknown => row.metadata?.['session_nudge_id'];
const reminder = (content: string) => [{ type: 'reminder', name: 'session-nudge', tier: 'contextual', content }];

/** A session whose turn runs until somebody ends it. */
async function busy(input = endlessScript): Promise<TurnAck> {
  const ack = await invoke(api, agent.id, input);
  await reaches(api, ack, 'running');
  return ack;
}

/** Waits until no turn of the session is open. */
function quiet(sessionId: string): Promise<Turn[]> {
  return eventually('a quiet session', async () => {
    const turns = (await api.get<Page<Turn>>(`/v1/sessions/${sessionId}/turns`, { limit: 100 })).items;
    return turns.every((turn) => finalStatuses.includes(turn.status)) ? turns : null;
  });
}

describe('nudges: admission', () => {
  it('N1, N2, N4: a nudge of a running turn is pending; acknowledgement and record tell where it goes', async () => {
    const ack = await busy();
    const queued = await nudge(ack.session_id, 'look left', { metadata: { a: 1 }, idempotency_key: 'k' });
    expect(queued).toMatchObject({
      delivery: 'current_turn',
      woke_turn: false,
      status: 'pending',
      deduped: false,
      after_sequence: ack.after_sequence,
      session: { id: ack.session_id },
      turn: { id: ack.turn_id, status: 'running' },
    });
    expect(queued.nudge_id).toMatch(/^nudge_/);
    expect(await readNudge(ack.session_id, queued.nudge_id)).toEqual({
      id: queued.nudge_id,
      status: 'pending',
      delivery: 'current_turn',
      content: 'look left',
      wake: false,
      turn: { id: ack.turn_id, status: 'running' },
      metadata: { a: 1 },
      sender_principal_id: ack.session.created_by,
      created_at: expect.any(String) as string,
      delivered_at: null,
      cancelled_at: null,
    });
    await cancelTurn(api, ack);
  });

  it('N1, N6: the same key and content is the same nudge; other content or wake conflicts, as do racing ones', async () => {
    const ack = await busy();
    const first = await nudge(ack.session_id, 'one', { idempotency_key: 'k' });
    expect(
      await nudge(ack.session_id, 'one', { idempotency_key: 'k', wake: false, metadata: { not: 'compared' } }),
    ).toMatchObject({
      nudge_id: first.nudge_id,
      deduped: true,
      delivery: 'current_turn',
      woke_turn: false,
      after_sequence: first.after_sequence,
    });
    await api.refused('idempotency_conflict', 'POST', pathOf(ack.session_id), {
      body: { content: 'two', idempotency_key: 'k' },
    });
    await api.refused('idempotency_conflict', 'POST', pathOf(ack.session_id), {
      body: { content: 'one', wake: true, idempotency_key: 'k' },
    });
    expect(await listed(ack.session_id)).toHaveLength(1);
    await cancelTurn(api, ack);
  });

  it('a blank key is none; the header is not the key (G18)', async () => {
    const ack = await busy();
    await nudge(ack.session_id, 'one', { idempotency_key: ' ' });
    await nudge(ack.session_id, 'two', { idempotency_key: ' ' });
    for (const content of ['three', 'four'])
      await api.call('POST', pathOf(ack.session_id), {
        body: { content },
        headers: { 'idempotency-key': 'same' },
        expect: 202,
      });
    expect((await listed(ack.session_id)).map(({ content }) => content)).toEqual(['one', 'two', 'three', 'four']);
    await cancelTurn(api, ack);
  });

  it('invariant 42: of racing nudges with one key one content wins, and its repeats agree', async () => {
    const ack = await busy();
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          api.send('POST', pathOf(ack.session_id), {
            body: { content: `content ${index % 2}`, idempotency_key: `key-${round}` },
          }),
        ),
      );
      const won = answers.filter(({ status }) => status === 202).map(({ body }) => body as NudgeAck);
      expect(won).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
      expect(new Set(won.map(({ nudge_id: id }) => id)).size).toBe(1);
      expect(won.filter(({ deduped }) => !deduped)).toHaveLength(1);
    }
    expect(await listed(ack.session_id)).toHaveLength(5);
    await cancelTurn(api, ack);
  });

  it('N7, invariant 41: of 200 racing nudges 32 are pending and the others are refused; one that is cancelled makes room', async () => {
    const ack = await busy();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        api.send('POST', pathOf(ack.session_id), { body: { content: `racer ${index}` } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(32);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(168);
    expect(
      await api.refused('nudge_queue_full', 'POST', pathOf(ack.session_id), { body: { content: 'more' } }),
    ).toEqual({ limit: 32 });
    const pending = await listed(ack.session_id, { status: 'pending' });
    expect(pending).toHaveLength(32);
    expect(new Set(pending.map(({ content }) => content)).size).toBe(32);
    await cancelNudge(ack.session_id, pending[0]?.id ?? '');
    await nudge(ack.session_id, 'fits');
    await api.refused('nudge_queue_full', 'POST', pathOf(ack.session_id), { body: { content: 'more' } });
    await cancelTurn(api, ack);
  });

  it('a repeat is answered also when the queue is full', async () => {
    const ack = await busy();
    const first = await nudge(ack.session_id, 'first', { idempotency_key: 'k' });
    await Promise.all(Array.from({ length: 31 }, (_, index) => nudge(ack.session_id, `n${index}`)));
    expect(await nudge(ack.session_id, 'first', { idempotency_key: 'k' })).toMatchObject({
      deduped: true,
      nudge_id: first.nudge_id,
    });
    await cancelTurn(api, ack);
  });

  it('L9: content of 1 to 32768 characters, a key of up to 255; metadata of up to 16 KiB (L11)', async () => {
    const ack = await busy();
    const refused = (body: object, invalid = true) =>
      api.refused('bad_request', 'POST', pathOf(ack.session_id), { body, invalid });
    await refused({});
    await refused({ content: '' });
    await refused({ content: 'x'.repeat(32_769) });
    await refused({ content: 'x', idempotency_key: 'k'.repeat(256) });
    await refused({ content: 'x', wake: 'yes' });
    await refused({ content: 'x', metadata: { big: 'x'.repeat(17_000) } }, false);
    expect(await listed(ack.session_id)).toEqual([]);
    const { nudge_id: id } = await nudge(ack.session_id, 'ü'.repeat(32_768), { idempotency_key: 'k'.repeat(255) });
    expect((await readNudge(ack.session_id, id)).content).toHaveLength(32_768);
    await cancelTurn(api, ack);
  });

  it('unknown sessions and nudges answer 404, callers who may only read 403', async () => {
    const ack = await busy();
    const { nudge_id: id } = await nudge(ack.session_id, 'one');
    const elsewhere = await createSession(api, agent.id, { mode: 'new' });
    await api.refused('not_found', 'POST', pathOf('ses_00000000000000000000000000'), { body: { content: 'x' } });
    for (const wrong of [`${pathOf(elsewhere.id)}/${id}`, `${pathOf(ack.session_id)}/nudge_nonsense`]) {
      await api.refused('not_found', 'GET', wrong);
      await api.refused('not_found', 'POST', `${wrong}/cancel`);
    }
    const viewer = await callerWith(api, 'Viewer');
    await viewer.refused('permission_denied', 'POST', pathOf(ack.session_id), { body: { content: 'x' } });
    await viewer.refused('permission_denied', 'POST', `${pathOf(ack.session_id)}/${id}/cancel`);
    await cancelTurn(api, ack);
  });
});

describe('nudges: a fresh turn', () => {
  it('SES3, S30: on an idle session the content is the text row of a turn that starts at once', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const ack = await nudge(id, 'hello there', { metadata: { from: 'test' }, idempotency_key: 'k' });
    expect(ack).toMatchObject({
      delivery: 'new_turn',
      status: 'delivered',
      woke_turn: false,
      deduped: false,
      after_sequence: 1,
      turn: { session_id: id },
    });
    expect((await settled(api, { session_id: id, turn_id: ack.turn.id })).status).toBe('completed');
    const rows = await allRows(api, id);
    expect(rows.map((row) => said(row))).toEqual(['hello there', 'You said: hello there']);
    expect(rows[0]).toMatchObject({
      role: 'user',
      content: [text('hello there')],
      sequence: 1,
      turn_id: ack.turn.id,
      metadata: { from: 'test', session_nudge_id: ack.nudge_id },
    });
    expect(await readNudge(id, ack.nudge_id)).toMatchObject({
      status: 'delivered',
      delivery: 'new_turn',
      turn: { id: ack.turn.id, status: 'completed' },
      delivered_at: expect.any(String) as string,
      cancelled_at: null,
    });
    expect(await nudge(id, 'hello there', { idempotency_key: 'k' })).toMatchObject({
      deduped: true,
      nudge_id: ack.nudge_id,
      delivery: 'new_turn',
      turn: { id: ack.turn.id },
      after_sequence: 1,
    });
    expect(await allRows(api, id)).toHaveLength(2);
  });

  it('T22: its turn is direct: another start is refused while it is open', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const ack = await nudge(id, endlessScript);
    await reaches(api, { session_id: id, turn_id: ack.turn.id }, 'running');
    expect(
      await api.refused('session_turn_active', 'POST', `/v1/sessions/${id}/turns`, {
        body: { input: { content: [text('x')] } },
      }),
    ).toEqual({ turn_id: ack.turn.id, status: 'running' });
    expect((await nudge(id, 'second')).delivery).toBe('current_turn');
    await cancelTurn(api, { session_id: id, turn_id: ack.turn.id });
  });

  it('of twenty racing nudges of an idle session one starts the turn, and every one becomes one row', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const acks = await Promise.all(Array.from({ length: 20 }, (_, index) => nudge(id, `n${index}`)));
    await quiet(id);
    expect((await allRows(api, id)).map(nudgeOf).filter(Boolean).sort()).toEqual(
      acks.map((ack) => ack.nudge_id).sort(),
    );
    for (const ack of acks) expect((await readNudge(id, ack.nudge_id)).status).toBe('delivered');
  });

  it('an archived session and an inactive agent start no turn', async () => {
    const idle = await createAgent(api, { name: unique('idle') });
    const { id } = await createSession(api, idle.id, { mode: 'new' });
    await api.patch(`/v1/sessions/${id}`, { status: 'archived' });
    await api.refused('session_not_active', 'POST', pathOf(id), { body: { content: 'x' } });
    await api.patch(`/v1/sessions/${id}`, { status: 'active' });
    await api.patch(`/v1/agents/${idle.id}`, { status: 'inactive' });
    await api.refused('agent_inactive', 'POST', pathOf(id), { body: { content: 'x' } });
    expect(await listed(id)).toEqual([]);
    expect(await allRows(api, id)).toEqual([]);
  });
});

describe('nudges: safe boundaries', () => {
  it('S29, N12: it is taken in after tool results as a visible reminder row, and the turn goes on', async () => {
    const ack = await busy(
      script({ wait_ms: await timeFor(api, 16) }, { call: { name: 'none', input: {} } }, { read: 'last_user' }),
    );
    const queued = await nudge(ack.session_id, 'turn right', { metadata: { a: 1 } });
    expect((await settled(api, ack)).status).toBe('completed');
    const rows = await allRows(api, ack.session_id);
    expect(rows.map((row) => row.content[0]?.type)).toEqual(['text', 'tool_use', 'tool_result', 'reminder', 'text']);
    expect(rows[3]).toMatchObject({
      role: 'user',
      content: reminder('turn right'),
      turn_id: ack.turn_id,
      metadata: { a: 1, session_nudge_id: queued.nudge_id },
    });
    expect(said(rows[4])).toBe('turn right');
    const record = await readNudge(ack.session_id, queued.nudge_id);
    expect(record).toMatchObject({
      status: 'delivered',
      delivery: 'current_turn',
      turn: { id: ack.turn_id, status: 'completed' },
    });
    expect(Date.parse(record.delivered_at ?? '')).toBeGreaterThanOrEqual(Date.parse(record.created_at));
  });

  it('SES3: the last boundary takes one in right before the turn would complete', async () => {
    const ack = await busy(script({ wait_ms: await timeFor(api, 16) }, { say: 'done' }));
    const queued = await nudge(ack.session_id, 'wait, also this');
    await settled(api, ack);
    const rows = await allRows(api, ack.session_id);
    expect(rows.map((row) => row.content[0]?.type)).toEqual(['text', 'text', 'reminder', 'text']);
    expect(rows[2]?.metadata).toEqual({ session_nudge_id: queued.nudge_id });
    expect(said(rows[3])).toBe('You said: wait, also this');
    expect(rows.every((row) => row.turn_id === ack.turn_id)).toBe(true);
  });

  it('rule LIM4, invariant 44: one a boundary, the oldest first, through a queue of 32', async () => {
    const ack = await busy(script({ wait_ms: await timeFor(api, 40) }, { say: 'first' }));
    const ids: string[] = [];
    for (let index = 0; index < 32; index += 1) ids.push((await nudge(ack.session_id, `n${index}`)).nudge_id);
    const turn = await settled(api, ack);
    expect(turn.usage?.calls).toBe(33);
    const rows = await allRows(api, ack.session_id);
    expect(rows.filter(nudgeOf).map(nudgeOf)).toEqual(ids);
    expect(rows.slice(1).map((row) => row.role)).toEqual(['assistant', ...ids.flatMap(() => ['user', 'assistant'])]);
    expect(await listed(ack.session_id, { status: 'pending' })).toEqual([]);
  });

  it('N11: a queued turn takes nudges too', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const [start, queued] = await Promise.all([
      startTurn(api, id, script({ wait_ms: await timeFor(api, 4) }, { say: 'x' })),
      eventually('a turn', async () => {
        const turns = (await api.get<Page<Turn>>(`/v1/sessions/${id}/turns`)).items;
        return turns.length > 0 ? nudge(id, 'early') : null;
      }),
    ]);
    expect(queued).toMatchObject({ delivery: 'current_turn', turn: { id: start.turn_id } });
    await settled(api, start);
    expect((await allRows(api, id)).map(nudgeOf).filter(Boolean)).toEqual([queued.nudge_id]);
  });

  it('invariant 43: nudges that race with the end of the turn become exactly one row each, where the acknowledgement said', async () => {
    for (let round = 0; round < 15; round += 1) {
      const ack = await invoke(api, agent.id, script({ wait_ms: round * 2 }, { say: 'x' }));
      const acks = await Promise.all(Array.from({ length: 4 }, (_, index) => nudge(ack.session_id, `n${index}`)));
      await quiet(ack.session_id);
      const rows = await allRows(api, ack.session_id);
      for (const queued of acks) {
        const found = rows.filter((row) => nudgeOf(row) === queued.nudge_id);
        expect(found).toHaveLength(1);
        const record = await readNudge(ack.session_id, queued.nudge_id);
        expect(record).toMatchObject({ status: 'delivered', turn: { id: found[0]?.turn_id } });
        expect(found[0]?.content[0]?.type).toBe(record.delivery === 'new_turn' ? 'text' : 'reminder');
        expect({ delivery: record.delivery, turn: record.turn.id }).toEqual({
          delivery: queued.delivery,
          turn: queued.turn.id,
        });
      }
    }
  });
});

describe('nudges: when the turn ends badly', () => {
  it('N3, T19: a cancel of the turn cancels its nudges, and they go nowhere', async () => {
    const ack = await busy();
    const ids = [
      (await nudge(ack.session_id, 'CANARY-1')).nudge_id,
      (await nudge(ack.session_id, 'CANARY-2')).nudge_id,
    ];
    await cancelTurn(api, ack);
    for (const id of ids)
      expect(await readNudge(ack.session_id, id)).toMatchObject({
        status: 'cancelled',
        delivered_at: null,
        cancelled_at: expect.any(String) as string,
        turn: { id: ack.turn_id, status: 'cancelled' },
      });
    await settled(api, await startTurn(api, ack.session_id, 'next'));
    expect(JSON.stringify(await rowsWithContext(api, ack.session_id))).not.toContain('CANARY');
  });

  it('the same for a cancel of the session', async () => {
    const ack = await busy();
    const { nudge_id: id } = await nudge(ack.session_id, 'one');
    await api.post(`/v1/sessions/${ack.session_id}/cancel`, undefined, 200);
    expect((await readNudge(ack.session_id, id)).status).toBe('cancelled');
    expect(await quiet(ack.session_id)).toHaveLength(1);
  });

  it('N5, invariant 43: nudges of a turn that fails become a fresh turn: the oldest its input, the others at its boundaries', async () => {
    const ack = await busy(
      script({ wait_ms: await timeFor(api, 16) }, { error: { type: 'model_error', message: 'broken' } }),
    );
    const acks = [
      await nudge(ack.session_id, 'one', { idempotency_key: 'k' }),
      await nudge(ack.session_id, 'two'),
      await nudge(ack.session_id, 'three'),
    ];
    expect(acks.every(({ delivery }) => delivery === 'current_turn')).toBe(true);
    expect((await settled(api, ack)).status).toBe('failed');
    const turns = await quiet(ack.session_id);
    expect(turns.map((turn) => turn.status)).toEqual(['failed', 'completed']);
    const rows = (await allRows(api, ack.session_id)).slice(1);
    expect(rows.map((row) => [row.role, row.content[0]?.type])).toEqual([
      ['user', 'text'],
      ['assistant', 'text'],
      ['user', 'reminder'],
      ['assistant', 'text'],
      ['user', 'reminder'],
      ['assistant', 'text'],
    ]);
    expect(rows.map(nudgeOf).filter(Boolean)).toEqual(acks.map((one) => one.nudge_id));
    expect(rows.every((row) => row.turn_id === turns[1]?.id)).toBe(true);
    expect(rows.map((row) => said(row))).toMatchObject([
      'one',
      'You said: one',
      '',
      'You said: two',
      '',
      'You said: three',
    ]);
    const records = await listed(ack.session_id);
    expect(records.map(({ status, delivery, turn }) => [status, delivery, turn.id])).toEqual([
      ['delivered', 'new_turn', turns[1]?.id],
      ['delivered', 'current_turn', turns[1]?.id],
      ['delivered', 'current_turn', turns[1]?.id],
    ]);
    expect(await nudge(ack.session_id, 'one', { idempotency_key: 'k' })).toMatchObject({
      deduped: true,
      nudge_id: acks[0]?.nudge_id,
      delivery: 'current_turn',
      status: 'delivered',
      after_sequence: acks[0]?.after_sequence,
    });
  });

  it('L6: the fresh turn of a nudge has the time of the agent, not that of the operation that ran out', async () => {
    const timed = await createAgent(api, { timeout_seconds: 300 });
    const ack = await invoke(api, timed.id, script({ wait_ms: 60_000 }), { operation: { timeout_seconds: 2 } });
    expect(await nudge(ack.session_id, 'and now?')).toMatchObject({ delivery: 'current_turn' });
    const [failed, fresh] = await quiet(ack.session_id);
    expect(failed).toMatchObject({ status: 'failed', error_type: 'timeout', effective_timeout_seconds: 2 });
    expect(fresh).toMatchObject({ status: 'completed', effective_timeout_seconds: 300 });
  });

  it('the same when the time budget ends the turn', async () => {
    const ack = await invoke(api, agent.id, endlessScript, { operation: { timeout_seconds: 1 } });
    const queued = await nudge(ack.session_id, 'still here?');
    await settled(api, ack);
    const turns = await quiet(ack.session_id);
    expect(turns.map((turn) => turn.error_type ?? turn.status)).toEqual(['timeout', 'completed']);
    expect(await readNudge(ack.session_id, queued.nudge_id)).toMatchObject({
      status: 'delivered',
      delivery: 'new_turn',
      turn: { id: turns[1]?.id },
    });
  });
});

describe('nudges: cancel', () => {
  it('N3, N8: a pending one is cancelled, twice the same answer, and it is never delivered', async () => {
    const ack = await busy(script({ wait_ms: await timeFor(api, 16) }, { say: 'done' }));
    const kept = await nudge(ack.session_id, 'kept');
    const dropped = await nudge(ack.session_id, 'CANARY', { idempotency_key: 'k' });
    const cancelled = await cancelNudge(ack.session_id, dropped.nudge_id);
    expect(cancelled).toMatchObject({
      id: dropped.nudge_id,
      status: 'cancelled',
      delivered_at: null,
      cancelled_at: expect.any(String) as string,
    });
    expect(await cancelNudge(ack.session_id, dropped.nudge_id)).toEqual(cancelled);
    expect(await nudge(ack.session_id, 'CANARY', { idempotency_key: 'k' })).toMatchObject({
      deduped: true,
      nudge_id: dropped.nudge_id,
      status: 'cancelled',
    });
    await settled(api, ack);
    const rows = await allRows(api, ack.session_id);
    expect(rows.map(nudgeOf).filter(Boolean)).toEqual([kept.nudge_id]);
    expect(JSON.stringify(rows)).not.toContain('CANARY');
  });

  it('N8: too late is refused with the nudge', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const ack = await nudge(id, 'at once');
    const details = await api.refused('nudge_already_delivered', 'POST', `${pathOf(id)}/${ack.nudge_id}/cancel`);
    expect(details['nudge']).toMatchObject({ id: ack.nudge_id, status: 'delivered', delivery: 'new_turn' });
    await quiet(id);
  });

  it('invariant 45: of cancel and delivery exactly one wins', async () => {
    for (let round = 0; round < 25; round += 1) {
      const ack = await invoke(api, agent.id, script({ wait_ms: round * 2 }, { say: 'x' }));
      const queued = await nudge(ack.session_id, `n${round}`);
      const answer = await api.send('POST', `${pathOf(ack.session_id)}/${queued.nudge_id}/cancel`);
      await quiet(ack.session_id);
      const rows = (await allRows(api, ack.session_id)).filter((row) => nudgeOf(row) === queued.nudge_id);
      const { status } = await readNudge(ack.session_id, queued.nudge_id);
      expect([answer.status, rows.length, status]).toEqual(
        answer.status === 200 ? [200, 0, 'cancelled'] : [409, 1, 'delivered'],
      );
    }
  });
});

describe('nudges: list and signals', () => {
  it('N10, G5: creation order, filters that repeat, pages from either end', async () => {
    const wait_ms = await timeFor(api, 12);
    const ack = await busy(script({ wait_ms }, { call: { name: 'none', input: {} } }, { wait_ms: 600_000 }));
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await nudge(ack.session_id, `n${index}`)).nudge_id);
    await cancelNudge(ack.session_id, ids[1] ?? '');
    await eventually(
      'the first delivery',
      async () => (await readNudge(ack.session_id, ids[0] ?? '')).status === 'delivered',
    );
    const found = async (query: Record<string, string | string[]>) =>
      (await listed(ack.session_id, query)).map(({ id }) => id);
    expect(await found({})).toEqual(ids);
    expect(await found({ status: 'pending' })).toEqual(ids.slice(2));
    expect(await found({ status: ['cancelled', 'delivered'] })).toEqual(ids.slice(0, 2));
    for (const [order, expected] of [
      ['asc', ids],
      ['desc', [ids[3], ids[4], ids[1], ids[2], ids[0]]],
    ] as const) {
      const seen: string[] = [];
      for (let cursor: string | undefined, more = true; more;) {
        const page: Page<Nudge> = await api.get<Page<Nudge>>(pathOf(ack.session_id), { limit: 2, order, cursor });
        seen.push(...page.items.map(({ id }) => id));
        more = page.has_more;
        cursor = page.next_cursor ?? undefined;
      }
      expect(seen).toEqual(expected);
    }
    await api.refused('invalid_cursor', 'GET', pathOf(ack.session_id), { query: { cursor: 'nonsense' } });
    await api.refused('bad_request', 'GET', pathOf(ack.session_id), { query: { status: 'unknown' }, invalid: true });
    await cancelTurn(api, ack);
  });

  it('F9: v1 tells when one is queued, delivered and cancelled; the delivered row is a user.message', async () => {
    const ack = await busy(script({ wait_ms: await timeFor(api, 16) }, { say: 'done' }));
    const stream = await v1(api, ack.session_id);
    await stream.until('the running turn', ({ event }) => event === 'turn.upsert');
    const first = await nudge(ack.session_id, 'first');
    const second = await nudge(ack.session_id, 'second');
    await cancelNudge(ack.session_id, second.nudge_id);
    await stream.over();
    const signals = stream.frames.filter(({ event }) => event.startsWith('nudge.'));
    expect(signals.map(({ event, data }) => [event, data['nudge_id'], data['status']])).toEqual([
      ['nudge.queued', first.nudge_id, 'pending'],
      ['nudge.queued', second.nudge_id, 'pending'],
      ['nudge.cancelled', second.nudge_id, 'cancelled'],
      ['nudge.delivered', first.nudge_id, 'delivered'],
    ]);
    const row = stream
      .of('user.message')
      .find(
        ({ data }) =>
          (data['metadata'] as Record<string, unknown> | undefined)?.['session_nudge_id'] === first.nudge_id,
      );
    expect(row?.data['content']).toEqual(reminder('first'));
    expect((await readTurn(api, ack)).status).toBe('completed');
  });
});
