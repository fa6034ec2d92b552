import {
  type Agent,
  Client,
  endlessScript,
  type Message,
  type Session,
  allRows,
  callerWith,
  cancelTurn,
  converse,
  createAgent,
  createSession,
  eventually,
  freshTranscript,
  invoke,
  reaches,
  said,
  script,
  settled,
  startTurn,
  text,
  unique,
  v1,
  v2,
} from '../harness/index.js';

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('imports') });
});

const pathOf = (sessionId: string): string => `/v1/sessions/${sessionId}/messages`;
const bring = (sessionId: string, messages: object[], more: object = {}): Promise<Session> =>
  api.post<Session>(pathOf(sessionId), { messages, ...more });
const row = (role: string, ...content: object[]) => ({ role, content });
const refused = (sessionId: string, messages: object[], invalid = false) =>
  api.refused('bad_request', 'POST', pathOf(sessionId), { body: { messages }, invalid });
const fresh = async (fields: object = {}): Promise<string> =>
  (await createSession(api, agent.id, { mode: 'new', ...fields })).id;
const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: { at: 1 } });
const result = (id: string, content: unknown = 'seen') => ({ type: 'tool_result', tool_use_id: id, content });

describe('imports', () => {
  it('S46: rows of every role but compaction come in in order, without a turn', async () => {
    const id = await fresh();
    const session = await bring(id, [
      row('system', text('be kind')),
      row('user', text('hello')),
      row('assistant', { type: 'thinking', thinking: 'hm' }, use('t1')),
      row('tool', result('t1')),
      { ...row('assistant', text('hi')), metadata: { source: 'elsewhere' } },
    ]);
    expect(session).toMatchObject({ id, message_count: 5 });
    const rows = await allRows(api, id);
    expect(
      rows.map((one) => [one.sequence, one.role, one.entry_type, one.content.map(({ type }) => type).join()]),
    ).toEqual([
      [1, 'system', 'message', 'text'],
      [2, 'user', 'message', 'text'],
      [3, 'assistant', 'message', 'thinking,tool_use'],
      [4, 'tool', 'message', 'tool_result'],
      [5, 'assistant', 'message', 'text'],
    ]);
    expect(rows[4]?.metadata).toEqual({ source: 'elsewhere' });
    expect(rows.every((one) => !('turn_id' in one))).toBe(true);
    expect(new Set(rows.map((one) => one.id)).size).toBe(5);
    expect((await api.get<{ items: object[] }>(`/v1/sessions/${id}/turns`)).items).toEqual([]);
    expect([...(await freshTranscript(api, id)).messages.keys()].sort()).toEqual(rows.map((one) => one.id).sort());
  });

  it('S27: a turn goes on from them, with the numbering and the context', async () => {
    const id = await fresh();
    await bring(id, [row('user', text('x'.repeat(4000))), row('assistant', text('noted'))]);
    const ack = await startTurn(api, id, 'and now?');
    expect(ack.after_sequence).toBe(3);
    const turn = await settled(api, ack);
    expect(turn.usage?.input_tokens).toBeGreaterThan(1000);
    await bring(id, [row('user', text('later'))]);
    expect((await allRows(api, id)).map((one) => one.sequence)).toEqual([1, 2, 3, 4, 5]);
  });

  it('a bad row keeps all of the call out', async () => {
    const id = await fresh();
    const good = row('user', text('CANARY'));
    await refused(id, [good, row('compaction', text('summary'))]);
    await refused(id, [good, row('user', { type: 'reminder', name: 'app-x', tier: 'contextual', content: 'x' })]);
    await refused(id, [good, row('tool', result('unknown'))]);
    await refused(id, [row('tool', result('later')), row('assistant', use('later'))]);
    await refused(id, [good, row('assistant', { type: 'tool_use', id: 't', name: 'x' })]);
    await refused(id, [good, row('assistant', { type: 'novelty' })]);
    await refused(id, [good, row('user', { type: 'text' })]);
    await refused(id, [
      good,
      row('user', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'bm8gcG5n' } }),
    ]);
    await refused(id, [good, { ...row('user', text('x')), metadata: { big: 'x'.repeat(17_000) } }]);
    await refused(id, [good, row('person', text('x'))], true);
    await refused(id, [good, row('user')], true);
    await refused(id, [], true);
    await refused(
      id,
      Array.from({ length: 101 }, () => good),
      true,
    );
    expect(await allRows(api, id)).toEqual([]);
    expect(await api.get<Session>(`/v1/sessions/${id}`)).toMatchObject({ message_count: 0, last_message_at: null });
  });

  it("S44, S45: a block that is not in the contract's form keeps all of the call out, also inside of a result", async () => {
    const id = await fresh();
    const good = row('assistant', use('t'), text('CANARY'));
    const inline = (type: string) => ({ type: 'image', source: { type, data: 'bm8gcG5n', media_type: 'image/png' } });
    for (const content of [{ seen: 1 }, 5, true, null, ['seen'], [null], [{ type: 'text' }], [{ type: 'novelty' }]])
      await refused(id, [good, row('tool', result('t', content))]);
    const reminder = { type: 'reminder', name: 'app-x', tier: 'contextual', content: 'x' };
    for (const block of [reminder, inline('base64'), inline('elsewhere')])
      await refused(id, [good, row('tool', result('t', [block]))]);
    for (const block of [
      { ...result('t'), is_error: 'yes' },
      { type: 'thinking', thinking: 'hm', signature: 5 },
      { ...use('u'), status: 5 },
      { ...use('u'), progress: 'half' },
      { ...use('u'), resolved_action: { name: 'look' } },
      inline('elsewhere'),
      { type: 'document', source: { type: 'elsewhere', data: 'x' } },
      { type: 'document', source: { type: 'text', data: 'x' }, title: 5 },
    ])
      await refused(id, [good, row('assistant', block)]);
    await api.refused('invalid_argument', 'POST', pathOf(id), {
      body: { messages: [good, row('tool', result('t', [inline('artifact')]))] },
    });
    expect(await allRows(api, id)).toEqual([]);
    const png = 'iVBORw0KGgo=';
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } };
    const results = [result('t', [text('seen'), image]), { type: 'tool_result', tool_use_id: 't' }, result('t', [])];
    await bring(id, [good, row('tool', ...results)]);
    expect((await allRows(api, id))[1]?.content).toEqual(results);
  });

  it('rule L20: a row has at most 2,000 blocks', async () => {
    const id = await fresh();
    const blocks = (count: number) => Array.from({ length: count }, () => text('x'));
    await refused(id, [row('user', text('CANARY')), row('user', ...blocks(2001))]);
    expect(await bring(id, [row('user', ...blocks(2000))])).toMatchObject({ message_count: 1 });
  });

  it('rule S44: a block comes in as it is read again: in the form of the contract', async () => {
    const id = await fresh();
    const good = row('user', text('CANARY'));
    const answered = (content: unknown, more: object = {}) => [
      good,
      row('assistant', use('t')),
      row('tool', { ...result('t', content), ...more }),
    ];
    for (const content of [5, null, { a: 1 }, ['x'], [{ type: 'novelty' }], [{ type: 'file' }], [{ type: 'text' }]])
      await refused(id, answered(content));
    await refused(id, answered('seen', { is_error: 'no' }));
    await refused(id, [good, row('assistant', { ...use('t'), status: 5 })]);
    await refused(id, [good, row('assistant', { type: 'thinking', thinking: 'x', signature: 5 })]);
    await refused(id, [good, row('user', { type: 'image', source: { type: 'elsewhere', data: 'x' } })]);
    await refused(id, [good, row('user', { type: 'image', source: { type: 'text', data: 'x' } })]);
    await refused(id, [good, row('user', { type: 'document', title: 5, source: { type: 'text', data: 'x' } })]);
    expect(await allRows(api, id)).toEqual([]);
    await bring(id, answered([text('seen'), { type: 'document', source: { type: 'text', data: 'x' } }]));
    expect(await allRows(api, id)).toHaveLength(3);
  });

  it('rules S35, S37, S46, L4: what stands in a tool result is checked as what stands beside it', async () => {
    const id = await fresh();
    const answered = (...content: object[]) => [row('assistant', use('t')), row('tool', result('t', content))];
    const image = (mediaType = 'image/png') => ({
      type: 'image',
      source: { type: 'base64', media_type: mediaType, data: 'iVBORw0KGgo=' },
    });
    await refused(id, answered({ type: 'reminder', name: 'app-x', tier: 'operator', content: 'x' }));
    await refused(id, answered(image('image/jpeg')));
    await refused(id, answered({ type: 'image', source: { type: 'url', url: 'ftp://files.example/a.png' } }));
    await refused(id, answered(...Array.from({ length: 21 }, () => image())));
    const several = Array.from({ length: 20 }, () => image());
    await refused(id, [row('assistant', use('t')), row('user', image(), result('t', several))]);
    const artifact = answered(text('x'), { type: 'image', source: { type: 'artifact', artifact_id: 'a' } });
    expect(await api.refused('invalid_argument', 'POST', pathOf(id), { body: { messages: artifact } })).toMatchObject({
      argument: 'source.type',
    });
    expect(await allRows(api, id)).toEqual([]);
    await bring(id, answered(...several));
    expect(await allRows(api, id)).toHaveLength(2);
  });

  it('S35: artifact sources are refused by argument', async () => {
    const id = await fresh();
    const details = await api.refused('invalid_argument', 'POST', pathOf(id), {
      body: { messages: [row('user', { type: 'image', source: { type: 'artifact', artifact_id: 'a' } })] },
    });
    expect(details).toMatchObject({ argument: 'source.type' });
  });

  it('a hundred rows land in one call, and a result may answer a tool use of the transcript', async () => {
    const id = await fresh();
    await bring(id, [row('assistant', use('far'))]);
    await bring(
      id,
      Array.from({ length: 100 }, (_, index) => row('user', text(`row ${index}`))),
    );
    await bring(id, [row('tool', result('far', [text('seen')]))]);
    const rows = await allRows(api, id);
    expect(rows).toHaveLength(102);
    expect(rows.slice(1, 101).map((one) => said(one))).toEqual(
      Array.from({ length: 100 }, (_, index) => `row ${index}`),
    );
  });

  it('rule S46: counters are added to those of the session; model and provider are taken and ignored', async () => {
    const { ack } = await converse(
      api,
      agent.id,
      script({ usage: { input_tokens: 10, output_tokens: 5 } }, { say: 'x' }),
    );
    const seen = await api.get<Session>(`/v1/sessions/${ack.session_id}`);
    const counted = {
      token_input_total: 100,
      token_output_total: 20,
      cache_read_input_total: 3,
      cache_creation_input_total: 4,
    };
    const session = await bring(ack.session_id, [row('user', text('x'))], {
      ...counted,
      model: 'other-model',
      model_provider: 'elsewhere',
    });
    expect(session).toMatchObject({
      token_input_total: 110,
      token_output_total: 25,
      cache_read_input_total: 3,
      cache_creation_input_total: 4,
      model: seen.model,
      model_provider: seen.model_provider,
    });
    const empty = await fresh();
    expect(await bring(empty, [row('user', text('x'))], { model: 'other-model' })).not.toHaveProperty('model');
    expect(await api.get<Session>(`/v1/sessions/${ack.session_id}`)).toMatchObject({
      token_input_total: 110,
      message_count: 3,
    });
    await api.refused('bad_request', 'POST', pathOf(ack.session_id), {
      body: { messages: [row('user', text('x'))], token_input_total: -1 },
      invalid: true,
    });
  });

  it('while a direct turn is open nothing comes in; an archived session takes none', async () => {
    const ack = await invoke(api, agent.id, endlessScript);
    await reaches(api, ack, 'running');
    const body = { messages: [row('user', text('CANARY'))] };
    expect(await api.refused('session_turn_active', 'POST', pathOf(ack.session_id), { body })).toEqual({
      turn_id: ack.turn_id,
      status: 'running',
    });
    await cancelTurn(api, ack);
    expect(JSON.stringify(await allRows(api, ack.session_id))).not.toContain('CANARY');
    await api.patch(`/v1/sessions/${ack.session_id}`, { status: 'archived' });
    await api.refused('session_not_active', 'POST', pathOf(ack.session_id), { body });
    await api.refused('not_found', 'POST', pathOf('ses_00000000000000000000000000'), { body });
    await (await callerWith(api, 'Viewer')).refused('permission_denied', 'POST', pathOf(ack.session_id), { body });
  });

  it('racing imports stand whole and one after another', async () => {
    const id = await fresh();
    await Promise.all(
      Array.from({ length: 10 }, (_, call) =>
        bring(
          id,
          Array.from({ length: 5 }, (__, index) => row('user', text(`${call}.${index}`))),
        ),
      ),
    );
    const rows = (await allRows(api, id)).map((one) => said(one));
    expect(rows).toHaveLength(50);
    for (let from = 0; from < 50; from += 5)
      expect(rows.slice(from, from + 5)).toEqual(
        Array.from({ length: 5 }, (_, index) => `${rows[from]?.split('.')[0]}.${index}`),
      );
  });

  it("created_at is kept on the row, and old rows neither turn the session's times back nor let it expire", async () => {
    const id = await fresh({ retention: { mode: 'bounded', ttl_seconds: 3600 } });
    const before = await api.get<Session>(`/v1/sessions/${id}`);
    const session = await bring(id, [{ ...row('user', text('long ago')), created_at: '2020-01-02T03:04:05+01:00' }]);
    expect(Date.parse(session.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
    const [old] = await allRows(api, id);
    expect(Date.parse(old?.created_at ?? '')).toBe(Date.parse('2020-01-02T02:04:05Z'));
    expect(Date.parse((await api.get<Session>(`/v1/sessions/${id}`)).expires_at ?? '')).toBeGreaterThan(Date.now());
    await refused(id, [{ ...row('user', text('x')), created_at: 'yesterday' }], true);
  });

  it("a created_at that is still to come is the import's time: the session neither lives longer nor stays the newest", async () => {
    const id = await fresh({ retention: { mode: 'bounded', ttl_seconds: 3600 } });
    const session = await bring(id, [{ ...row('user', text('tomorrow')), created_at: '2099-01-01T00:00:00Z' }]);
    const hourLater = Date.parse(session.updated_at) + 3_600_000;
    expect(session).toMatchObject({
      last_message_at: session.updated_at,
      expires_at: new Date(hourLater).toISOString(),
    });
    const [shown] = await allRows(api, id);
    expect(shown?.created_at).toBe(session.updated_at);
    expect(session.updated_at < '2099').toBe(true);
  });

  it('both streams show them', async () => {
    const id = await fresh();
    await bring(id, [row('user', text('one')), row('assistant', text('two'))]);
    const ack = await startTurn(api, id, script({ wait_ms: 200 }, { say: 'x' }));
    const [one, two] = [await (await v1(api, id, { after_sequence: 0 })).over(), await (await v2(api, id)).over()];
    const rows: Message[] = await allRows(api, id);
    await settled(api, ack);
    expect(
      one
        .filter((frame) => frame.id !== null)
        .slice(0, 2)
        .map((frame) => [frame.event, frame.id, frame.data['message_id']]),
    ).toEqual([
      ['user.message', '1', rows[0]?.id],
      ['agent.message', '2', rows[1]?.id],
    ]);
    expect(
      two
        .filter(({ event, data }) => event === 'message.upsert' && data['status'] === 'final')
        .slice(0, 2)
        .map(({ data }) => data['id']),
    ).toEqual([rows[0]?.id, rows[1]?.id]);
  });

  it('may set off automatic compaction', async () => {
    const id = await fresh({ compaction_policy: { threshold_tokens: 500 } });
    for (const input of ['one', 'two']) await settled(api, await startTurn(api, id, input));
    await bring(id, [row('user', text('short'))]);
    expect((await allRows(api, id)).some((one) => one.role === 'compaction')).toBe(false);
    await bring(id, [row('user', text('x'.repeat(4000)))]);
    const summary = await eventually('the summary', async () =>
      (await allRows(api, id)).find((one) => one.role === 'compaction'),
    );
    expect(summary).toMatchObject({ covers_through_sequence: 2, content: [text('Summary of 2 messages.')] });
  });
});
