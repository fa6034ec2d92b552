import {
  type Agent,
  Client,
  type Message,
  type Session,
  type Turn,
  type TurnAck,
  allRows,
  cancelTurn,
  converse,
  createAgent,
  endlessScript,
  eventually,
  finalStatuses,
  person,
  reaches,
  readTurn,
  said,
  script,
  settled,
  snapshotPages,
  startTurn,
  timeFor,
  unique,
  v1,
  v2,
} from '../harness/index.js';

interface Waiting extends Turn {
  wait?: { kind: string; interaction_id: string; tool_call_id: string; expires_at?: string };
}
interface NudgeAck {
  nudge_id: string;
  delivery: string;
  woke_turn: boolean;
  status: string;
  turn: Turn;
}

const api = Client.owner();
let agent: Agent;
let ann: { id: string; client: Client };

beforeAll(async () => {
  agent = await createAgent(api, {
    name: unique('waits'),
    action_selectors: [{ selector_type: 'exact', selector: 'svc.event.wait' }],
  });
  ann = await person(api);
});

const nudge = (sessionId: string, content: string, more: object = {}): Promise<NudgeAck> =>
  api.post<NudgeAck>(`/v1/sessions/${sessionId}/nudges`, { content, ...more }, 202);
const respond = (id: string): Promise<unknown> =>
  ann.client.post(`/v1/interactions/${id}/respond`, { value: 'yes' }, 200);
const outcomes = async (sessionId: string): Promise<Message[]> =>
  (await allRows(api, sessionId)).filter(({ metadata }) => metadata?.['event_type'] === 'interaction.resolved');
const resultOf = (rows: Message[]): unknown =>
  rows.flatMap(({ content }) => content).find(({ type }) => type === 'tool_result')?.content;
const waitFor = (interactionId: string, ...after: object[]): string =>
  script({ call: { name: 'svc_event_wait', input: { interaction_id: interactionId } } }, ...after);

/** A question that was asked from a session, as its agent would. */
async function question(ack: TurnAck, more: object = {}): Promise<string> {
  const made = await api.post<{ id: string }>(
    '/v1/interactions',
    {
      kind: 'request_information',
      title: 'Shall we?',
      target_user_ids: [ann.id],
      ...more,
      consumer: {
        kind: 'agent_tool',
        agent_tool: { invocation_id: ack.turn_id, tool_call_id: 'call_1', session_id: ack.session_id },
      },
    },
    201,
  );
  return made.id;
}

/** A turn that waits for the answer to a question of its session. */
async function waiting(more: object = {}): Promise<{ ack: TurnAck; interactionId: string; turn: Waiting }> {
  const { ack: first } = await converse(api, agent.id, 'hello');
  const interactionId = await question(first, more);
  const ack = await startTurn(api, first.session_id, waitFor(interactionId, { say: 'after' }));
  return { ack, interactionId, turn: await reaches(api, ack, 'waiting') };
}

function quiet(sessionId: string): Promise<Turn[]> {
  return eventually('a quiet session', async () => {
    const turns = (await api.get<{ items: Turn[] }>(`/v1/sessions/${sessionId}/turns`, { limit: 100 })).items;
    return turns.every(({ status }) => finalStatuses.includes(status)) ? turns : null;
  });
}

