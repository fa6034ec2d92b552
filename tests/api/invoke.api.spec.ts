import {
  type Agent,
  type Block,
  Client,
  endlessScript,
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
  rowsWithContext,
  said,
  script,
  settled,
  text,
  unique,
} from '../harness/index.js';

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('invoke') });
});

const inSession = (sessionKey = unique('k')) => ({ session: { session_key: sessionKey } });

describe('invoke: acknowledgement', () => {
  it('answers 202 with session, turn, after_sequence and deduped; the stream from there shows the turn', async () => {
    const ack = await invoke(api, agent.id, 'hi', {
      session: { session_key: unique('k'), title: 'T', metadata: { m: 1 } },
      key: 'a',
    });
    expect(ack).toMatchObject({
      deduped: false,
      status: 'queued',
      after_sequence: 1,
      session: { title: 'T', metadata: { m: 1 }, agent_id: agent.id },
      turn: { status: 'queued' },
    });
    expect((await settled(api, ack)).status).toBe('completed');
    expect(said((await allRows(api, ack.session_id)).at(-1))).toBe('You said: hi');
  });

  it('T24: the agent is named by id or by name, exactly one; unknown is 404', async () => {
    const body = (ref: object) => ({ agent_ref: ref, session: { mode: 'new' }, input: { content: [text('x')] } });
    expect((await api.post<TurnAck>('/v1/agents/invoke', body({ name: agent.name }), 202)).session.agent_id).toBe(
      agent.id,
    );
    await api.refused('bad_request', 'POST', '/v1/agents/invoke', {
      body: body({ id: agent.id, name: agent.name }),
      invalid: true,
    });
    await api.refused('bad_request', 'POST', '/v1/agents/invoke', { body: body({}), invalid: true });
    await api.refused('not_found', 'POST', '/v1/agents/invoke', {
      body: body({ id: 'agent_00000000000000000000000000' }),
    });
    await api.refused('not_found', 'POST', '/v1/agents/invoke', { body: body({ name: unique('nobody') }) });
  });

  it('title and metadata are those of the creation, not of a resolved session', async () => {
    const key = unique('k');
    await converse(api, agent.id, 'one', { session: { session_key: key, title: 'first' } });
    const second = await invoke(api, agent.id, 'two', {
      session: { session_key: key, title: 'second', metadata: { late: true } },
    });
    expect(second.session.title).toBe('first');
    expect(second.session.metadata ?? {}).toEqual({});
  });
});

