import {
  type Agent,
  Client,
  endlessScript,
  type EventStream,
  type Frame,
  type Snapshot,
  Transcript,
  type TurnAck,
  allRows,
  cancelTurn,
  converse,
  createAgent,
  createSession,
  eventually,
  foldTranscript,
  freshTranscript,
  invoke,
  reaches,
  said,
  script,
  settled,
  snapshotPages,
  startTurn,
  text,
  unique,
  v2,
  timeFor,
} from '../harness/index.js';

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('v2') });
});

async function sessionOf(turns: number): Promise<string> {
  const { id } = await createSession(api, agent.id, { mode: 'new' });
  for (let index = 0; index < turns; index += 1)
    await settled(
      api,
      await startTurn(
        api,
        id,
        index % 3 === 2
          ? script({ think: 'hm' }, { call: { name: 'none', input: {} } }, { say: 'x' })
          : `line ${index}`,
      ),
    );
  return id;
}

/** The follow procedure (rule V2.11) from a cursor to the idle end: snapshot pages, then the stream. */
async function follow(sessionId: string, cursor: string, limit = 20): Promise<Transcript> {
  const transcript = new Transcript();
  const pages = await snapshotPages(api, sessionId, { cursor, limit });
  pages.forEach((page, index) => transcript.applyPage(page, index === pages.length - 1));
  const stream = await v2(api, sessionId, transcript.cursor ?? cursor);
  return foldTranscript(await stream.over(), transcript);
}

describe('v2: snapshot', () => {
  it('F19: messages, turns, open interactions and a cursor', async () => {
    const id = await sessionOf(2);
    const [page] = await snapshotPages(api, id);
    expect(page?.messages.map((message) => message.sequence)).toEqual([1, 2, 3, 4]);
    expect(page?.messages.every((message) => message.status === 'final')).toBe(true);
    expect(page?.turns.map((turn) => turn.status)).toEqual(['completed', 'completed']);
    expect(page?.interactions).toEqual([]);
    expect(page?.resume_cursor).toMatch(/^[A-Za-z0-9._~-]{1,256}$/);
    const rows = await allRows(api, id);
    page?.messages.forEach((message, index) =>
      expect(message).toMatchObject({
        id: rows[index]?.id,
        content: rows[index]?.content,
        role: rows[index]?.role,
        created_at: rows[index]?.created_at,
      }),
    );
  });

  it('F20: without a cursor older pages follow while the cursor stays; any page size folds the same', async () => {
    const id = await sessionOf(6);
    const whole = (await freshTranscript(api, id)).final();
    expect(whole.messages.length).toBe((await allRows(api, id)).length);
    for (const limit of [1, 3, 7]) {
      const pages = await snapshotPages(api, id, { limit });
      expect(new Set(pages.map((page) => page.resume_cursor)).size).toBe(1);
      const newest = pages.map((page) => page.messages.at(-1)?.sequence ?? 0);
      expect(newest).toEqual([...newest].sort((left, right) => right - left));
      for (const page of pages) expect(page.messages.length).toBeLessThanOrEqual(limit);
      expect((await freshTranscript(api, id, limit)).final()).toEqual(whole);
    }
  });

  it('F20: with a cursor it goes forward to a fixed cut', async () => {
    const { ack } = await converse(api, agent.id, 'first');
    for (let index = 0; index < 5; index += 1)
      await settled(api, await startTurn(api, ack.session_id, `more ${index}`));
    const pages = await snapshotPages(api, ack.session_id, { cursor: ack.resume_cursor, limit: 3 });
    const seen = pages.flatMap((page) => page.messages.map((message) => message.sequence));
    expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    const last = pages.at(-1);
    const after = await snapshotPages(api, ack.session_id, { cursor: last?.resume_cursor });
    expect(after).toEqual([expect.objectContaining({ messages: [], has_more: false })]);
  });

  it('T5: resume_cursor of the acknowledgement lies before the first row of the turn', async () => {
    const id = await sessionOf(1);
    const ack = await startTurn(api, id, 'second');
    await settled(api, ack);
    const [page] = await snapshotPages(api, id, { cursor: ack.resume_cursor });
    expect(page?.messages.map((message) => message.sequence)).toEqual([3, 4]);
    expect(page?.turns.map((turn) => turn.id)).toEqual([ack.turn_id]);
  });

  it('a running turn shows its streaming row on the last page (F16)', async () => {
    const ack = await invoke(api, agent.id, script({ say: 'so far' }, { wait_ms: 600_000 }));
    await reaches(api, ack, 'running');
    const live = await eventually('the whole preview', async () => {
      const page = await api.get<Snapshot>(`/v1/sessions/${ack.session_id}/transcript`);
      expect(page.turns.map((turn) => turn.id)).toEqual([ack.turn_id]);
      return page.messages.find((message) => message.status === 'streaming' && said(message) === 'so far');
    });
    expect(live).toMatchObject({ sequence: null, role: 'assistant', turn_id: ack.turn_id, content: [text('so far')] });
    await cancelTurn(api, ack);
    expect((await freshTranscript(api, ack.session_id)).messages.size).toBe(1);
  });

  it('S39: a call shows how it ended; S28: context rows are absent', async () => {
    const { ack } = await converse(api, agent.id, script({ call: { name: 'none', input: {} } }, { say: 'x' }), {
      context: [{ name: 'board', content: 'SECRETLY' }],
    });
    const { messages } = (await freshTranscript(api, ack.session_id)).final();
    expect(messages.flatMap((message) => message.content).find((block) => block.type === 'tool_use')).toMatchObject({
      status: 'error',
    });
    expect(JSON.stringify(messages)).not.toContain('SECRETLY');
    expect(JSON.stringify(await (await v2(api, ack.session_id)).over())).not.toContain('SECRETLY');
  });
});

