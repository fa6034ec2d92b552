import {
  type Agent,
  Client,
  endlessScript,
  type EventStream,
  type Frame,
  type TurnAck,
  allRows,
  cancelTurn,
  converse,
  createAgent,
  createSession,
  eventually,
  invoke,
  invokeBody,
  openStream,
  reaches,
  readTurn,
  script,
  settled,
  startTurn,
  text,
  unique,
  v1,
  timeFor,
} from '../harness/index.js';

const api = Client.owner();
let agent: Agent;
const durable = ['user.message', 'agent.message', 'compaction.created'];

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('v1') });
});

const ids = (frames: readonly Frame[]) => frames.filter((frame) => frame.id !== null).map((frame) => Number(frame.id));
const joined = (stream: EventStream) =>
  stream
    .of('generation.delta')
    .map((frame) => (frame.data['delta'] as { text?: string }).text ?? '')
    .join('');
const inline = (body: object, more: object = {}) =>
  openStream(api, '/v1/agents/invoke', { method: 'POST', body, protocol: 'v1', ...more });

async function sessionOf(turns: number): Promise<TurnAck[]> {
  const { id } = await createSession(api, agent.id, { mode: 'new' });
  const acks: TurnAck[] = [];
  for (let index = 0; index < turns; index += 1) {
    const ack = await startTurn(api, id, `line ${index}`);
    await settled(api, ack);
    acks.push(ack);
  }
  return acks;
}

describe('v1: replay', () => {
  it('F5: rows in sequence order, each turn behind its last row, then stream.end idle (F10)', async () => {
    const acks = await sessionOf(3);
    const stream = await v1(api, acks[0]?.session_id ?? '');
    const frames = await stream.over();
    expect(stream.ending).toBe('ended');
    expect(ids(frames)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(frames.filter((frame) => frame.event !== 'turn.started').map((frame) => frame.event)).toEqual([
      ...['user.message', 'agent.message', 'turn.upsert', 'turn.completed'],
      ...['user.message', 'agent.message', 'turn.upsert', 'turn.completed'],
      ...['user.message', 'agent.message', 'turn.upsert', 'turn.completed'],
      'stream.end',
    ]);
    expect(frames.at(-1)?.data).toEqual({ event_type: 'stream.end', session_id: acks[0]?.session_id, reason: 'idle' });
  });

  it('F8: durable frames carry the stored row', async () => {
    const { ack } = await converse(api, agent.id, 'hello');
    const frames = await (await v1(api, ack.session_id)).over();
    const rows = await allRows(api, ack.session_id);
    for (const row of rows) {
      expect(frames.find((frame) => frame.id === String(row.sequence))?.data).toMatchObject({
        message_id: row.id,
        sequence: row.sequence,
        role: row.role,
        content: row.content,
        turn_id: row.turn_id,
        session_id: row.session_id,
        created_at: row.created_at,
      });
    }
  });

  it('invariant 29: from any position exactly the rows after it come, in order', async () => {
    const [first] = await sessionOf(4);
    for (let after = 0; after <= 8; after += 1) {
      const frames = await (await v1(api, first?.session_id ?? '', { after_sequence: after })).over();
      expect(ids(frames)).toEqual(Array.from({ length: 8 - after }, (_, index) => after + 1 + index));
    }
  });

  it('F4: the larger of after_sequence and Last-Event-ID counts; no position is 0; a word is 400', async () => {
    const [first] = await sessionOf(3);
    const id = first?.session_id ?? '';
    const from = async (after: number | undefined, header: string) =>
      ids(
        await (
          await v1(api, id, after === undefined ? {} : { after_sequence: after }, {
            headers: { 'last-event-id': header },
          })
        ).over(),
      );
    expect(await from(2, '4')).toEqual([5, 6]);
    expect(await from(5, '1')).toEqual([6]);
    expect(await from(undefined, '3')).toEqual([4, 5, 6]);
    await api.refused('bad_request', 'GET', `/v1/sessions/${id}/stream`, {
      query: { after_sequence: 'abc' },
      invalid: true,
    });
    await api.refused('bad_request', 'GET', `/v1/sessions/${id}/stream`, {
      headers: { 'last-event-id': 'abc' },
      invalid: true,
    });
    await api.refused('not_found', 'GET', '/v1/sessions/ses_00000000000000000000000000/stream');
  });

  it('F6: a turn that became final after the position is told again, with its dedupe key', async () => {
    const { ack, turn } = await converse(api, agent.id, 'hello');
    const frames = await (await v1(api, ack.session_id, { after_sequence: ack.after_sequence })).over();
    const completed = frames.filter((frame) => frame.event === 'turn.completed');
    expect(completed.map((frame) => frame.data)).toEqual([
      expect.objectContaining({ turn_id: ack.turn_id, dedupe_key: `turn:${ack.turn_id}:completed`, usage: turn.usage }),
    ]);
    expect(frames.find((frame) => frame.event === 'turn.upsert')?.data).toMatchObject({
      id: ack.turn_id,
      status: 'completed',
      usage: turn.usage,
    });
  });

  it('invariant 32: from the acknowledgement on the whole turn is seen, also when it ended before', async () => {
    const { ack } = await converse(api, agent.id, 'hello');
    const frames = await (await v1(api, ack.session_id, { after_sequence: ack.after_sequence })).over();
    expect(frames.map((frame) => frame.event)).toEqual(
      expect.arrayContaining(['agent.message', 'turn.upsert', 'turn.completed', 'stream.end']),
    );
    expect(frames.some((frame) => frame.event === 'user.message')).toBe(false);
  });

  it('S28: context rows never come', async () => {
    const { ack } = await converse(api, agent.id, 'hello', { context: [{ name: 'board', content: 'SECRETLY' }] });
    const frames = await (await v1(api, ack.session_id)).over();
    expect(ids(frames)).toEqual([2, 3]);
    expect(JSON.stringify(frames)).not.toContain('SECRETLY');
  });

  it('an empty session ends at once', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    expect((await (await v1(api, id)).over()).map((frame) => frame.event)).toEqual(['stream.end']);
  });
});

