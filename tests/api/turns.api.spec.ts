import {
  type Agent,
  Client,
  endlessScript,
  finalStatuses,
  type Page,
  type Session,
  type Turn,
  type TurnAck,
  allRows,
  cancelTurn,
  converse,
  createAgent,
  createSession,
  invoke,
  invokeBody,
  reaches,
  readTurn,
  said,
  script,
  settled,
  startTurn,
  text,
  unique,
  timeFor,
} from '../harness/index.js';

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('turns') });
});

describe('turns: start', () => {
  it('T1: the seed body and the flat body start a turn; both at once are refused', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    await settled(api, await startTurn(api, id, 'seed form'));
    await settled(
      api,
      await api.post<TurnAck>(
        `/v1/sessions/${id}/turns`,
        {
          role: 'user',
          content: [text('flat form')],
          idempotency_key: 'flat',
          context: [{ name: 'board', content: 'v' }],
        },
        202,
      ),
    );
    expect((await allRows(api, id)).map((row) => said(row))).toEqual([
      'seed form',
      'You said: seed form',
      'flat form',
      'You said: flat form',
    ]);
    await api.refused('bad_request', 'POST', `/v1/sessions/${id}/turns`, {
      body: { input: { content: [text('a')] }, content: [text('b')] },
      invalid: true,
    });
    await api.refused('bad_request', 'POST', `/v1/sessions/${id}/turns`, { body: {}, invalid: true });
  });

  it('T1: a member of the flat form beside input is refused, since nothing would come of it', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const beside = {
      idempotency_key: 'k',
      context: [{ name: 'board', content: 'v' }],
      metadata: { a: 1 },
      role: 'user',
    };
    for (const [member, value] of Object.entries(beside))
      expect(
        await api.refused('bad_request', 'POST', `/v1/sessions/${id}/turns`, {
          body: { input: { content: [text('a')] }, [member]: value },
        }),
      ).toEqual({ issues: [{ path: `/${member}`, message: 'is of the flat form: not beside input' }] });
    expect(await allRows(api, id)).toEqual([]);
  });

  it('T2, T3: 202 with session, turn, ids, status queued and both cursors', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const ack = await startTurn(api, id, 'hello', 'k');
    expect(ack).toMatchObject({
      session_id: id,
      turn_id: ack.turn.id,
      status: 'queued',
      deduped: false,
      session: { id },
      turn: { status: 'queued', phase: 'queued', attempt: 1, session_id: id, agent_id: agent.id },
    });
    expect(ack.user_message).toMatchObject({
      role: 'user',
      status: 'final',
      content: [text('hello')],
      turn_id: ack.turn_id,
      sequence: ack.after_sequence,
    });
    expect(ack.turn_id).toMatch(/^turn_[0-9a-z]{20,}$/);
  });

  it('T4, T5: after_sequence is the input row; both cursors are the same on every repeat', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const ack = await startTurn(api, id, 'hello', 'k');
    await settled(api, ack);
    const repeat = await startTurn(api, id, 'hello', 'k');
    expect(repeat).toMatchObject({
      after_sequence: ack.after_sequence,
      resume_cursor: ack.resume_cursor,
      deduped: true,
      turn_id: ack.turn_id,
    });
    expect((await allRows(api, id)).find((row) => row.sequence === ack.after_sequence)?.role).toBe('user');
  });

  it('T6, SES1: a repeat with changed content gives the first turn and its content goes nowhere', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const ack = await startTurn(api, id, 'first', 'k');
    const repeat = await startTurn(api, id, 'CANARY-changed', 'k');
    expect(repeat).toMatchObject({ turn_id: ack.turn_id, deduped: true });
    expect(said(repeat.user_message)).toBe('first');
    await settled(api, ack);
    expect(JSON.stringify(await allRows(api, id))).not.toContain('CANARY');
  });

  it('T8: a turn is queued, then running, then completed, and phase follows while open (T11)', async () => {
    const ack = await invoke(api, agent.id, script({ wait_ms: await timeFor(api, 6) }, { say: 'x' }));
    expect(await reaches(api, ack, 'running')).toMatchObject({ phase: 'running' });
    const turn = await settled(api, ack);
    expect(turn).toMatchObject({ status: 'completed', phase: null, completed_at: expect.any(String) as string });
    expect(turn).not.toHaveProperty('wait');
    expect(Date.parse(turn.completed_at ?? '')).toBeGreaterThanOrEqual(Date.parse(turn.created_at));
  });

  it('T15: the record has its fields; effective_timeout_seconds follows agent and operation (L6)', async () => {
    const { turn } = await converse(api, agent.id, 'hi');
    expect(turn).toMatchObject({ attempt: 1, effective_timeout_seconds: 600 });
    const timed = await createAgent(api, { timeout_seconds: 30 });
    expect((await invoke(api, timed.id, 'hi')).turn.effective_timeout_seconds).toBe(30);
    expect(
      (await invoke(api, timed.id, 'hi', { operation: { timeout_seconds: 7 } })).turn.effective_timeout_seconds,
    ).toBe(7);
    for (const timeout_seconds of [0, 86_401]) {
      await api.refused('bad_request', 'POST', '/v1/agents/invoke', {
        body: { ...invokeBody(agent.id, 'x'), operation: { timeout_seconds } },
        invalid: true,
      });
    }
  });

  it('an unknown session or turn answers 404', async () => {
    await api.refused('not_found', 'POST', '/v1/sessions/ses_00000000000000000000000000/turns', {
      body: { input: { content: [text('x')] } },
    });
    const { ack } = await converse(api, agent.id, 'hi');
    await api.refused('not_found', 'GET', `/v1/sessions/${ack.session_id}/turns/turn_00000000000000000000000000000000`);
    const other = await createSession(api, agent.id, { mode: 'new' });
    await api.refused('not_found', 'GET', `/v1/sessions/${other.id}/turns/${ack.turn_id}`);
  });
});