describe('v2: cursors', () => {
  it('F12, invariant 39: nonsense, damaged and foreign cursors are refused on snapshot and stream', async () => {
    const [one, two] = [await converse(api, agent.id, 'one'), await converse(api, agent.id, 'two')];
    const good = one.ack.resume_cursor;
    const flipped = good.slice(0, -1) + (good.endsWith('A') ? 'B' : 'A');
    for (const [session, cursor] of [
      [one.ack.session_id, 'nonsense'],
      [one.ack.session_id, flipped],
      [two.ack.session_id, good],
      [one.ack.session_id, 'x'.repeat(5000)],
    ] as const) {
      await api.refused('invalid_cursor', 'GET', `/v1/sessions/${session}/transcript`, { query: { cursor } });
      await api.refused('invalid_cursor', 'GET', `/v1/sessions/${session}/transcript/stream`, { query: { cursor } });
      if (cursor.length < 1000)
        await api.refused('invalid_cursor', 'GET', `/v1/sessions/${session}/transcript/stream`, {
          headers: { 'last-event-id': cursor },
        });
    }
    await api.refused('invalid_cursor', 'GET', `/v1/sessions/${one.ack.session_id}/transcript`, {
      query: { page_token: 'nonsense' },
    });
    await api.refused('not_found', 'GET', '/v1/sessions/ses_00000000000000000000000000/transcript/stream');
  });

  it('F13: the query wins over Last-Event-ID; the header alone works', async () => {
    const id = await sessionOf(2);
    const all = await (await v2(api, id)).over();
    const durable = all.filter((frame) => frame.id !== null);
    const [early, late] = [durable[1]?.id ?? '', durable.at(-1)?.id ?? ''];
    const rest = async (cursor: string | undefined, header?: string) =>
      (
        await (await v2(api, id, cursor, header === undefined ? {} : { headers: { 'last-event-id': header } })).over()
      ).filter((frame) => frame.id !== null).length;
    expect(await rest(early, late)).toBeGreaterThan(0);
    expect(await rest(undefined, late)).toBe(0);
    expect(await rest(early)).toBe(await rest(undefined, early));
  });

  it('F15, invariant 30: every delivered id is a resume point: what follows it completes the transcript', async () => {
    const id = await sessionOf(4);
    const whole = (await freshTranscript(api, id)).final();
    const frames = await (await v2(api, id)).over();
    for (const [index, frame] of frames.entries()) {
      if (frame.id === null) continue;
      const rest = await (await v2(api, id, frame.id)).over();
      expect(foldTranscript(rest, foldTranscript(frames.slice(0, index + 1))).final()).toEqual(whole);
    }
  });
});