describe('invoke: idempotency', () => {
  it('INV1: a repeat gives the first turn, writes nothing and ignores changed content and context', async () => {
    const how = { ...inSession(), key: 'same' };
    const ack = await invoke(api, agent.id, 'first', { ...how, context: [{ name: 'board', content: 'one' }] });
    await settled(api, ack);
    const before = await rowsWithContext(api, ack.session_id);
    const repeat = await invoke(api, agent.id, 'CANARY', {
      ...how,
      context: [
        { name: 'board', content: 'CANARY' },
        { name: 'other', content: 'CANARY' },
      ],
    });
    expect(repeat).toMatchObject({
      deduped: true,
      turn_id: ack.turn_id,
      session_id: ack.session_id,
      after_sequence: ack.after_sequence,
      resume_cursor: ack.resume_cursor,
      status: 'completed',
    });
    expect(repeat.user_message).toEqual(ack.user_message);
    expect(await rowsWithContext(api, ack.session_id)).toEqual(before);
  });

  it('INV1: the key is scoped to the resolved session', async () => {
    const [one, two] = await Promise.all([
      invoke(api, agent.id, 'x', { ...inSession(), key: 'shared' }),
      invoke(api, agent.id, 'x', { ...inSession(), key: 'shared' }),
    ]);
    expect(one.turn_id).not.toBe(two.turn_id);
    expect([one.deduped, two.deduped]).toEqual([false, false]);
  });

  it('T7: the key holds as long as the session exists, behind later turns', async () => {
    const how = inSession();
    const { ack } = await converse(api, agent.id, 'one', { ...how, key: 'first' });
    for (let index = 0; index < 5; index += 1)
      await converse(api, agent.id, `more ${index}`, { ...how, key: `later-${index}` });
    expect(await invoke(api, agent.id, 'one', { ...how, key: 'first' })).toMatchObject({
      deduped: true,
      turn_id: ack.turn_id,
      after_sequence: ack.after_sequence,
    });
  });

  it('a key is trimmed; invoke and turn start share one scope', async () => {
    const { ack } = await converse(api, agent.id, 'one', { ...inSession(), key: '  padded ' });
    const repeat = await api.post<TurnAck>(
      `/v1/sessions/${ack.session_id}/turns`,
      { input: { content: [text('x')], idempotency_key: 'padded' } },
      202,
    );
    expect(repeat).toMatchObject({ deduped: true, turn_id: ack.turn_id });
  });

  it('INV2: without a key, or a blank one, nothing is deduplicated', async () => {
    const how = inSession();
    for (const key of [undefined, '', '   ']) {
      const ack = await invoke(api, agent.id, endlessScript, { ...how, key });
      expect(ack.deduped).toBe(false);
      expect(
        await api.refused('session_turn_active', 'POST', '/v1/agents/invoke', {
          body: invokeBody(agent.id, endlessScript, { ...how, key }),
        }),
      ).toMatchObject({ turn_id: ack.turn_id });
      await cancelTurn(api, ack);
    }
    const { id } = await createSession(api, agent.id, how.session);
    expect((await api.get<Page<Turn>>(`/v1/sessions/${id}/turns`)).items).toHaveLength(3);
  });

  it('G18: the Idempotency-Key header is ignored beside the body', async () => {
    const how = inSession();
    const headers = { 'idempotency-key': 'header-key' };
    const first = await api.call<TurnAck>('POST', '/v1/agents/invoke', {
      body: invokeBody(agent.id, 'a', how),
      headers,
      expect: 202,
    });
    await settled(api, first.body);
    const second = await api.call<TurnAck>('POST', '/v1/agents/invoke', {
      body: invokeBody(agent.id, 'a', how),
      headers,
      expect: 202,
    });
    expect(second.body.turn_id).not.toBe(first.body.turn_id);
    await settled(api, second.body);
  });

  it('INV3: another key while the turn is open is refused with its id and status, before anything is written', async () => {
    const how = inSession();
    const ack = await invoke(api, agent.id, endlessScript, { ...how, key: 'one' });
    await reaches(api, ack, 'running');
    const before = await rowsWithContext(api, ack.session_id);
    expect(
      await api.refused('session_turn_active', 'POST', '/v1/agents/invoke', {
        body: invokeBody(agent.id, 'CANARY', { ...how, key: 'two', context: [{ name: 'new', content: 'CANARY' }] }),
      }),
    ).toEqual({ turn_id: ack.turn_id, status: 'running' });
    expect(await rowsWithContext(api, ack.session_id)).toEqual(before);
    expect(await invoke(api, agent.id, endlessScript, { ...how, key: 'one' })).toMatchObject({
      deduped: true,
      status: 'running',
      turn_id: ack.turn_id,
    });
    await cancelTurn(api, ack);
    expect(await invoke(api, agent.id, endlessScript, { ...how, key: 'one' })).toMatchObject({
      deduped: true,
      status: 'cancelled',
      turn_id: ack.turn_id,
    });
    const after = await invoke(api, agent.id, 'CANARY', { ...how, key: 'two' });
    expect(after).toMatchObject({ deduped: false });
    await settled(api, after);
  });

  it('invariant 1: fifty racing invokes with one key write one row and one turn', async () => {
    const how = { ...inSession(), key: 'race' };
    const acks = await Promise.all(Array.from({ length: 50 }, () => invoke(api, agent.id, 'once', how)));
    expect(new Set(acks.map((ack) => `${ack.turn_id} ${ack.after_sequence} ${ack.resume_cursor}`)).size).toBe(1);
    expect(acks.filter((ack) => !ack.deduped)).toHaveLength(1);
    const [ack] = acks as [TurnAck];
    await settled(api, ack);
    expect((await allRows(api, ack.session_id)).filter((row) => row.role === 'user')).toHaveLength(1);
    expect((await api.get<Page<Turn>>(`/v1/sessions/${ack.session_id}/turns`)).items).toHaveLength(1);
  });

  it('invariant 7: of twenty racing invokes with different keys one is admitted into the new session', async () => {
    const how = inSession();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        api.send('POST', '/v1/agents/invoke', {
          body: invokeBody(agent.id, endlessScript, {
            ...how,
            key: `k${index}`,
            context: [{ name: `c${index}`, content: 'x' }],
          }),
        }),
      ),
    );
    const won = answers.filter((answer) => answer.status === 202).map((answer) => answer.body as TurnAck);
    expect(won).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
    const [ack] = won as [TurnAck];
    expect(await rowsWithContext(api, ack.session_id)).toHaveLength(2);
    await cancelTurn(api, ack);
  });

  it('INV6: reading and resuming executes nothing', async () => {
    const { ack } = await converse(api, agent.id, 'hi');
    const before = await api.get<Session>(`/v1/sessions/${ack.session_id}`);
    for (let round = 0; round < 10; round += 1) {
      await api.get(`/v1/sessions/${ack.session_id}/transcript`, { cursor: ack.resume_cursor });
      await api.get(`/v1/sessions/${ack.session_id}/messages`, { after_sequence: ack.after_sequence });
    }
    expect(await api.get<Session>(`/v1/sessions/${ack.session_id}`)).toEqual(before);
  });
});