describe('turns: one open direct turn', () => {
  it('T22, T23: an overlapping start is refused with the open turn, and after the end it is admitted', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const ack = await startTurn(api, id, endlessScript);
    await reaches(api, ack, 'running');
    expect(
      await api.refused('session_turn_active', 'POST', `/v1/sessions/${id}/turns`, {
        body: { input: { content: [text('CANARY')], idempotency_key: 'other' } },
      }),
    ).toEqual({ turn_id: ack.turn_id, status: 'running' });
    await cancelTurn(api, ack);
    await settled(api, await startTurn(api, id, 'after'));
    expect(JSON.stringify(await allRows(api, id, { include: 'context' }))).not.toContain('CANARY');
  });

  it('invariants 7, 8: of twenty racing starts with different keys one wins, and nothing of the others is kept', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        api.send('POST', `/v1/sessions/${id}/turns`, {
          body: {
            input: {
              content: [text(JSON.stringify({ script: [{ wait_ms: 600_000 }], who: `racer-${index}` }))],
              idempotency_key: `key-${index}`,
              context: [{ name: `ctx-${index}`, content: 'v' }],
            },
          },
        }),
      ),
    );
    const winners = answers.filter((answer) => answer.status === 202).map((answer) => answer.body as TurnAck);
    expect(winners).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
    const rows = await allRows(api, id, { include: 'context' });
    expect(rows).toHaveLength(2);
    expect((await api.get<Page<Turn>>(`/v1/sessions/${id}/turns`)).items).toHaveLength(1);
    await cancelTurn(api, winners[0] as TurnAck);
  });
});

