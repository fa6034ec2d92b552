import {
  ActionServer,
  type Agent,
  Client,
  type Message,
  type Session,
  type Turn,
  allRows,
  converse,
  createAgent,
  createSession,
  endlessScript,
  cancelTurn,
  eventually,
  person,
  reaches,
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

type Summary = Message & { covers_through_sequence?: number };
interface Read extends Session {
  latest_compaction_failure?: { error_type: string; at: string };
  latest_compaction?: object | null;
}

const api = Client.owner();
let server: ActionServer;
let agent: Agent;
let look: string;

beforeAll(async () => {
  server = await ActionServer.start();
  look = unique('look');
  await api.post(
    '/v1/actions',
    {
      name: look,
      endpoint_url: server.at(`/${look}`, ({ body }) => ({
        body: { seen: 'x'.repeat(Number((body.parameters as { size?: number }).size ?? 8000)) },
      })),
    },
    201,
  );
  agent = await createAgent(api, {
    name: unique('window'),
    system_prompt: '',
    action_selectors: [{ selector_type: 'exact', selector: look }],
  });
});

afterAll(() => server.close());

const read = (sessionId: string): Promise<Read> => api.get<Read>(`/v1/sessions/${sessionId}`);
const fresh = async (policy: object): Promise<string> =>
  (await createSession(api, agent.id, { mode: 'new', compaction_policy: policy })).id;
const summaries = async (sessionId: string): Promise<Summary[]> =>
  (await allRows(api, sessionId)).filter(({ role }) => role === 'compaction');
const calling = (calls: number, size?: number): object[] =>
  Array.from({ length: calls }, () => ({ call: { name: look, input: size === undefined ? {} : { size } } }));
const turnOf = async (sessionId: string, input: string): Promise<Turn> =>
  settled(api, await startTurn(api, sessionId, input));
const turnsOf = async (sessionId: string): Promise<Turn[]> =>
  (await api.get<{ items: Turn[] }>(`/v1/sessions/${sessionId}/turns`)).items;
const bring = (sessionId: string, messages: object[]) => api.post(`/v1/sessions/${sessionId}/messages`, { messages });
const ids = (rows: Message[], type: string, member: string) =>
  rows.flatMap(({ content }) => content.filter((block) => block.type === type).map((block) => block[member]));

describe('rule S48: a pass holds the window', () => {
  it('one turn of ten calls is summed up as it goes: the input row stays, and the newest result', async () => {
    const id = await fresh({ threshold_tokens: 2000 });
    const ack = await startTurn(api, id, script(...calling(10), { read: 'last_tool_result' }));
    const turn = await settled(api, ack);
    expect(turn.status).toBe('completed');
    const made = await summaries(id);
    expect(made.length).toBeGreaterThan(5);
    expect(
      made.every((row) => row.turn_id === ack.turn_id && (row.covers_through_sequence ?? 0) > ack.after_sequence),
    ).toBe(true);
    expect(turn.usage?.calls).toBe(11 + made.length);
    expect(turn.usage?.input_tokens).toBeLessThan(60_000);
    const rows = await allRows(api, id);
    expect(said(rows.at(-1))).toHaveLength(8011);
    const covered = rows.filter(({ sequence }) => sequence <= (made.at(-1)?.covers_through_sequence ?? 0));
    expect(ids(covered, 'tool_result', 'tool_use_id')).toEqual(ids(covered, 'tool_use', 'id'));
  });

  it('a turn after a long one goes further than the final turn before: down to the newest exchange', async () => {
    const id = await fresh({ strategy: 'manual' });
    await turnOf(id, script(...calling(5), { say: 'done' }));
    await api.patch(`/v1/sessions/${id}`, { compaction_policy: { strategy: 'auto', threshold_tokens: 3000 } });
    const turn = await turnOf(id, 'go on');
    const [row] = await summaries(id);
    expect(row?.covers_through_sequence).toBe(9);
    expect(turn.usage?.input_tokens).toBeLessThan(14_000);
  });

  it('imported rows count, and set a pass off without any turn', async () => {
    const id = await fresh({ threshold_tokens: 500 });
    await bring(
      id,
      Array.from({ length: 6 }, (_, index) => ({
        role: index % 2 ? 'assistant' : 'user',
        content: [text('x'.repeat(800))],
      })),
    );
    const [row] = await eventually('the summary', async () => {
      const found = await summaries(id);
      return found.length > 0 ? found : null;
    });
    expect(row).toMatchObject({ covers_through_sequence: 4, content: [text('Summary of 4 messages.')] });
    const turn = await turnOf(id, 'and now?');
    expect(turn.usage?.input_tokens).toBeLessThan(900);
  });

  it('an open question holds nothing back', async () => {
    const asking = await createAgent(api, {
      name: unique('asks'),
      system_prompt: '',
      action_selectors: [{ selector_type: 'exact', selector: 'svc.interaction.open' }],
    });
    const target = await person(api);
    const question = { kind: 'request_approval', title: 'Go?', target_user_ids: [target.id] };
    const { ack } = await converse(
      api,
      asking.id,
      script({ call: { name: 'svc_interaction_open', input: question } }, { say: 'asked' }),
      { session: { mode: 'new', compaction_policy: { strategy: 'manual' } } },
    );
    for (const input of ['one', 'two']) await turnOf(ack.session_id, input);
    expect(JSON.stringify(await api.get(`/v1/sessions/${ack.session_id}/transcript`))).toContain('"pending"');
    const { compaction } = await api.post<Session>(`/v1/sessions/${ack.session_id}/compact`, undefined, 200);
    expect(compaction).toMatchObject({ in_progress: true, from_sequence: 1, through_sequence: 6 });
  });

  it('nothing is cut for being over the threshold; what does not fit the model is cut with a marker, and the transcript stays whole', async () => {
    const id = await fresh({ threshold_tokens: 1000 });
    await turnOf(id, script(...calling(1, 40_000), { read: 'last_tool_result' }));
    expect(said((await allRows(api, id)).at(-1))).toHaveLength(40_011);
    const large = await fresh({ threshold_tokens: 1000 });
    const turn = await turnOf(large, script(...calling(1, 1_000_000), { read: 'last_tool_result' }));
    expect(turn.status).toBe('completed');
    const rows = await allRows(api, large);
    const [result] = rows.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
    expect(String(result?.content)).toHaveLength(1_000_011);
    expect(said(rows.at(-1))).toMatch(
      /x\n\[\.\.\. \d+ bytes are left out here: they do not fit the model's window \.\.\.\]\nx/,
    );
    expect(said(rows.at(-1)).length).toBeLessThan(800_000);
    expect(turn.usage?.input_tokens).toBeLessThan(400_000);
  });

  it('after a pass that failed the turn tries again when the estimate has grown by a tenth; the failure shows until a pass succeeds', async () => {
    const id = await fresh({ threshold_tokens: 10, summary_model: 'no-such-model' });
    for (const input of ['one', 'x'.repeat(8000)]) await turnOf(id, input);
    const before = await read(id);
    const ack = await startTurn(
      api,
      id,
      script({ wait_ms: await timeFor(api, 4) }, ...calling(4, 200), ...calling(1, 8000), { say: 'end' }),
    );
    const frames = await (await v1(api, id, { after_sequence: ack.after_sequence })).over();
    expect(frames.filter(({ event }) => event === 'compaction.failed').length).toBeGreaterThanOrEqual(1);
    expect(frames.filter(({ event }) => event === 'compaction.failed').length).toBeLessThanOrEqual(2);
    expect(await summaries(id)).toEqual([]);
    const failed = await read(id);
    expect(failed.latest_compaction_failure).toEqual({
      error_type: 'summarizer_error',
      at: expect.any(String) as string,
    });
    expect(Date.parse(failed.latest_compaction_failure?.at ?? '')).toBeGreaterThan(Date.parse(before.created_at));
    const list = await api.get<{ items: object[] }>(`/v1/sessions?agent_id=${agent.id}`);
    expect(JSON.stringify(list)).not.toContain('latest_compaction_failure');
    await api.patch(`/v1/sessions/${id}`, { compaction_policy: { summary_model: 'svc-scripted-1' } });
    await turnOf(id, 'again');
    expect(await summaries(id)).toHaveLength(1);
    expect(await read(id)).not.toHaveProperty('latest_compaction_failure');
  });
});

describe('rule S48: no pass takes application context away', () => {
  const recorded = async (sessionId: string) =>
    (await rowsWithContext(api, sessionId))
      .filter(({ content }) => content[0]?.type === 'reminder')
      .map(({ content }) => [content[0]?.name, content[0]?.content]);
  const item = (content: string) => ({ context: [{ name: 'board', content }] });

  it('a manual pass between turns records the newest value again, and the next turn reads it without being told', async () => {
    const session = await createSession(api, agent.id, {
      session_key: unique('k'),
      compaction_policy: { strategy: 'manual' },
    });
    const how = (content: string) => ({ session: { session_key: session.session_key }, ...item(content) });
    await converse(api, agent.id, 'one', how('red'));
    for (const input of ['two', 'three']) await turnOf(session.id, input);
    await api.post(`/v1/sessions/${session.id}/compact`, undefined, 200);
    await eventually('the summary', async () => (await summaries(session.id)).length === 1);
    await turnOf(session.id, script({ read: 'context:app-board' }));
    expect(said((await allRows(api, session.id)).at(-1))).toBe('red');
    await converse(api, agent.id, 'four', how('red'));
    expect(await recorded(session.id)).toEqual([
      ['app-board', 'red'],
      ['app-board', 'red'],
    ]);
  });

  it('a manual pass during a turn leaves its calls with their results, and the value in force', async () => {
    const session = await createSession(api, agent.id, {
      session_key: unique('k'),
      compaction_policy: { strategy: 'manual' },
    });
    const begin = (input: string, more: object = {}) =>
      api.post<{ session_id: string; turn_id: string }>(
        '/v1/agents/invoke',
        {
          agent_ref: { id: agent.id },
          session: { session_key: session.session_key },
          input: { content: [text(input)], ...more },
        },
        202,
      );
    await settled(api, await begin('one', item('red')));
    await turnOf(session.id, 'two');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = unique('slow');
    await api.post(
      '/v1/actions',
      { name: slow, endpoint_url: server.at(`/${slow}`, () => ({ body: { ok: true }, after: held })) },
      201,
    );
    await api.patch(`/v1/agents/${agent.id}`, {
      action_selectors: [look, slow].map((selector) => ({ selector_type: 'exact', selector })),
    });
    const open = await begin(
      script({ call: { name: slow, input: {} } }, { read: 'last_tool_result' }, { read: 'context:app-board' }),
    );
    await eventually('the call', async () => server.on(`/${slow}`).length === 1);
    await api.post(`/v1/sessions/${session.id}/compact`, undefined, 200);
    await eventually('the summary', async () => (await summaries(session.id)).length === 1);
    release();
    await settled(api, open);
    expect(said((await allRows(api, session.id)).at(-1))).toBe('{"ok":true}red');
  });

  it('a pass that a turn sets off in its middle keeps the value that came with the turn', async () => {
    const id = await fresh({ threshold_tokens: 2000 });
    const ack = await api.post<{ session_id: string; turn_id: string }>(
      `/v1/sessions/${id}/turns`,
      { input: { content: [text(script(...calling(4), { read: 'context:app-board' }))], ...item('green') } },
      202,
    );
    expect((await settled(api, ack)).status).toBe('completed');
    expect((await summaries(id)).length).toBeGreaterThan(1);
    expect(said((await allRows(api, id)).at(-1))).toBe('green');
  });
});

describe('rule T14: what turns and passes cost', () => {
  it('the turns of a session sum up to its totals when all completed, passes that they set off among that', async () => {
    const id = await fresh({ threshold_tokens: 2000 });
    await turnOf(id, script(...calling(3), { say: 'done' }));
    await turnOf(id, 'more');
    const turns = await turnsOf(id);
    const sum = (counter: 'input_tokens' | 'output_tokens') =>
      turns.reduce((total, { usage }) => total + (usage?.[counter] ?? 0), 0);
    const made = (await summaries(id)).length;
    expect(made).toBeGreaterThan(1);
    expect(turns.reduce((total, { usage }) => total + (usage?.calls ?? 0), 0)).toBe(5 + made);
    expect(await read(id)).toMatchObject({
      token_input_total: sum('input_tokens'),
      token_output_total: sum('output_tokens'),
    });
  });

  it('a failed turn and a cancelled one carry no usage and count in the totals all the same', async () => {
    const id = await fresh({ strategy: 'manual' });
    const failed = await turnOf(id, script(...calling(1, 10), { error: { type: 'model_error', message: 'no' } }));
    expect([failed.status, failed.usage]).toEqual(['failed', undefined]);
    const after = (await read(id)).token_input_total;
    expect(after).toBeGreaterThan(0);
    const open = await startTurn(
      api,
      id,
      script(...calling(1, 10), { repeat_say: { text: 'x', times: 1 } }, { wait_ms: 600_000 }),
    );
    await eventually('the first call', async () => (await read(id)).token_input_total > after);
    await cancelTurn(api, open);
    const [, cancelled] = await turnsOf(id);
    expect([cancelled?.status, cancelled?.usage]).toEqual(['cancelled', undefined]);
    expect((await read(id)).token_input_total).toBeGreaterThan(after);
  });

  it("a manual pass while a turn runs is not the turn's", async () => {
    const id = await fresh({ strategy: 'manual' });
    for (const input of ['one', 'two']) await turnOf(id, input);
    const open = await startTurn(api, id, endlessScript);
    await reaches(api, open, 'running');
    await api.post(`/v1/sessions/${id}/compact`, undefined, 200);
    await eventually('the summary', async () => (await summaries(id)).length === 1);
    await cancelTurn(api, open);
    const used = (await turnsOf(id)).reduce((total, { usage }) => total + (usage?.input_tokens ?? 0), 0);
    expect((await read(id)).token_input_total).toBeGreaterThan(used);
  });
});