describe('invoke: context', () => {
  const contextRows = async (sessionId: string) =>
    (await rowsWithContext(api, sessionId))
      .filter((row) => row.content[0]?.type === 'reminder')
      .map((row) => [row.content[0]?.name, row.content[0]?.content]);

  it('INV4, T30: a value is recorded when the name is new or its bytes changed, right before the input row', async () => {
    const how = inSession();
    const { ack } = await converse(api, agent.id, 'one', {
      ...how,
      context: [
        { name: 'board', content: 'red' },
        { name: 'mood', content: 'calm' },
      ],
    });
    await converse(api, agent.id, 'two', { ...how, context: [{ name: 'board', content: 'red' }] });
    await converse(api, agent.id, 'three', { ...how, context: [{ name: 'board', content: 'red ' }] });
    await converse(api, agent.id, 'four', {
      ...how,
      context: [
        { name: 'board', content: 'red' },
        { name: 'mood', content: 'calm' },
      ],
    });
    expect(await contextRows(ack.session_id)).toEqual([
      ['app-board', 'red'],
      ['app-mood', 'calm'],
      ['app-board', 'red '],
      ['app-board', 'red'],
    ]);
    const rows = await rowsWithContext(api, ack.session_id);
    expect(rows.slice(0, 4).map((row) => row.role)).toEqual(['user', 'user', 'user', 'assistant']);
    expect(rows[2]?.sequence).toBe(ack.after_sequence);
    expect(rows.map((row) => row.sequence)).toEqual(rows.map((_, index) => index + 1));
  });

  it('INV4: composed and decomposed letters are different bytes', async () => {
    const how = inSession();
    const { ack } = await converse(api, agent.id, 'one', { ...how, context: [{ name: 'n', content: '\u00e9' }] });
    await converse(api, agent.id, 'two', { ...how, context: [{ name: 'n', content: 'e\u0301' }] });
    expect(await contextRows(ack.session_id)).toEqual([
      ['app-n', '\u00e9'],
      ['app-n', 'e\u0301'],
    ]);
  });

  it('the model reads a value under its prefixed name (R45), also one recorded by an earlier turn; app-board becomes app-app-board', async () => {
    const how = inSession();
    const { ack } = await converse(api, agent.id, script({ read: 'context:app-board' }), {
      ...how,
      context: [
        { name: 'board', content: 'blue' },
        { name: 'app-board', content: 'own' },
      ],
    });
    await converse(api, agent.id, script({ read: 'context:app-board' }, { read: 'context:app-app-board' }), how);
    expect(
      (await allRows(api, ack.session_id)).filter((row) => row.role === 'assistant').map((row) => said(row)),
    ).toEqual(['blue', 'blueown']);
  });

  it('S28: a context row is one reminder block of a user row, hidden unless asked for', async () => {
    const { ack } = await converse(api, agent.id, 'one', { context: [{ name: 'board', content: 'red' }] });
    const hidden = await allRows(api, ack.session_id);
    expect(hidden.map((row) => row.sequence)).toEqual([2, 3]);
    const [row] = await rowsWithContext(api, ack.session_id);
    expect(row).toMatchObject({
      role: 'user',
      sequence: 1,
      content: [{ type: 'reminder', name: 'app-board', tier: 'contextual', content: 'red' }],
    });
    const byTurn = await api.get<{ items: { sequence: number }[] }>(`/v1/turns/${ack.turn_id}/messages`, {
      include: 'context',
    });
    expect(byTurn.items.map((one) => one.sequence)).toEqual([1, 2, 3]);
    expect(JSON.stringify(await api.get(`/v1/sessions/${ack.session_id}/transcript`))).not.toContain('app-board');
  });

  it('L10: 8192 UTF-8 bytes per item and 16384 in sum, multibyte text counted in bytes, refused before anything is written', async () => {
    const how = inSession();
    const wide = (bytes: number) => '€'.repeat(Math.floor(bytes / 3)) + 'x'.repeat(bytes % 3);
    const { ack } = await converse(api, agent.id, 'one', {
      ...how,
      context: [
        { name: 'a', content: wide(8192) },
        { name: 'b', content: wide(8192) },
      ],
    });
    const before = await rowsWithContext(api, ack.session_id);
    const refused = (context: object[], invalid = false) =>
      api.refused('bad_request', 'POST', '/v1/agents/invoke', {
        body: { ...invokeBody(agent.id, 'two', how), input: { content: [text('two')], context } },
        invalid,
      });
    await refused([{ name: 'a', content: wide(8193) }]);
    await refused([
      { name: 'a', content: wide(8192) },
      { name: 'b', content: wide(8191) },
      { name: 'c', content: 'xy' },
    ]);
    await refused([
      { name: 'a', content: 'x' },
      { name: 'a', content: 'y' },
    ]);
    await refused([{ name: 'a', content: '' }], true);
    await refused(
      Array.from({ length: 9 }, (_, index) => ({ name: `n${index}`, content: 'x' })),
      true,
    );
    for (const name of ['Board', '1board', '-b', 'b_c', 'x'.repeat(65), ''])
      await refused([{ name, content: 'x' }], true);
    await refused([{ name: 'a', content: 'x', more: 1 }], true);
    expect(await rowsWithContext(api, ack.session_id)).toEqual(before);
    expect((await api.get<Page<Turn>>(`/v1/sessions/${ack.session_id}/turns`)).items).toHaveLength(1);
    await converse(api, agent.id, 'fits', { ...how, context: [{ name: 'x'.repeat(64), content: 'v' }] });
  });

  it('L10: refused content on a new key makes no session either', async () => {
    const key = unique('k');
    await api.refused('bad_request', 'POST', '/v1/agents/invoke', {
      body: invokeBody(agent.id, 'x', {
        session: { session_key: key },
        context: [{ name: 'a', content: '€'.repeat(2731) }],
      }),
    });
    expect((await api.get<Page<Session>>('/v1/sessions', { agent_id: agent.id, session_key: key })).items).toEqual([]);
  });
});