describe('turns: cancel', () => {
  it('a running turn becomes cancelled, without usage (T14); a repeat returns the same turn', async () => {
    const ack = await invoke(api, agent.id, endlessScript);
    await reaches(api, ack, 'running');
    const cancelled = await cancelTurn(api, ack);
    expect(cancelled).toMatchObject({ id: ack.turn_id, status: 'cancelled', phase: null });
    expect(cancelled).not.toHaveProperty('usage');
    expect(await cancelTurn(api, ack)).toEqual(cancelled);
    expect(await readTurn(api, ack)).toEqual(cancelled);
  });

  it('invariant 14: twenty racing cancels give one body', async () => {
    const ack = await invoke(api, agent.id, endlessScript);
    const turns = await Promise.all(Array.from({ length: 20 }, () => cancelTurn(api, ack)));
    expect(new Set(turns.map((turn) => JSON.stringify(turn))).size).toBe(1);
    expect(turns[0]?.status).toBe('cancelled');
  });

  it('T18, invariant 12: the first final state wins a race of cancels with completion', async () => {
    for (let round = 0; round < 10; round += 1) {
      const ack = await invoke(api, agent.id, script({ wait_ms: round * 3 }, { say: 'done' }));
      const seen = await Promise.all(Array.from({ length: 5 }, () => cancelTurn(api, ack)));
      const final = await settled(api, ack);
      expect(new Set(seen.map((turn) => turn.status))).toEqual(new Set([final.status]));
      expect(await readTurn(api, ack)).toEqual(final);
    }
  });

  it('T18: cancel after completion returns the completed turn', async () => {
    const { ack, turn } = await converse(api, agent.id, 'hi');
    expect(await cancelTurn(api, ack)).toEqual(turn);
  });

  it('rule TT1: committed rows stay; nothing live-only is kept, also not as a partial (T20)', async () => {
    const ack = await invoke(api, agent.id, script({ say: 'PREVIEW-ONLY' }, { wait_ms: 600_000 }, { say: 'late' }));
    await reaches(api, ack, 'running');
    await cancelTurn(api, ack);
    const rows = await allRows(api, ack.session_id, { include_terminal_partials: true, include: 'context' });
    expect(rows.map((row) => row.role)).toEqual(['user']);
    expect(rows[0]?.id).toBe(ack.user_message?.id);
  });

  it('rule TT3: a repeat of the original key gives the cancelled turn and never resumes it', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const ack = await startTurn(api, id, endlessScript, 'k');
    await cancelTurn(api, ack);
    const repeat = await startTurn(api, id, endlessScript, 'k');
    expect(repeat).toMatchObject({ turn_id: ack.turn_id, status: 'cancelled', deduped: true });
    expect(await allRows(api, id)).toHaveLength(1);
  });

  it('session cancel ends every open turn and gives the session back', async () => {
    const ack = await invoke(api, agent.id, endlessScript);
    expect(await api.post<Session>(`/v1/sessions/${ack.session_id}/cancel`, undefined, 200)).toMatchObject({
      id: ack.session_id,
    });
    expect((await readTurn(api, ack)).status).toBe('cancelled');
    await settled(api, await startTurn(api, ack.session_id, 'next'));
  });

  it('invariant 16: a race of session cancel and a start has a serial order', async () => {
    const first = await invoke(api, agent.id, endlessScript);
    const next = { body: { input: { content: [text(endlessScript)] } } };
    const [, started] = await Promise.all([
      api.post(`/v1/sessions/${first.session_id}/cancel`, undefined, 200),
      api.send('POST', `/v1/sessions/${first.session_id}/turns`, next),
    ]);
    expect((await readTurn(api, first)).status).toBe('cancelled');
    if (started.status === 202) {
      const later = started.body as TurnAck;
      expect(finalStatuses.includes((await readTurn(api, later)).status)).toBe(false);
      await cancelTurn(api, later);
    } else expect(started.status).toBe(409);
  });
});