describe('v2: stream', () => {
  it('F14: without a cursor the bootstrap folds to the snapshot, then stream.ready, then idle', async () => {
    const id = await sessionOf(3);
    const frames = await (await v2(api, id)).over();
    expect(foldTranscript(frames).final()).toEqual((await freshTranscript(api, id)).final());
    expect(frames.slice(-2).map((frame) => frame.event)).toEqual(['stream.ready', 'stream.end']);
    expect(frames.at(-1)?.data).toEqual({ event_type: 'stream.end', session_id: id, reason: 'idle' });
    const ready = frames.at(-2)?.data['resume_cursor'];
    expect((await (await v2(api, id, String(ready))).over()).map((frame) => frame.event)).toEqual([
      'stream.ready',
      'stream.end',
    ]);
  });

  it('F16: a streaming row opens before its blocks, blocks before their deltas, and its final row has the same id', async () => {
    const ack = await invoke(
      api,
      agent.id,
      script(
        { wait_ms: await timeFor(api, 4) },
        { think: 'hm hm' },
        { wait_ms: 1_000 },
        { repeat_say: { text: 'word ', times: 20 } },
      ),
    );
    const stream = await v2(api, ack.session_id, ack.resume_cursor);
    const frames = await stream.over();
    const opened = frames.findIndex(
      (frame) => frame.event === 'message.upsert' && frame.data['status'] === 'streaming',
    );
    const final = frames.findIndex(
      (frame) =>
        frame.event === 'message.upsert' && frame.data['status'] === 'final' && frame.data['role'] === 'assistant',
    );
    expect(opened).toBeGreaterThan(-1);
    expect(opened).toBeLessThan(final);
    expect(frames[opened]?.data).toMatchObject({
      sequence: null,
      turn_id: ack.turn_id,
      turn_index: frames[final]?.data['turn_index'],
    });
    expect(frames[final]?.data['id']).toBe(frames[opened]?.data['id']);
    const known = new Set<string>((frames[opened]?.data['content'] as unknown[]).map((_, index) => String(index)));
    for (const frame of frames.slice(opened, final)) {
      if (frame.event === 'message.block') known.add(String(frame.data['content_index']));
      if (frame.event === 'message.delta') expect(known.has(String(frame.data['content_index']))).toBe(true);
    }
    const before = foldTranscript(frames.slice(0, final)).messages.get(String(frames[opened]?.data['id']));
    expect(before?.content).toEqual(frames[final]?.data['content']);
  });

  it('F17: final rows, then the final turn.upsert, then idle', async () => {
    const ack = await invoke(api, agent.id, 'tokens=30 every=5');
    const frames = await (await v2(api, ack.session_id, ack.resume_cursor)).over();
    const tail = frames.filter((frame) => frame.id !== null || frame.event === 'stream.end').slice(-3);
    expect(tail.map((frame) => [frame.event, frame.data['status'] ?? frame.data['reason']])).toEqual([
      ['message.upsert', 'final'],
      ['turn.upsert', 'completed'],
      ['stream.end', 'idle'],
    ]);
    expect(tail[1]?.data['usage']).toMatchObject({ calls: 1 });
  });

  it('rule TT1: a cancelled turn leaves no streaming row behind', async () => {
    const ack = await invoke(api, agent.id, script({ say: 'so far' }, { wait_ms: 600_000 }));
    const stream = await v2(api, ack.session_id, ack.resume_cursor);
    await stream.until('the streaming row', (frame) => frame.data['status'] === 'streaming');
    await cancelTurn(api, ack);
    const folded = foldTranscript(await stream.over());
    expect([...folded.messages.values()].map((message) => message.role)).toEqual(['user']);
    expect(folded.final()).toEqual((await freshTranscript(api, ack.session_id)).final());
  });

  it('T20: partial rows of a failed turn are not in the transcript', async () => {
    const { ack } = await converse(
      api,
      agent.id,
      script({ say: 'half' }, { error: { type: 'model_error', message: 'x' } }),
    );
    const folded = foldTranscript(await (await v2(api, ack.session_id)).over());
    expect(folded.final()).toEqual((await freshTranscript(api, ack.session_id)).final());
    expect([...folded.messages.values()].map((message) => message.role)).toEqual(['user']);
    expect([...folded.turns.values()][0]).toMatchObject({ status: 'failed', error_type: 'model_error' });
  });

  it('tool calls: pending, patched and answered, folding to the stored blocks', async () => {
    const ack = await invoke(
      api,
      agent.id,
      script(
        { wait_ms: 100 },
        {
          calls: [
            { name: 'none_a', input: {} },
            { name: 'none_b', input: { b: 2 } },
          ],
        },
        { say: 'done' },
      ),
    );
    const folded = foldTranscript(await (await v2(api, ack.session_id, ack.resume_cursor)).over());
    expect(folded.final()).toEqual((await freshTranscript(api, ack.session_id)).final());
    const blocks = folded.final().messages.flatMap((message) => message.content);
    expect(blocks.filter((block) => block.type === 'tool_use').map((block) => block['status'])).toEqual([
      'error',
      'error',
    ]);
  });

  it('twenty viewers fold to one state', async () => {
    const ack = await invoke(api, agent.id, 'tokens=50 every=4');
    const streams = await Promise.all(Array.from({ length: 20 }, () => v2(api, ack.session_id, ack.resume_cursor)));
    const folded = await Promise.all(
      streams.map(async (stream: EventStream) => foldTranscript(await stream.over()).final()),
    );
    const whole = (await freshTranscript(api, ack.session_id)).final();
    for (const one of folded) expect(one).toEqual(whole);
  });
});