describe('v1: live', () => {
  it('F7: deltas add up to the answer, in order, and the stored row follows', async () => {
    const ack = await invoke(api, agent.id, 'tokens=80 every=50'); // a slow machine sends several at once
    const stream = await v1(api, ack.session_id, { after_sequence: ack.after_sequence });
    const frames = await stream.over();
    const stored = (await allRows(api, ack.session_id)).at(-1);
    expect(stored?.content[0]?.text?.endsWith(joined(stream))).toBe(true);
    expect(stream.of('generation.delta').length).toBeGreaterThan(10);
    const live = frames
      .map((frame) => frame.data['live_sequence'])
      .filter((value) => value !== undefined)
      .map(Number);
    expect(live).toEqual([...live].sort((left, right) => left - right));
    const deltas = stream.of('generation.delta').map((frame) => Number(frame.data['delta_sequence']));
    expect(deltas).toEqual([...new Set(deltas)].sort((left, right) => left - right));
    const events = frames.map((frame) => frame.event);
    expect(events.lastIndexOf('generation.delta')).toBeLessThan(events.indexOf('agent.message'));
    expect(events.indexOf('agent.message')).toBeLessThan(events.indexOf('turn.completed'));
    for (const frame of stream.of('generation.delta'))
      expect(frame.data).toMatchObject({
        turn_id: ack.turn_id,
        session_id: ack.session_id,
        emitted_at: expect.any(String) as string,
      });
  });

  it('F7: thinking and text are told apart', async () => {
    const stream = await inline(invokeBody(agent.id, script({ wait_ms: 1_000 }, { think: 'hm hm' }, { say: 'aha' })));
    await stream.over();
    const deltas = stream
      .of('generation.delta')
      .map((frame) => frame.data['delta'] as { type?: string; thinking?: string; text?: string });
    expect(
      deltas
        .filter((delta) => delta.type === 'thinking')
        .map((delta) => delta.thinking)
        .join(''),
    ).toBe('hm hm');
    expect(
      deltas
        .filter((delta) => delta.type !== 'thinking')
        .map((delta) => delta.text)
        .join(''),
    ).toBe('aha');
  });

  it('tool.call and tool.result are live; the rows they end in are durable', async () => {
    const stream = await inline(
      invokeBody(
        agent.id,
        script({ wait_ms: 1_000 }, { call: { name: 'no_such_tool', input: { a: 1 } } }, { say: 'done' }),
      ),
    );
    const frames = await stream.over();
    const call = stream.of('tool.call')[0]?.data;
    expect(call).toMatchObject({
      tool_name: 'no_such_tool',
      input: { a: 1 },
      tool_call_id: expect.any(String) as string,
    });
    expect(stream.of('tool.result')[0]?.data).toMatchObject({ tool_call_id: call?.['tool_call_id'], is_error: true });
    expect(frames.filter((frame) => durable.includes(frame.event)).map((frame) => frame.event)).toEqual([
      'agent.message',
      'user.message',
      'agent.message',
    ]);
  });

  it('turn.failed tells type and error; no usage comes with it', async () => {
    const stream = await inline(
      invokeBody(
        agent.id,
        script({ wait_ms: 1_000 }, { error: { type: 'model_unavailable', message: 'gone fishing' } }),
      ),
    );
    await stream.over();
    const failed = stream.of('turn.failed')[0]?.data;
    expect(failed).toMatchObject({
      error_type: 'model_unavailable',
      error: expect.stringContaining('gone fishing') as string,
      dedupe_key: expect.stringMatching(/:failed$/) as string,
    });
    expect(stream.of('turn.upsert').at(-1)?.data).toMatchObject({ status: 'failed' });
    expect(stream.of('turn.upsert').at(-1)?.data).not.toHaveProperty('usage');
  });

  it('turn.cancelled ends the turn for its viewers', async () => {
    const ack = await invoke(api, agent.id, endlessScript);
    const stream = await v1(api, ack.session_id);
    await stream.until('the open turn', (frame) => frame.event === 'turn.upsert');
    await cancelTurn(api, ack);
    const frames = await stream.over();
    expect(stream.of('turn.cancelled')[0]?.data).toMatchObject({
      turn_id: ack.turn_id,
      dedupe_key: `turn:${ack.turn_id}:cancelled`,
    });
    expect(frames.at(-1)?.event).toBe('stream.end');
  });

  it('F10: the stream stays open while a turn is, and ends right after', async () => {
    const ack = await invoke(api, agent.id, script({ wait_ms: await timeFor(api, 6) }, { say: 'x' }));
    const stream = await v1(api, ack.session_id);
    await stream.until('the row', (frame) => frame.event === 'user.message');
    expect(stream.ending).toBe('open');
    await stream.over();
    expect(stream.of('agent.message')).toHaveLength(1);
  });

  it('twenty viewers that join at any time see the same durable frames', async () => {
    const ack = await invoke(api, agent.id, 'tokens=40 every=5');
    const streams = await Promise.all(Array.from({ length: 20 }, () => v1(api, ack.session_id)));
    const seen = await Promise.all(streams.map((stream) => stream.over()));
    for (const frames of seen) expect(ids(frames)).toEqual([1, 2]);
  });

  it('invariant 31: no row is lost between replay and live while turns follow each other', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const collected = new Map<number, string>();
    const writing = (async () => {
      for (let index = 0; index < 15; index += 1) await settled(api, await startTurn(api, id, `m${index}`));
    })();
    let last = 0;
    while (last < 30) {
      const frames = await (await v1(api, id, { after_sequence: last })).over();
      for (const frame of frames.filter((one) => one.id !== null)) {
        expect(Number(frame.id)).toBe(last + 1);
        last = Number(frame.id);
        collected.set(last, String(frame.data['message_id']));
      }
    }
    await writing;
    expect([...collected.values()]).toEqual((await allRows(api, id)).map((row) => row.id));
  });

  it('invariant 29: cut at any byte and resumed from the last id, each row comes at least once and in order', async () => {
    const whole = await (async () => {
      const [first] = await sessionOf(3);
      const stream = await v1(api, first?.session_id ?? '');
      await stream.over();
      return { id: first?.session_id ?? '', bytes: stream.bytes };
    })();
    for (let cut = 1; cut < whole.bytes; cut += Math.ceil(whole.bytes / 40)) {
      const broken = await v1(api, whole.id, {}, { cutAfterBytes: cut });
      const before = ids(await broken.over());
      const rest = ids(await (await v1(api, whole.id, { after_sequence: Number(broken.lastId() ?? 0) })).over());
      expect([...before, ...rest]).toEqual([1, 2, 3, 4, 5, 6]);
    }
  });
});

