import {
  ActionServer,
  type ActionScript,
  type Agent,
  Client,
  type Message,
  type Turn,
  type TurnAck,
  allRows,
  cancelTurn,
  createAgent,
  endlessScript,
  eventually,
  invoke,
  person,
  reaches,
  readTurn,
  script,
  settled,
  startTurn,
  unique,
  v1,
  timeFor,
} from '../harness/index.js';

interface Waiting extends Turn {
  wait?: { kind: string; event_type?: string; tool_call_id: string };
}
interface NudgeAck {
  nudge_id: string;
  delivery: string;
  woke_turn: boolean;
  status: string;
}

const api = Client.owner();
const woken = '{"interrupted":true,"reason":"user_direction"}';
let server: ActionServer;

beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());

interface Made {
  agent: Agent;
  name: string;
  path: string;
}

/**
 * A long-running action at a path of its own, and an agent that is granted it. Only blueprints say so of an action
 * (rule R26).
 */
async function longRunning(answer: ActionScript, annotations: object = {}, selectors: string[] = []): Promise<Made> {
  const name = unique('long');
  const path = `/${name}`;
  const action = {
    key: 'work',
    name,
    type: 'http',
    endpoint: server.at(path, answer),
    annotations: { long_running: true, ...annotations },
  };
  await api.post('/v1/blueprints/apply', { blueprint_key: name, resources: { actions: [action] } }, 200);
  const agent = await createAgent(api, {
    name: unique('patient'),
    action_selectors: [name, ...selectors].map((selector) => ({ selector_type: 'exact', selector })),
  });
  return { agent, name, path };
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  return {
    opened: new Promise<void>((resolve) => {
      open = resolve;
    }),
    open: () => {
      open();
    },
  };
}

const resultsIn = (rows: Message[]) =>
  rows.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
const called = (path: string, times = 1) =>
  eventually('the request', () => Promise.resolve(server.on(path).length === times));
const nudge = (ack: TurnAck, content: string, wake: boolean) =>
  api.post<NudgeAck>(`/v1/sessions/${ack.session_id}/nudges`, { content, wake }, 202);