describe('waits: svc_event_wait', () => {
  it('F19, F20: a large question that is open is whole in the snapshot, and first in the stream', async () => {
    const { ack } = await converse(api, agent.id, 'hello');
    const asked = { id: 'q', prompt: 'What?', mode: 'input', required: true, default_text: 'x'.repeat(70_000) };
    const id = await question(ack, { spec: { questions: [asked] } });
    await eventually('the question in the snapshot', async () => {
      const [page] = await snapshotPages(api, ack.session_id);
      return page?.interactions.some((one) => one.id === id);
    });
    const [page] = await snapshotPages(api, ack.session_id);
    expect(page?.interactions).toMatchObject([{ id, spec: { questions: [asked] } }]);
    const stream = await v2(api, ack.session_id);
    const frame = await stream.until('the question', ({ event }) => event === 'interaction.upsert');
    expect(frame.data).toMatchObject({ id, spec: { questions: [asked] } });
    stream.close();
  });

  it('T9, T10, T11: parks the turn, which tells what it waits for and still counts as open', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { ack, interactionId, turn } = await waiting({ expires_at: expires });
    expect(turn).toMatchObject({
      status: 'waiting',
      phase: 'waiting',
      wait: { kind: 'interaction', interaction_id: interactionId, tool_call_id: expect.any(String) as string },
    });
    expect(Date.parse(turn.wait?.expires_at ?? '')).toBe(Date.parse(expires));
    expect(
      await api.refused('session_turn_active', 'POST', `/v1/sessions/${ack.session_id}/turns`, {
        body: { input: { content: [{ type: 'text', text: 'x' }] } },
      }),
    ).toEqual({ turn_id: ack.turn_id, status: 'waiting' });
    await cancelTurn(api, ack);
  });

  it("S31, S32: the answer resumes it, and its row stands behind the call's result", async () => {
    const { ack, interactionId } = await waiting();
    await respond(interactionId);
    const turn = await settled(api, ack);
    expect(turn).toMatchObject({ status: 'completed', usage: { calls: 2 } });
    expect(turn).not.toHaveProperty('wait');
    const rows = (await allRows(api, ack.session_id)).filter((row) => row.turn_id === ack.turn_id);
    expect(rows.map((row) => row.content[0]?.type)).toEqual(['text', 'tool_use', 'tool_result', 'text', 'text']);
    expect(resultOf(rows)).toContain('interaction.resolved');
    expect(rows[3]?.metadata).toMatchObject({
      event_type: 'interaction.resolved',
      interaction_id: interactionId,
      event_projection: { title: 'Request answered' },
    });
    expect(said(rows[4])).toBe('after');
    expect(await outcomes(ack.session_id)).toHaveLength(1);
  });

  it('of a closed question it answers at once', async () => {
    const { ack: first } = await converse(api, agent.id, 'hello');
    const id = await question(first);
    await respond(id);
    await eventually('the outcome', async () => (await outcomes(first.session_id)).length > 0);
    await quiet(first.session_id);
    const ack = await startTurn(api, first.session_id, waitFor(id, { say: 'after' }));
    expect((await settled(api, ack)).status).toBe('completed');
    expect(
      JSON.stringify(resultOf((await allRows(api, ack.session_id)).filter((row) => row.turn_id === ack.turn_id))),
    ).toContain(id);
    expect(await outcomes(ack.session_id)).toHaveLength(1);
  });
});

describe('waits: nudges', () => {
  it.each([[false], [true]])(
    'SES3, N9: a nudge resumes it, with wake %s; the call is told that it was interrupted',
    async (wake) => {
      const { ack, interactionId } = await waiting();
      const stream = await v1(api, ack.session_id, { after_sequence: ack.after_sequence });
      const queued = await nudge(ack.session_id, 'do go on', { wake, idempotency_key: 'k' });
      expect(queued).toMatchObject({ delivery: 'current_turn', woke_turn: true, turn: { id: ack.turn_id } });
      expect((await settled(api, ack)).status).toBe('completed');
      const rows = (await allRows(api, ack.session_id)).filter((row) => row.turn_id === ack.turn_id);
      expect(rows.map((row) => row.content[0]?.type)).toEqual(['text', 'tool_use', 'tool_result', 'reminder', 'text']);
      expect(JSON.parse(String(resultOf(rows)))).toEqual({ interrupted: true, reason: 'user_direction' });
      expect(rows[3]?.metadata).toEqual({ session_nudge_id: queued.nudge_id });
      expect(await nudge(ack.session_id, 'do go on', { wake, idempotency_key: 'k' })).toMatchObject({
        nudge_id: queued.nudge_id,
        woke_turn: true,
        deduped: true,
        status: 'delivered',
      });
      await stream.over();
      const statuses = stream.of('turn.upsert').map(({ data }) => data['status']);
      expect(statuses.at(-1)).toBe('completed');
      expect((await api.get<{ status: string }>(`/v1/interactions/${interactionId}`)).status).toBe('pending');
    },
  );

  it('invariant 46: of racing nudges one resumes it, and all of them are delivered', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { ack } = await waiting();
      const acks = await Promise.all(
        Array.from({ length: 10 }, (_, index) => nudge(ack.session_id, `n${index}`, { wake: index % 2 === 0 })),
      );
      expect(acks.filter((one) => one.woke_turn)).toHaveLength(1);
      await quiet(ack.session_id);
      const rows = await allRows(api, ack.session_id);
      expect(
        rows
          .map(({ metadata }) => metadata?.['session_nudge_id'])
          .filter(Boolean)
          .sort(),
      ).toEqual(acks.map((one) => one.nudge_id).sort());
      expect(rows.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result')).toHaveLength(1);
    }
  });

  it('invariant 46: answer and nudge race: it resumes once, and both arrive', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { ack, interactionId } = await waiting();
      const [queued] = await Promise.all([nudge(ack.session_id, 'go on'), respond(interactionId)]);
      await eventually('the outcome', async () => (await outcomes(ack.session_id)).length > 0);
      await quiet(ack.session_id);
      const rows = await allRows(api, ack.session_id);
      expect(rows.filter(({ metadata }) => metadata?.['session_nudge_id'] === queued.nudge_id)).toHaveLength(1);
      expect(await outcomes(ack.session_id)).toHaveLength(1);
      expect(rows.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result')).toHaveLength(1);
    }
  });

  it('wake does nothing to a turn that does not wait', async () => {
    const { ack: first } = await converse(api, agent.id, 'hello');
    const ack = await startTurn(api, first.session_id, endlessScript);
    await reaches(api, ack, 'running');
    expect(await nudge(ack.session_id, 'x', { wake: true })).toMatchObject({
      woke_turn: false,
      delivery: 'current_turn',
      status: 'pending',
    });
    expect((await readTurn(api, ack)).status).toBe('running');
    await cancelTurn(api, ack);
    expect(await nudge(ack.session_id, 'y', { wake: true })).toMatchObject({ woke_turn: false, delivery: 'new_turn' });
    await quiet(ack.session_id);
  });
});