describe('turns: failure and time', () => {
  it('T12, T14: a scripted error fails the turn with its type, message and no usage', async () => {
    const { turn } = await converse(
      api,
      agent.id,
      script({ say: 'half' }, { error: { type: 'model_unavailable', message: 'gone fishing' } }),
    );
    expect(turn).toMatchObject({
      status: 'failed',
      phase: null,
      error_type: 'model_unavailable',
      error_message: expect.stringContaining('gone fishing') as string,
    });
    expect(turn).not.toHaveProperty('usage');
    expect(turn).not.toHaveProperty('error_scope');
  });

  it('T20: a failed turn keeps its finished blocks as hidden partial rows', async () => {
    const { ack } = await converse(
      api,
      agent.id,
      script({ think: 'hm' }, { say: 'half' }, { error: { type: 'model_error', message: 'x' } }),
    );
    expect((await allRows(api, ack.session_id)).map((row) => row.role)).toEqual(['user']);
    const partial = (await allRows(api, ack.session_id, { include_terminal_partials: true })).filter(
      (row) => row.role === 'assistant',
    );
    expect(partial).toHaveLength(1);
    expect(partial[0]?.metadata).toMatchObject({ partial: true, terminal_outcome: 'failed' });
    expect(partial[0]?.content).toEqual([{ type: 'thinking', thinking: 'hm' }, text('half')]);
    await settled(api, await startTurn(api, ack.session_id, script({ read: 'last_user' })));
  });

  it('rule T20: a turn that runs out of time keeps its finished blocks too, and an answer that was committed stands once', async () => {
    const seconds = async () => Math.ceil((await timeFor(api, 10)) / 1_000);
    const steps = script(
      { say: 'first' },
      { call: { name: 'none', input: {} } },
      { think: 'hm' },
      { say: 'half' },
      { wait_ms: 600_000 },
      { say: 'late' },
    );
    const { ack, turn } = await converse(api, agent.id, steps, { operation: { timeout_seconds: await seconds() } });
    expect(turn).toMatchObject({ status: 'failed', error_type: 'timeout' });
    const all = await allRows(api, ack.session_id, { include_terminal_partials: true });
    const shown = await allRows(api, ack.session_id);
    expect(shown.map((row) => row.role)).toEqual(['user', 'assistant', 'user']);
    expect(all).toHaveLength(4);
    expect(all[3]).toMatchObject({
      role: 'assistant',
      metadata: { partial: true, terminal_outcome: 'failed' },
      content: [{ type: 'thinking', thinking: 'hm' }, text('half')],
    });
    const next = await converse(api, agent.id, script({ read: 'last_user' }), {
      session: { session_key: ack.session.session_key },
    });
    expect(next.turn.status).toBe('completed');
    const during = await converse(api, agent.id, script({ call: { name: 'none', input: {} } }, { wait_ms: 600_000 }), {
      operation: { timeout_seconds: await seconds() },
    });
    expect(
      (await allRows(api, during.ack.session_id, { include_terminal_partials: true })).map((row) => row.role),
    ).toEqual(['user', 'assistant', 'user']);
  });

  it('L6: the time budget ends a turn with type timeout and scope agent_turn (T12)', async () => {
    const { turn } = await converse(api, agent.id, script({ wait_ms: 30_000 }, { say: 'late' }), {
      operation: { timeout_seconds: 1 },
    });
    expect(turn).toMatchObject({
      status: 'failed',
      error_type: 'timeout',
      error_scope: 'agent_turn',
      effective_timeout_seconds: 1,
    });
    const took = Date.parse(turn.completed_at ?? '') - Date.parse(turn.created_at);
    expect(took).toBeGreaterThanOrEqual(1000);
    expect(took).toBeLessThan(8000);
  });

  it('INV1: a repeat after a failure gives the failed turn', async () => {
    const { ack } = await converse(api, agent.id, script({ error: { type: 'model_error', message: 'x' } }), {
      session: { session_key: unique('k') },
      key: 'k',
    });
    expect(
      await invoke(api, agent.id, 'again', { session: { session_key: ack.session.session_key }, key: 'k' }),
    ).toMatchObject({ deduped: true, turn_id: ack.turn_id, status: 'failed' });
  });

  it('a failed or cancelled turn does not stop the next one', async () => {
    const { ack } = await converse(api, agent.id, script({ error: { type: 'model_error', message: 'x' } }));
    const next = await settled(api, await startTurn(api, ack.session_id, 'still there?'));
    expect(next.status).toBe('completed');
    expect(said((await allRows(api, ack.session_id)).at(-1))).toBe('You said: still there?');
  });
});