describe('v2: following through trouble', () => {
  it('invariant 34: snapshot pages while rows are written, then the stream, fold like a fresh snapshot', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const first = await startTurn(api, id, 'first');
    await settled(api, first);
    const writing = (async () => {
      for (let index = 0; index < 10; index += 1)
        await settled(
          api,
          await startTurn(api, id, script({ wait_ms: 5 }, { call: { name: 'none', input: {} } }, { say: `m${index}` })),
        );
    })();
    for (const limit of [1, 2, 5]) await follow(id, first.resume_cursor, limit);
    await writing;
    const whole = (await freshTranscript(api, id)).final();
    for (const limit of [1, 4, 100]) expect((await follow(id, first.resume_cursor, limit)).final()).toEqual(whole);
  });

  it('frames twice change nothing (idempotent upserts)', async () => {
    const id = await sessionOf(3);
    const frames = (await (await v2(api, id)).over()).filter((frame) => frame.event !== 'message.delta');
    const once = foldTranscript(frames).final();
    expect(foldTranscript([...frames, ...frames]).final()).toEqual(once);
  });

  it('invariant 30: cut at random bytes during a live turn and resumed each time, the fold is that of a fresh snapshot', async () => {
    let seed = 20_261;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    for (let round = 0; round < 6; round += 1) {
      const ack: TurnAck = await invoke(
        api,
        agent.id,
        script(
          { think: 'hm' },
          { wait_ms: 60 },
          { call: { name: 'none', input: {} } },
          { wait_ms: 60 },
          { repeat_say: { text: 'word ', times: 30 } },
          { wait_ms: 60 },
          { say: 'end' },
        ),
      );
      const transcript = new Transcript();
      transcript.cursor = ack.resume_cursor;
      let ended = false;
      for (let connection = 0; connection < 60 && !ended; connection += 1) {
        const cutAfterBytes = connection < 55 ? 1 + Math.floor(random() * 6000) : undefined;
        const stream = await v2(api, ack.session_id, transcript.cursor ?? undefined, { cutAfterBytes });
        const frames: Frame[] = await stream.over();
        foldTranscript(frames, transcript);
        ended = frames.some((frame) => frame.event === 'stream.end');
      }
      expect(ended).toBe(true);
      expect(transcript.final()).toEqual((await freshTranscript(api, ack.session_id)).final());
      expect([...transcript.messages.values()].every((message) => message.status === 'final')).toBe(true);
    }
  });

  it('a stream opened on an idle cursor ends idle; a new turn is seen from the same cursor (V2)', async () => {
    const id = await sessionOf(1);
    const [page] = await snapshotPages(api, id);
    const cursor = page?.resume_cursor ?? '';
    expect((await (await v2(api, id, cursor)).over()).map((frame) => frame.event)).toEqual([
      'stream.ready',
      'stream.end',
    ]);
    const ack = await startTurn(api, id, endlessScript);
    const stream = await v2(api, id, cursor);
    await stream.until('the new turn', (frame) => frame.event === 'turn.upsert' && frame.data['id'] === ack.turn_id);
    await stream.until('stream.ready', (frame) => frame.event === 'stream.ready');
    expect(stream.ending).toBe('open');
    await cancelTurn(api, ack);
    expect((await stream.over()).at(-1)?.data).toMatchObject({ event_type: 'stream.end', reason: 'idle' });
  });
});