describe('waits: rule N13, a nudge that would wake a turn lets it not come to wait', () => {
  const delivered = async (sessionId: string): Promise<unknown[]> =>
    (await allRows(api, sessionId)).map(({ metadata }) => metadata?.['session_nudge_id']).filter(Boolean);
  const asked = async (): Promise<{ first: TurnAck; interactionId: string }> => {
    const { ack: first } = await converse(api, agent.id, 'hello');
    return { first, interactionId: await question(first) };
  };

  it('of two quick nudges the second ends the next wait', async () => {
    const { first, interactionId } = await asked();
    const wait = { call: { name: 'svc_event_wait', input: { interaction_id: interactionId } } };
    const ack = await startTurn(api, first.session_id, script(wait, wait, { say: 'after' }));
    await reaches(api, ack, 'waiting');
    const acks = await Promise.all([nudge(ack.session_id, 'one'), nudge(ack.session_id, 'two')]);
    expect(acks.map((one) => one.woke_turn).sort()).toEqual([false, true]);
    expect((await settled(api, ack)).status).toBe('completed');
    expect((await delivered(ack.session_id)).sort()).toEqual(acks.map((one) => one.nudge_id).sort());
  });

  it('a nudge in the first moments of a turn is not slept through', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { first, interactionId } = await asked();
      const ack = await startTurn(api, first.session_id, waitFor(interactionId, { say: 'after' }));
      const queued = await nudge(ack.session_id, 'at once');
      expect((await settled(api, ack)).status).toBe('completed');
      expect(await delivered(ack.session_id)).toEqual([queued.nudge_id]);
    }
  });
});