describe('actions that are long running', () => {
  it('T8, T9, T10, T11: park the turn, which goes on with the result', async () => {
    const { opened, open } = gate();
    const made = await longRunning(() => ({ after: opened, body: { done: true } }));
    const ack = await invoke(
      api,
      made.agent.id,
      script({ call: { name: made.name, input: { size: 3 } } }, { read: 'last_tool_result' }),
    );
    const stream = await v1(api, ack.session_id, { after_sequence: ack.after_sequence });
    const turn: Waiting = await reaches(api, ack, 'waiting');
    expect(turn).toMatchObject({
      phase: 'waiting',
      wait: { kind: 'event', event_type: 'action.completed', tool_call_id: expect.any(String) as string },
    });
    expect(
      await api.refused('session_turn_active', 'POST', `/v1/sessions/${ack.session_id}/turns`, {
        body: { input: { content: [{ type: 'text', text: 'x' }] } },
      }),
    ).toEqual({ turn_id: ack.turn_id, status: 'waiting' });
    await called(made.path);
    open();
    const done = await settled(api, ack);
    expect(done).toMatchObject({ status: 'completed', usage: { calls: 2 } });
    expect(done).not.toHaveProperty('wait');
    const rows = await allRows(api, ack.session_id);
    expect(resultsIn(rows)).toMatchObject([{ content: '{"done":true}', is_error: false }]);
    expect(rows.at(-1)?.content).toMatchObject([{ type: 'text', text: '{"done":true}' }]);
    await stream.over();
    const statuses = stream.of('turn.upsert').map(({ data }) => data['status']);
    expect(statuses).toContain('waiting');
    expect(statuses.at(-1)).toBe('completed');
    expect(server.on(made.path)).toHaveLength(1);
    expect(server.on(made.path)[0]?.body).toEqual({ parameters: { size: 3 } });
  });

  it('several at once, beside another call: each is made once, and the turn goes on when all have ended', async () => {
    const [first, second] = [gate(), gate()];
    const made = await longRunning((_request, earlier) => ({
      after: (earlier === 0 ? first : second).opened,
      body: { earlier },
    }));
    const calls = [
      { name: made.name, input: {} },
      { name: 'nothing_there', input: {} },
      { name: made.name, input: {} },
    ];
    const ack = await invoke(api, made.agent.id, script({ calls }, { say: 'after' }));
    await called(made.path, 2);
    await reaches(api, ack, 'waiting');
    second.open();
    first.open();
    expect(await settled(api, ack)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
    const results = resultsIn(await allRows(api, ack.session_id));
    expect(results.map(({ is_error: error }) => error)).toEqual([false, true, false]);
    expect(server.on(made.path)).toHaveLength(2);
    expect(new Set(server.on(made.path).map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(2);
  });

  it('an error of the action is a result too', async () => {
    const made = await longRunning(() => ({ status: 422, body: { why: 'no' } }));
    const ack = await invoke(api, made.agent.id, script({ call: { name: made.name, input: {} } }, { say: 'after' }));
    expect((await settled(api, ack)).status).toBe('completed');
    expect(resultsIn(await allRows(api, ack.session_id))).toMatchObject([
      { is_error: true, content: expect.stringContaining('http_status') as string },
    ]);
  });

  it('SES3, N9: only wake resumes the turn; a result that comes later is dropped', async () => {
    const { opened, open } = gate();
    const made = await longRunning(() => ({ after: opened, body: { late: true } }));
    const ack = await invoke(api, made.agent.id, script({ call: { name: made.name, input: {} } }, { say: 'after' }));
    await reaches(api, ack, 'waiting');
    await called(made.path);
    const quiet = await nudge(ack, 'no hurry', false);
    expect(quiet).toMatchObject({ delivery: 'current_turn', woke_turn: false, status: 'pending' });
    expect(await nudge(ack, 'now', true)).toMatchObject({ delivery: 'current_turn', woke_turn: true });
    expect((await settled(api, ack)).status).toBe('completed');
    open();
    const rows = await allRows(api, ack.session_id);
    expect(resultsIn(rows)).toMatchObject([{ content: woken, is_error: false }]);
    expect(rows.filter(({ metadata }) => metadata?.['session_nudge_id'])).toHaveLength(2);
    const next = await startTurn(api, ack.session_id, 'and now?');
    expect((await settled(api, next)).status).toBe('completed');
    expect(JSON.stringify(await allRows(api, ack.session_id))).not.toContain('late');
  });

  it('invariant 46: of racing wakes one resumes it, and all of them are delivered', async () => {
    const made = await longRunning(() => ({ after: new Promise<void>(() => undefined) }));
    const ack = await invoke(api, made.agent.id, script({ call: { name: made.name, input: {} } }, { say: 'after' }));
    await reaches(api, ack, 'waiting');
    const acks = await Promise.all(Array.from({ length: 10 }, (_, index) => nudge(ack, `n${index}`, index % 2 === 0)));
    expect(acks.filter((one) => one.woke_turn)).toHaveLength(1);
    await settled(api, ack);
    const delivered = await eventually('every nudge', async () => {
      const ids = (await allRows(api, ack.session_id))
        .map(({ metadata }) => metadata?.['session_nudge_id'])
        .filter(Boolean);
      return ids.length === acks.length ? ids : null;
    });
    expect(delivered.sort()).toEqual(acks.map((one) => one.nudge_id).sort());
    expect(resultsIn(await allRows(api, ack.session_id))).toHaveLength(1);
  });

  it('rules TT1, T19, invariants 13, 26: cancel retires the call; its result changes nothing', async () => {
    const { opened, open } = gate();
    const made = await longRunning(() => ({ after: opened, body: { late: true } }), { idempotent: true });
    const ack = await invoke(api, made.agent.id, script({ call: { name: made.name, input: {} } }, { say: 'never' }));
    await reaches(api, ack, 'waiting');
    await called(made.path);
    const cancelled = await cancelTurn(api, ack);
    expect(cancelled).toMatchObject({ status: 'cancelled', phase: null });
    expect(cancelled).not.toHaveProperty('wait');
    const rows = await allRows(api, ack.session_id);
    expect(resultsIn(rows)).toMatchObject([{ is_error: true }]);
    open();
    const next = await startTurn(api, ack.session_id, 'hello');
    expect((await settled(api, next)).status).toBe('completed');
    expect((await allRows(api, ack.session_id)).slice(0, rows.length)).toEqual(rows);
    expect(JSON.stringify(await allRows(api, ack.session_id))).not.toContain('late');
    expect(server.on(made.path)).toHaveLength(1);
  });

  /** A turn that waits for an action and beside it for a question. */
  async function besideQuestion() {
    const { opened, open } = gate();
    const made = await longRunning(() => ({ after: opened, body: { done: true } }), {}, [
      'svc.interaction.open',
      'svc.event.wait',
    ]);
    const target = await person(api);
    const first = await invoke(
      api,
      made.agent.id,
      script(
        {
          call: {
            name: 'svc_interaction_open',
            input: { kind: 'request_approval', title: 'Go?', target_user_ids: [target.id] },
          },
        },
        { say: 'asked' },
      ),
    );
    await settled(api, first);
    const interactionId = (
      JSON.parse(String(resultsIn(await allRows(api, first.session_id))[0]?.content)) as { id: string }
    ).id;
    const calls = [
      { name: 'svc_event_wait', input: { interaction_id: interactionId } },
      { name: made.name, input: {} },
    ];
    const ack = await startTurn(api, first.session_id, script({ calls }, { say: 'end' }));
    const turn: Waiting = await reaches(api, ack, 'waiting');
    await called(made.path);
    return {
      ack,
      turn,
      interactionId,
      open,
      answer: () => target.client.post(`/v1/interactions/${interactionId}/respond`, { value: true }, 200),
      told: async () =>
        resultsIn((await allRows(api, ack.session_id)).filter((row) => row.turn_id === ack.turn_id)).map(
          ({ content }) => JSON.parse(String(content)) as unknown,
        ),
      outcomes: async () =>
        (await allRows(api, ack.session_id)).filter(
          ({ metadata }) => metadata?.['event_type'] === 'interaction.resolved',
        ),
    };
  }

  it('rule T34: beside a question the turn shows the action and goes on with its result; the answer comes as a row', async () => {
    const { ack, turn, interactionId, open, answer, told, outcomes } = await besideQuestion();
    expect(turn.wait).toMatchObject({ kind: 'event', event_type: 'action.completed' });
    open();
    expect(await settled(api, ack)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
    expect(await told()).toEqual([{ pending: true, interaction_id: interactionId }, { done: true }]);
    await answer();
    await eventually('the answer has its row', async () => (await outcomes()).length > 0);
    expect(await outcomes()).toHaveLength(1);
  });

  it('rule T34: an answer resumes no turn whose action is under way; it is there when that ends', async () => {
    const { ack, interactionId, open, answer, told, outcomes } = await besideQuestion();
    await answer();
    await eventually(
      'the session knows',
      async () =>
        (await api.get<{ interactions: object[] }>(`/v1/sessions/${ack.session_id}/transcript`)).interactions.length ===
        0,
    );
    expect((await readTurn(api, ack)).status).toBe('waiting');
    open();
    expect((await settled(api, ack)).status).toBe('completed');
    const [asked, result] = await told();
    expect(asked).toMatchObject({ interaction_id: interactionId });
    expect(result).toEqual({ done: true });
    await eventually('the answer has its row', async () => (await outcomes()).length > 0);
    expect(await outcomes()).toHaveLength(1);
  });

  it('rule N13: wake from before the call keeps the turn from waiting, and the call is not made', async () => {
    const made = await longRunning(() => ({ after: new Promise<void>(() => undefined) }));
    const ack = await invoke(
      api,
      made.agent.id,
      script({ wait_ms: await timeFor(api, 6) }, { call: { name: made.name, input: {} } }, { say: 'after' }),
    );
    await reaches(api, ack, 'running');
    expect(await nudge(ack, 'now', true)).toMatchObject({ woke_turn: false, status: 'pending' });
    expect((await settled(api, ack)).status).toBe('completed');
    expect(resultsIn(await allRows(api, ack.session_id))).toMatchObject([{ content: woken, is_error: false }]);
    expect(server.on(made.path)).toHaveLength(0);
  });

  it("rule N13: a nudge that comes beside an action and a question arrives with the action's result", async () => {
    const { ack, interactionId, open, told } = await besideQuestion();
    expect(await nudge(ack, 'no hurry', false)).toMatchObject({ woke_turn: false });
    open();
    expect((await settled(api, ack)).status).toBe('completed');
    expect(await told()).toEqual([{ pending: true, interaction_id: interactionId }, { done: true }]);
  });

  it('L6: waiting does not count: a turn of three seconds outlives a call of four', async () => {
    const { opened, open } = gate();
    const made = await longRunning(() => ({ after: opened, body: {} }));
    const ack = await invoke(api, made.agent.id, script({ call: { name: made.name, input: {} } }, { say: 'after' }), {
      operation: { timeout_seconds: 3 },
    });
    await reaches(api, ack, 'waiting');
    const started = performance.now();
    await eventually('four seconds', () => Promise.resolve(performance.now() - started > 4_000));
    open();
    expect((await settled(api, ack)).status).toBe('completed');
  });

  it('lets other turns of the session run meanwhile, and takes no place among those that run', async () => {
    const made = await longRunning(() => ({ after: new Promise<void>(() => undefined) }));
    const ack = await invoke(api, made.agent.id, script({ call: { name: made.name, input: {} } }, { say: 'x' }));
    await reaches(api, ack, 'waiting');
    await api.refused('session_turn_active', 'POST', `/v1/sessions/${ack.session_id}/turns`, {
      body: { input: { content: [{ type: 'text', text: endlessScript }] } },
    });
    expect((await cancelTurn(api, ack)).status).toBe('cancelled');
  });
});