describe('invoke: content blocks', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const image = (media_type: string, bytes: Buffer): Block => ({
    type: 'image',
    source: { type: 'base64', media_type, data: bytes.toString('base64') },
  });
  const refused = (code: string, content: unknown[], invalid = false) =>
    api.refused(code, 'POST', '/v1/agents/invoke', {
      body: { ...invokeBody(agent.id, 'x'), input: { content } },
      invalid,
    });

  it('S33: a message with a file block is accepted and dropped', async () => {
    const { ack, turn } = await converse(api, agent.id, [
      text('see file'),
      { type: 'file', source: { type: 'url', url: 'https://x' } },
    ]);
    expect(ack).not.toHaveProperty('user_message');
    expect(turn).toMatchObject({ status: 'completed', usage: {} });
    expect(await allRows(api, ack.session_id)).toEqual([]);
  });

  it('rule T33: the acknowledgement says how many blocks were dropped, on a repeat too, and nothing where none were', async () => {
    const body = invokeBody(
      agent.id,
      [text('see file'), { type: 'file', source: { type: 'url', url: 'https://x' } }, text('and this')],
      { key: 'dropped', session: { session_key: unique('k') } },
    );
    const first = await api.post<TurnAck & { dropped_blocks?: number }>('/v1/agents/invoke', body, 202);
    expect(first.dropped_blocks).toBe(3);
    expect(await api.post('/v1/agents/invoke', body, 202)).toMatchObject({ deduped: true, dropped_blocks: 3 });
    await settled(api, first);
    const session = await createSession(api, agent.id, { mode: 'new' });
    const start = (content: object[]) =>
      api.post<TurnAck>(`/v1/sessions/${session.id}/turns`, { input: { content } }, 202);
    const dropped = await start([{ type: 'file' }]);
    expect(dropped).toMatchObject({ dropped_blocks: 1 });
    await settled(api, dropped);
    expect(await start([text('whole')])).not.toHaveProperty('dropped_blocks');
  });

  it('rule L20: a row has at most 2,000 blocks', async () => {
    const blocks = (count: number) => Array.from({ length: count }, () => text('x'));
    expect((await converse(api, agent.id, blocks(2000))).turn.status).toBe('completed');
    const details = await refused('bad_request', blocks(2001), false);
    expect(details).toMatchObject({ issues: [{ path: '/input/content' }] });
  });

  it('S34: unknown blocks, and those that only the service writes, are refused', async () => {
    for (const block of [
      { type: 'novel' },
      { type: 'thinking', thinking: 'x' },
      { type: 'tool_use', id: 'i', name: 'n', input: {} },
      { type: 'tool_result', tool_use_id: 'i', content: 'x' },
      { type: 'reminder', name: 'app-x', tier: 'contextual', content: 'x' },
      { text: 'no type' },
    ])
      await refused('bad_request', [block], true);
    await refused('bad_request', [], true);
    await refused('bad_request', ['text'], true);
  });

  it('S35: artifact and provider file sources are refused by argument', async () => {
    for (const block of [
      { type: 'image', source: { type: 'artifact', artifact_id: 'art_1' } },
      { type: 'document', source: { type: 'file', file_id: 'f' } },
    ]) {
      expect(await refused('invalid_argument', [block], true)).toMatchObject({ argument: 'source.type' });
    }
  });

  it('S36: documents may be text, a URL or base64', async () => {
    const { ack, turn } = await converse(api, agent.id, [
      text('read'),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain words' } },
    ]);
    expect(turn.status).toBe('completed');
    expect((await allRows(api, ack.session_id))[0]?.content[1]).toMatchObject({
      type: 'document',
      source: { type: 'text', data: 'plain words' },
    });
  });

  it('rule TE82: a document of a type that nothing here reads is taken, and named to the model as unread', async () => {
    const pack = {
      type: 'document',
      title: 'Pack',
      source: { type: 'base64', media_type: 'application/zip', data: 'UEsDBA==' },
    };
    const { ack, turn } = await converse(api, agent.id, [text('read'), pack]);
    expect(turn.status).toBe('completed');
    const [input, answer] = await allRows(api, ack.session_id);
    expect(input?.content[1]).toEqual(pack);
    expect(said(answer)).toBe(
      'You said: read\n[document Pack was not read: application/zip is not a type that can be read]',
    );
  });

  it('S37: the four image types are taken, checked against the bytes', async () => {
    const { ack, turn } = await converse(api, agent.id, [text('look'), image('image/png', png)]);
    expect(turn.status).toBe('completed');
    expect((await allRows(api, ack.session_id))[0]?.content[1]).toMatchObject({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png' },
    });
    await refused('bad_request', [image('image/jpeg', png)]);
    await refused('bad_request', [image('image/tiff', png)], true);
    await refused('bad_request', [image('image/png', Buffer.from('not a picture at all'))]);
  });

  it('L4: at most 20 media blocks, 5 MiB decoded each', async () => {
    await refused(
      'bad_request',
      Array.from({ length: 21 }, () => image('image/png', png)),
    );
    const large = Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024 - png.length + 1)]);
    expect(await refused('payload_too_large', [image('image/png', large)])).toMatchObject({
      limit_bytes: 5 * 1024 * 1024,
    });
    await settled(api, await invoke(api, agent.id, [image('image/png', large.subarray(0, 5 * 1024 * 1024))]));
  });

  it('L3: 8 MiB on invoke, 1 MiB elsewhere', async () => {
    const big = (bytes: number) => 'x'.repeat(bytes);
    expect(await refused('payload_too_large', [text(big(8 * 1024 * 1024))])).toEqual({ limit_bytes: 8 * 1024 * 1024 });
    const { ack, turn } = await converse(api, agent.id, [text(big(2 * 1024 * 1024)), text('short')]);
    expect(turn.status).toBe('completed');
    expect((await allRows(api, ack.session_id))[0]?.content[0]?.text).toHaveLength(2 * 1024 * 1024);
    expect(
      await api.refused('payload_too_large', 'POST', '/v1/sessions', {
        body: { agent_id: agent.id, metadata: { v: big(1024 * 1024) } },
      }),
    ).toEqual({ limit_bytes: 1024 * 1024 });
  });

  it('every language and odd text comes back exactly', async () => {
    const words = ['日本語 👩‍👩‍👧 e\u0301 \u0000-free', 'line\nbreak\ttab "quotes" \\ back', '\u2028\u2029', ' spaces '];
    for (const word of words) {
      const { ack } = await converse(api, agent.id, word);
      expect(said((await allRows(api, ack.session_id))[0])).toBe(word);
    }
  });

  it('L11: input metadata is kept on the row and bounded', async () => {
    const { ack } = await converse(api, agent.id, 'x', { metadata: { trace: 'abc' } });
    expect((await allRows(api, ack.session_id))[0]?.metadata).toMatchObject({ trace: 'abc' });
    await api.refused('bad_request', 'POST', '/v1/agents/invoke', {
      body: invokeBody(agent.id, 'x', { metadata: { v: 'x'.repeat(16_384) } }),
    });
  });

  it("S26: metadata of a row has the contract's form wherever a caller sends it", async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const content = [{ type: 'text', text: 'CANARY' }];
    const callers: [string, (metadata: Record<string, unknown>) => object][] = [
      ['/v1/agents/invoke', (metadata) => invokeBody(agent.id, 'x', { metadata })],
      [`/v1/sessions/${id}/turns`, (metadata) => ({ input: { content, metadata } })],
      [`/v1/sessions/${id}/turns`, (metadata) => ({ content, metadata })],
      [`/v1/sessions/${id}/nudges`, (metadata) => ({ content: 'CANARY', metadata })],
      [`/v1/sessions/${id}/messages`, (metadata) => ({ messages: [{ role: 'user', content, metadata }] })],
    ];
    for (const [path, bodyOf] of callers)
      for (const metadata of [
        { session_nudge_id: 5 },
        { event_type: null },
        { event_projection: 'Request answered' },
        { event_projection: { title: 'Request granted' } },
        { event_projection: { title: 'Request answered', summary: 5 } },
        { interaction_id: {} },
        { response_message_index: 0.5 },
        { partial: 'yes' },
        { terminal_outcome: 'completed' },
        { channel_context: [] },
        { channel_context: { provider: 5 } },
      ])
        await api.refused('bad_request', 'POST', path, { body: bodyOf(metadata) });
    expect(await allRows(api, id)).toEqual([]);
    const metadata = {
      event_type: 'crm.deal.won',
      event_projection: { title: 'Request answered', excerpt: 'yes' },
      partial: false,
      channel_context: { provider: 'slack', more: 1 },
    };
    const row = { role: 'user', content, metadata };
    await api.post(`/v1/sessions/${id}/messages`, { messages: [row] }, 200);
    expect((await allRows(api, id))[0]?.metadata).toEqual(metadata);
  });

  it('T29, L11: the channel of a message is kept in its metadata, and bounded as metadata is', async () => {
    const body = (channel: object) => ({ ...invokeBody(agent.id, 'x'), channel_context: channel });
    const channel = { provider: 'slack', channel_id: 'C1', more: { v: 'x'.repeat(16_000) } };
    const ack = await api.post<TurnAck>('/v1/agents/invoke', body(channel));
    await settled(api, ack);
    expect((await allRows(api, ack.session_id))[0]?.metadata).toEqual({ channel_context: channel });
    const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) });
    for (const over of [{ v: 'x'.repeat(16_384) }, deep(8)])
      await api.refused('bad_request', 'POST', '/v1/agents/invoke', { body: body(over) });
    await settled(api, await api.post<TurnAck>('/v1/agents/invoke', body(deep(7))));
  });
});