describe('v1: inline', () => {
  it('T26, V1.5: 200 with the ids in headers; the first frame is turn.upsert; ends idle after the turn is final', async () => {
    const stream = await inline(invokeBody(agent.id, 'tokens=10 every=5', { key: 'k' }));
    const frames = await stream.over();
    expect(frames[0]?.event).toBe('turn.upsert');
    const started = frames.filter(({ event }) => event === 'turn.started');
    expect(started.map(({ data }) => data['turn_id'])).toEqual([stream.headers['x-svc-turn-id']]);
    const delta = frames.findIndex(({ event }) => event === 'generation.delta');
    expect(frames.findIndex(({ event }) => event === 'turn.started')).toBeLessThan(delta);
    expect(stream.headers['x-svc-session-id']).toBe(frames[0]?.data['session_id']);
    expect(stream.headers['x-svc-turn-id']).toBe(frames[0]?.data['id']);
    expect(frames.some((frame) => frame.event === 'user.message')).toBe(false);
    expect(frames.slice(-2).map((frame) => frame.event)).toEqual(['turn.completed', 'stream.end']);
    expect(stream.ending).toBe('ended');
  });

  it('T26: a caller that takes no events, with a quality of zero, is acknowledged as without a stream', async () => {
    const answer = await api.send('POST', '/v1/agents/invoke', {
      body: invokeBody(agent.id, 'hi', { key: unique('k') }),
      headers: { accept: 'application/json, text/event-stream;q=0' },
    });
    expect(answer.status).toBe(202);
    await settled(api, JSON.parse(answer.text) as TurnAck);
  });

  it('T26: turn start streams as well, and a repeat streams the first turn again', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const call = {
      method: 'POST' as const,
      body: { input: { content: [text('hi')], idempotency_key: 'k' } },
      protocol: 'v1' as const,
    };
    const first = await openStream(api, `/v1/sessions/${id}/turns`, call);
    await first.over();
    const second = await openStream(api, `/v1/sessions/${id}/turns`, call);
    await second.over();
    expect(second.headers['x-svc-turn-id']).toBe(first.headers['x-svc-turn-id']);
    expect(second.frames[0]?.event).toBe('turn.upsert');
    expect(ids(second.frames)).toEqual([2]);
    expect(await allRows(api, id)).toHaveLength(2);
  });

  it('T26: refusals before the first byte are plain JSON', async () => {
    const headers = { accept: 'text/event-stream' };
    await api.refused('not_found', 'POST', '/v1/agents/invoke', {
      body: { agent_ref: { id: 'agent_00000000000000000000000000' }, input: { content: [text('x')] } },
      headers,
    });
    await api.refused('bad_request', 'POST', '/v1/agents/invoke', {
      body: { agent_ref: { id: agent.id }, input: { content: [] } },
      headers,
      invalid: true,
    });
    const ack = await invoke(api, agent.id, endlessScript);
    await api.refused('session_turn_active', 'POST', `/v1/sessions/${ack.session_id}/turns`, {
      body: { input: { content: [text('x')] } },
      headers,
    });
    await cancelTurn(api, ack);
  });

  it('T27: the turn goes on when the caller leaves', async () => {
    const stream = await inline(invokeBody(agent.id, script({ wait_ms: 300 }, { say: 'finished alone' })));
    await stream.until('the first frame', (frame) => frame.event === 'turn.upsert');
    const turn = {
      session_id: String(stream.headers['x-svc-session-id']),
      turn_id: String(stream.headers['x-svc-turn-id']),
    };
    stream.close();
    expect((await settled(api, turn)).status).toBe('completed');
    expect((await allRows(api, turn.session_id)).at(-1)?.content).toEqual([text('finished alone')]);
  });

  it('Accept lists with event-stream among others still stream; JSON stays the default', async () => {
    const ack = await invoke(api, agent.id, 'hi');
    await settled(api, ack);
    const stream = await inline(invokeBody(agent.id, 'hi'), {
      headers: { accept: 'text/event-stream, application/json;q=0.5' },
    });
    await stream.over();
    expect(stream.of('turn.completed')).toHaveLength(1);
  });
});