describe('waits: rule T34, several questions of one answer', () => {
  const both = async (): Promise<{ ack: TurnAck; ids: [string, string]; turn: Waiting }> => {
    const { ack: first } = await converse(api, agent.id, 'hello');
    const ids: [string, string] = [await question(first), await question(first)];
    const calls = ids.map((id) => ({ name: 'svc_event_wait', input: { interaction_id: id } }));
    const ack = await startTurn(api, first.session_id, script({ calls }, { say: 'after' }));
    return { ack, ids, turn: await reaches(api, ack, 'waiting') };
  };
  const told = async (ack: TurnAck): Promise<unknown[]> => {
    const rows = (await allRows(api, ack.session_id)).filter((row) => row.turn_id === ack.turn_id);
    return rows
      .flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'))
      .map(({ content }) => JSON.parse(String(content)) as unknown);
  };

  it('shows the first, the first answer resumes the turn whichever it is, and that of the other comes as a row', async () => {
    const {
      ack,
      ids: [one, other],
      turn,
    } = await both();
    expect(turn.wait).toMatchObject({ kind: 'interaction', interaction_id: one });
    await respond(other);
    expect(await settled(api, ack)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
    expect(await told(ack)).toEqual([
      { pending: true, interaction_id: one },
      { event_type: 'interaction.resolved', interaction_id: other },
    ]);
    await respond(one);
    await eventually('both outcomes', async () => (await outcomes(ack.session_id)).length === 2);
    await quiet(ack.session_id);
    expect((await outcomes(ack.session_id)).map(({ metadata }) => metadata?.['interaction_id'])).toEqual([other, one]);
  });

  it('a nudge interrupts the wait that is shown; the other is still pending', async () => {
    const {
      ack,
      ids: [, other],
    } = await both();
    expect(await nudge(ack.session_id, 'go on')).toMatchObject({ woke_turn: true });
    expect((await settled(api, ack)).status).toBe('completed');
    expect(await told(ack)).toEqual([
      { interrupted: true, reason: 'user_direction' },
      { pending: true, interaction_id: other },
    ]);
  });
});

describe('waits: cancel', () => {
  it('rule TT1, invariant 51: the question stays open, the call has a result, and the outcome comes as one row of a fresh turn', async () => {
    const { ack, interactionId } = await waiting();
    const cancelled = await cancelTurn(api, ack);
    expect(cancelled).toMatchObject({ status: 'cancelled', phase: null });
    expect(cancelled).not.toHaveProperty('wait');
    expect((await allRows(api, ack.session_id)).at(-1)?.content[0]).toMatchObject({
      type: 'tool_result',
      is_error: true,
    });
    expect((await api.get<{ status: string }>(`/v1/interactions/${interactionId}`)).status).toBe('pending');
    await respond(interactionId);
    const [row] = await eventually('the outcome', async () => {
      const found = await outcomes(ack.session_id);
      return found.length > 0 ? found : null;
    });
    expect(row?.turn_id).not.toBe(ack.turn_id);
    const turns = await quiet(ack.session_id);
    expect(turns.map(({ status }) => status)).toEqual(['completed', 'cancelled', 'completed']);
    expect(await outcomes(ack.session_id)).toHaveLength(1);
  });

  it("rules N12, S32: an outcome that comes while a turn is queued stands behind the answer to the turn's own input", async () => {
    const { ack: first } = await converse(api, agent.id, 'hello');
    const every = Math.ceil((await timeFor(api, 20)) / 20);
    const [slow, quick] = [await question(first, { title: `tokens=20 every=${every}` }), await question(first)];
    await respond(slow);
    await eventually('the turn of the first outcome', async () => (await outcomes(first.session_id)).length > 0);
    const ack = await startTurn(api, first.session_id, 'my own words');
    await respond(quick);
    await quiet(first.session_id);
    const own = (await allRows(api, first.session_id)).filter(({ turn_id }) => turn_id === ack.turn_id).map(said);
    const answered = own.filter((text) => text.startsWith('You said: '));
    expect(own[0]).toBe('my own words');
    expect(answered[0]).toBe('You said: my own words');
    expect(own.findIndex((text) => text.startsWith('Request answered'))).toBe(2);
  });

  it("invariant 51: an outcome that an open turn has not absorbed survives the turn's cancel", async () => {
    const { ack: first } = await converse(api, agent.id, 'hello');
    const ack = await startTurn(api, first.session_id, endlessScript);
    await reaches(api, ack, 'running');
    const interactionId = await question(ack);
    await respond(interactionId);
    await eventually(
      'the session to know',
      async () =>
        (await api.get<{ interactions: object[] }>(`/v1/sessions/${ack.session_id}/transcript`)).interactions.length ===
        0,
    );
    expect(await outcomes(ack.session_id)).toEqual([]);
    await api.post<Session>(`/v1/sessions/${ack.session_id}/cancel`, undefined, 200);
    await eventually('the outcome', async () => (await outcomes(ack.session_id)).length > 0);
    expect((await quiet(ack.session_id)).map(({ status }) => status)).toEqual(['completed', 'cancelled', 'completed']);
    expect(await outcomes(ack.session_id)).toHaveLength(1);
  });
});
