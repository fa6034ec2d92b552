import {
  type Agent,
  Client,
  finalStatuses,
  type Page,
  type Session,
  Transcript,
  type Turn,
  type TurnAck,
  allRows,
  cancelTurn,
  createAgent,
  createSession,
  eventually,
  foldTranscript,
  freshTranscript,
  invoke,
  invokeBody,
  person,
  readTurn,
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
  agent = await createAgent(api, { name: unique('races') });
});

describe('races', () => {
  it('S5, S40: deletes and resolving creates of one key race: every live answer is a session of that key, at most one lives', async () => {
    const key = unique('k');
    const ids = new Set<string>();
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        if (index % 3 === 0) {
          const found = (await api.get<Page<Session>>('/v1/sessions', { agent_id: agent.id, session_key: key }))
            .items[0];
          if (found) expect([204, 404]).toContain((await api.send('DELETE', `/v1/sessions/${found.id}`)).status);
        } else ids.add((await createSession(api, agent.id, { session_key: key })).id);
      }),
    );
    const last = await createSession(api, agent.id, { session_key: key });
    let live = 0;
    for (const id of ids) if ((await api.send('GET', `/v1/sessions/${id}`)).status === 200) live += 1;
    expect(live).toBeLessThanOrEqual(1);
    expect(
      (await api.get<Page<Session>>('/v1/sessions', { agent_id: agent.id, session_key: key })).items.map(
        (session) => session.id,
      ),
    ).toEqual([last.id]);
  });

  it('a delete races with an invoke: either the session is gone and the invoke made a new one, or it stays with its turn', async () => {
    for (let round = 0; round < 10; round += 1) {
      const key = unique('k');
      const made = await createSession(api, agent.id, { session_key: key });
      // The turn runs until it is cancelled below: no delete can find it ended and take the session after it.
      const [deleted, invoked] = await Promise.all([
        api.send('DELETE', `/v1/sessions/${made.id}`),
        api.send('POST', '/v1/agents/invoke', {
          body: invokeBody(agent.id, script({ wait_ms: 60_000 }), { session: { session_key: key }, key: 'k' }),
        }),
      ]);
      expect(invoked.status).toBe(202);
      const ack = invoked.body as TurnAck;
      if (deleted.status === 409) expect(ack.session_id).toBe(made.id);
      else expect([204, ack.session_id === made.id]).toEqual([deleted.status, false]);
      await cancelTurn(api, ack);
      expect((await settled(api, ack)).status).toBe('cancelled');
      const repeat = await invoke(api, agent.id, 'hi', { session: { session_key: key }, key: 'k' });
      expect(repeat).toMatchObject({ deduped: true, turn_id: ack.turn_id });
    }
  });

  it('racing changes of a session all land: last value of one of them, version counts each', async () => {
    const made = await createSession(api, agent.id, { mode: 'new' });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        api.patch<Session>(
          `/v1/sessions/${made.id}`,
          index % 2 === 0 ? { title: `t${index}` } : { metadata: { place: index } },
        ),
      ),
    );
    const now = await api.get<Session>(`/v1/sessions/${made.id}`);
    expect(now.title).toMatch(/^t\d+$/);
    expect(now.metadata).toEqual({ place: expect.any(Number) as number });
    expect(now.version).toBeGreaterThanOrEqual(made.version + 20);
  });

  it('invariants 1, 12, 14: invokes, repeats and cancels of one key race: one turn, one final state, the same for all', async () => {
    for (let round = 0; round < 5; round += 1) {
      const how = { session: { session_key: unique('k') }, key: 'k' };
      const first = await invoke(api, agent.id, script({ wait_ms: 20 * round }, { say: 'x' }), how);
      const seen = await Promise.all(
        Array.from({ length: 30 }, async (_, index) =>
          index % 2 === 0 ? (await invoke(api, agent.id, 'other', how)).turn_id : (await cancelTurn(api, first)).id,
        ),
      );
      expect(new Set(seen)).toEqual(new Set([first.turn_id]));
      const final = await settled(api, first);
      expect((await api.get<Page<Turn>>(`/v1/sessions/${first.session_id}/turns`)).items).toEqual([final]);
      const rows = await allRows(api, first.session_id);
      expect(rows.map((row) => row.role)).toEqual(final.status === 'completed' ? ['user', 'assistant'] : ['user']);
    }
  });

  it('F17, F23: an agent that asks and ends its turn at once: its questions stream before the turn ends', async () => {
    const [target, asker] = await Promise.all([
      person(api),
      createAgent(api, {
        name: unique('asker'),
        action_selectors: [{ selector_type: 'exact', selector: 'svc.interaction.open' }],
      }),
    ]);
    const question = (index: number) => ({
      name: 'svc_interaction_open',
      input: { kind: 'request_approval', title: `Go ${index}?`, target_user_ids: [target.id] },
    });
    const asking = script({ calls: [0, 1, 2].map(question) }, { say: 'asked' });
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { id } = await createSession(api, asker.id, { mode: 'new' });
        const { resume_cursor: cursor } = await startTurn(api, id, asking);
        const frames = await (await v2(api, id, cursor)).over();
        const shown = frames.filter(({ event }) => event === 'interaction.upsert').map(({ data }) => data['title']);
        expect(shown.sort()).toEqual(['Go 0?', 'Go 1?', 'Go 2?']);
        expect(frames.at(-1)?.data).toMatchObject({ event_type: 'stream.end', reason: 'idle' });
        const ended = frames.findIndex(({ event, data }) => event === 'turn.upsert' && data['status'] === 'completed');
        expect(frames.findLastIndex(({ event }) => event === 'interaction.upsert')).toBeLessThan(ended);
      }),
    );
  });

  it('a hundred sessions at once, each turn on its own', async () => {
    const acks = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        invoke(api, agent.id, `hello ${index}`, { session: { session_key: unique('k') }, key: 'k' }),
      ),
    );
    const turns = await Promise.all(acks.map((ack) => settled(api, ack)));
    expect(new Set(turns.map((turn) => turn.status))).toEqual(new Set(['completed']));
    const sample = acks[42] as TurnAck;
    expect((await allRows(api, sample.session_id)).map((row) => row.content)).toEqual([
      [text('hello 42')],
      [text('You said: hello 42')],
    ]);
  });

  it('invariants 29, 30, 31, 32, 33, 34: turns, cancels, failures and cut readers of both protocols at once', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    let isWriting = true;
    const inputs = [
      'tokens=20 every=2',
      script({ think: 'hm' }, { call: { name: 'none', input: {} } }, { say: 'x' }),
      script({ say: 'half' }, { error: { type: 'model_error', message: 'x' } }),
      script({ say: 'p' }, { wait_ms: 60_000 }),
    ];
    const writing = (async () => {
      for (let index = 0; index < 24; index += 1) {
        const ack = await api.post<TurnAck>(
          `/v1/sessions/${id}/turns`,
          { input: { content: [text(inputs[index % inputs.length] ?? '')] } },
          202,
        );
        if (index % inputs.length === 3)
          await eventually('some output or none', async () => (await readTurn(api, ack)).status !== 'queued').then(() =>
            cancelTurn(api, ack),
          );
        await settled(api, ack);
      }
      isWriting = false;
    })();
    const readers = Array.from({ length: 6 }, async (_, reader) => {
      const transcript = new Transcript();
      const positions: number[] = [];
      let seed = reader + 1;
      for (let index = 0; index < 3000; index += 1) {
        const wasWriting = isWriting;
        seed = (seed * 48_271) % 2_147_483_647;
        const cutAfterBytes = wasWriting ? 200 + (seed % 5000) : undefined;
        if (reader % 2 === 0) {
          foldTranscript(
            await (await v2(api, id, transcript.cursor ?? undefined, { cutAfterBytes })).over(),
            transcript,
          );
        } else {
          const frames = await (await v1(api, id, { after_sequence: positions.at(-1) ?? 0 }, { cutAfterBytes })).over();
          positions.push(...frames.filter((frame) => frame.id !== null).map((frame) => Number(frame.id)));
        }
        if (!wasWriting) return { transcript, positions };
      }
      throw new Error('the writer never ended');
    });
    const [read] = await Promise.all([Promise.all(readers), writing]);
    const whole = (await freshTranscript(api, id)).final();
    const sequences = (await allRows(api, id)).map((row) => row.sequence);
    for (const [reader, { transcript, positions }] of read.entries()) {
      if (reader % 2 === 0) {
        expect(transcript.final()).toEqual(whole);
        expect([...transcript.messages.values()].every((message) => message.status === 'final')).toBe(true);
      } else expect(positions).toEqual(sequences);
    }
    expect(whole.turns.every((turn) => finalStatuses.includes(turn.status))).toBe(true);
  });

  it('a repeat is answered also when the agent or the session admits nothing new any more (INV1)', async () => {
    const own = await createAgent(api);
    const how = { session: { session_key: 'k' }, key: 'k' };
    const ack = await invoke(api, own.id, 'hi', how);
    await settled(api, ack);
    await api.patch(`/v1/sessions/${ack.session_id}`, { status: 'archived' });
    await api.patch(`/v1/agents/${own.id}`, { status: 'inactive' });
    expect(await invoke(api, own.id, 'hi', how)).toMatchObject({
      deduped: true,
      turn_id: ack.turn_id,
      status: 'completed',
    });
  });
});