describe('live snapshot', () => {
  it('T21: rebuilds the preview of a running turn, and is empty when it is final', async () => {
    const ack = await invoke(api, agent.id, script({ think: 'hm' }, { say: 'so far' }, { wait_ms: 600_000 }));
    const path = `/v1/sessions/${ack.session_id}/turns/${ack.turn_id}/live`;
    await reaches(api, ack, 'running');
    const watching = await v1(api, ack.session_id);
    interface Live {
      frames: { event_type: string; delta?: { text?: string }; content?: { text?: string }[] }[];
      last_live_sequence: number;
      turn_id: string;
    }
    const live = await eventually('the preview', async () => {
      const now = await api.get<Live>(path);
      return JSON.stringify(now.frames).includes('so far') ? now : null;
    });
    expect(live.turn_id).toBe(ack.turn_id);
    expect(live.last_live_sequence).toBeGreaterThan(0);
    for (const frame of live.frames)
      expect([
        'generation.delta',
        'session.message.preview',
        'tool.call',
        'tool.result',
        'turn.started',
        'turn.waiting',
      ]).toContain(frame.event_type);
    watching.close();
    await cancelTurn(api, ack);
    expect((await api.get<Live>(path)).frames).toEqual([]);
    expect((await readTurn(api, ack)).status).toBe('cancelled');
    await api.refused(
      'not_found',
      'GET',
      `/v1/sessions/${ack.session_id}/turns/turn_00000000000000000000000000000000/live`,
    );
  });
});