describe('turns: usage', () => {
  it('counters are those of the calls, zero ones are omitted (T13)', async () => {
    const { turn } = await converse(
      api,
      agent.id,
      script(
        {
          usage: {
            input_tokens: 100,
            output_tokens: 20,
            cache_read_input_tokens: 30,
            cache_creation_input_tokens: 7,
            reasoning_tokens: 5,
          },
        },
        { say: 'x' },
      ),
    );
    expect(turn.usage).toEqual({
      input_tokens: 100,
      output_tokens: 20,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 7,
      reasoning_tokens: 5,
      calls: 1,
    });
    const { turn: plain } = await converse(
      api,
      agent.id,
      script({ usage: { input_tokens: 4, output_tokens: 0, reasoning_tokens: 0 } }, { say: 'x' }),
    );
    expect(plain.usage).toEqual({ input_tokens: 4, calls: 1 });
  });

  it('invariant 19: usage is the sum over all model calls', async () => {
    const call = (index: number) => [
      { usage: { input_tokens: 10 * index, output_tokens: index, cache_read_input_tokens: 1 } },
      { call: { name: 'no_such_tool', input: {} } },
    ];
    const { ack, turn } = await converse(
      api,
      agent.id,
      script(...call(1), ...call(2), { usage: { input_tokens: 5, output_tokens: 5 } }, { say: 'end' }),
    );
    expect(turn.usage).toEqual({ input_tokens: 35, output_tokens: 8, cache_read_input_tokens: 2, calls: 3 });
    const session = await api.get<Session>(`/v1/sessions/${ack.session_id}`);
    expect(session).toMatchObject({
      token_input_total: 35,
      token_output_total: 8,
      cache_read_input_total: 2,
      cache_creation_input_total: 0,
    });
    const listed = (await api.get<Page<Turn>>(`/v1/sessions/${ack.session_id}/turns`)).items[0];
    expect(listed?.usage).toEqual(turn.usage);
  });

  it('S33: with nothing new for the model the turn completes without a call and usage {}', async () => {
    const { ack, turn } = await converse(api, agent.id, [{ type: 'file', file_id: 'f' }, text('with it')]);
    expect(ack).not.toHaveProperty('user_message');
    expect(turn).toMatchObject({ status: 'completed', usage: {} });
    expect(await allRows(api, ack.session_id)).toEqual([]);
    expect(ack.after_sequence).toBe(0);
  });
});

describe('turns: list', () => {
  it('T17, G5: oldest first, ids pick exactly those, order=desc takes the newest end in ascending rows', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const ack = await startTurn(api, id, `turn ${index}`);
      await settled(api, ack);
      ids.push(ack.turn_id);
    }
    const path = `/v1/sessions/${id}/turns`;
    const listed = async (query: Record<string, string | number | string[] | undefined>) =>
      (await api.get<Page<Turn>>(path, query)).items.map((turn) => turn.id);
    expect(await listed({})).toEqual(ids);
    expect(await listed({ limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await listed({ limit: 2, order: 'desc' })).toEqual(ids.slice(3));
    expect((await listed({ ids: [ids[3] ?? '', ids[1] ?? ''], limit: 1 })).sort()).toEqual([ids[1], ids[3]].sort());
    for (const order of ['asc', 'desc']) {
      const seen: string[] = [];
      for (let cursor: string | undefined, more = true; more;) {
        const page: Page<Turn> = await api.get<Page<Turn>>(path, { limit: 2, order, cursor });
        seen.push(...page.items.map((turn) => turn.id));
        more = page.has_more;
        cursor = page.next_cursor ?? undefined;
      }
      expect(seen).toEqual(order === 'asc' ? ids : [ids[3], ids[4], ids[1], ids[2], ids[0]]);
    }
    await api.refused('invalid_cursor', 'GET', path, { query: { cursor: 'nonsense' } });
    expect(await readTurn(api, { session_id: id, turn_id: ids[0] ?? '' })).toEqual(
      (await api.get<Page<Turn>>(path)).items[0],
    );
  });
});
