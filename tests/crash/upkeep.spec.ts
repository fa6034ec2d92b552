import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  Client,
  endlessScript,
  Transcript,
  allRows,
  cancelTurn,
  createAgent,
  createSession,
  eventually,
  foldTranscript,
  freshTranscript,
  invoke,
  rawRequest,
  reaches,
  script,
  settled,
  v1,
  v2,
  timeFor,
} from '../harness/index.js';

let service: OwnService;
let api: Client;
let agent: Agent;

async function startWith(settings: Record<string, string>): Promise<void> {
  service = await OwnService.start(settings);
  api = service.client;
  agent = await createAgent(api);
}

afterEach(async () => {
  await service.remove();
});

describe('stream upkeep', () => {
  it('F18, F10, F1: v2 rotates at its age and loses nothing, v1 just ends, and comments keep both alive', async () => {
    await startWith({ SVC_STREAM_ROTATE_SECONDS: '2', SVC_STREAM_HEARTBEAT_SECONDS: '1' });
    const ack = await invoke(
      api,
      agent.id,
      script(
        { say: 'one' },
        { wait_ms: await timeFor(api, 6) },
        { call: { name: 'none', input: {} } },
        { wait_ms: 3_000 },
        { say: 'two' },
      ),
    );
    const old = await v1(api, ack.session_id);
    const transcript = new Transcript();
    transcript.cursor = ack.resume_cursor;
    const reasons: string[] = [];
    let comments = 0;
    while (reasons.at(-1) !== 'idle') {
      const stream = await v2(api, ack.session_id, transcript.cursor ?? undefined);
      foldTranscript(await stream.over(), transcript);
      expect(stream.ending).toBe('ended');
      comments += stream.comments;
      reasons.push(String(stream.frames.at(-1)?.data['reason']));
      expect(reasons.length).toBeLessThan(10);
    }
    expect(reasons.slice(0, -1).length).toBeGreaterThan(0);
    expect(new Set(reasons.slice(0, -1))).toEqual(new Set(['rotate']));
    expect(comments).toBeGreaterThan(0);
    expect(transcript.final()).toEqual((await freshTranscript(api, ack.session_id)).final());
    const frames = await old.over();
    expect(frames.some((frame) => frame.event === 'stream.end')).toBe(false);
    expect(old.ending).toBe('ended');
    expect(old.comments).toBeGreaterThan(0);
  });

  it('invariants 36, 76: SIGTERM rotates v2 and the turn is seen to its end after the restart', async () => {
    await startWith({});
    const ack = await invoke(api, agent.id, script({ wait_ms: await timeFor(api, 6) }, { say: 'after' }));
    const stream = await v2(api, ack.session_id, ack.resume_cursor);
    await stream.until('stream.ready', (frame) => frame.event === 'stream.ready');
    await service.end('SIGTERM');
    const frames = await stream.over();
    expect(frames.at(-1)?.data).toMatchObject({ event_type: 'stream.end', reason: 'rotate' });
    const transcript = foldTranscript(frames);
    await service.run();
    foldTranscript(await (await v2(api, ack.session_id, transcript.cursor ?? ack.resume_cursor)).over(), transcript);
    expect(transcript.final()).toEqual((await freshTranscript(api, ack.session_id)).final());
    expect([...transcript.turns.values()][0]?.status).toBe('completed');
  });

  it('invariant 30: cursors and positions hold over kill -9', async () => {
    await startWith({});
    const ack = await invoke(
      api,
      agent.id,
      script(
        { say: 'begun' },
        { wait_ms: await timeFor(api, 6) },
        { call: { name: 'none', input: {} } },
        { say: 'done' },
      ),
    );
    const stream = await v2(api, ack.session_id, ack.resume_cursor);
    await stream.until(
      'the turn to run',
      (frame) => frame.event === 'turn.upsert' && frame.data['status'] === 'running',
    );
    await service.end('SIGKILL');
    await stream.over();
    const transcript = foldTranscript(stream.frames);
    await service.run();
    foldTranscript(await (await v2(api, ack.session_id, transcript.cursor ?? ack.resume_cursor)).over(), transcript);
    expect(transcript.final()).toEqual((await freshTranscript(api, ack.session_id)).final());
    const replayed = (await (await v1(api, ack.session_id)).over())
      .filter((frame) => frame.id !== null)
      .map((frame) => Number(frame.id));
    expect(replayed).toEqual((await allRows(api, ack.session_id)).map((row) => row.sequence));
  });

  it('L16: streams over the limit of a key are refused with 429, and a closed one makes room', async () => {
    await startWith({ SVC_STREAMS_PER_KEY: '3' });
    const ack = await invoke(api, agent.id, endlessScript);
    const streams = await Promise.all([1, 2, 3].map(() => v2(api, ack.session_id)));
    await api.refused('rate_limit_exceeded', 'GET', `/v1/sessions/${ack.session_id}/transcript/stream`);
    streams[0]?.close();
    const next = await eventually('room for a stream', async () => v1(api, ack.session_id));
    for (const stream of [...streams, next]) stream.close();
    await cancelTurn(api, ack);
  });

  it('L16, T26: a turn start whose stream is over the limit is refused before it starts anything', async () => {
    await startWith({ SVC_STREAMS_PER_KEY: '1' });
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const ack = await invoke(api, agent.id, endlessScript);
    const open = await v2(api, ack.session_id);
    const content = [{ type: 'text', text: 'x' }];
    const asStream = { headers: { accept: 'text/event-stream' } };
    await api.refused('rate_limit_exceeded', 'POST', `/v1/sessions/${id}/turns`, {
      body: { input: { content } },
      ...asStream,
    });
    const body = { agent_ref: { id: agent.id }, session: { session_key: 'fresh' }, input: { content } };
    await api.refused('rate_limit_exceeded', 'POST', '/v1/agents/invoke', { body, ...asStream });
    expect((await api.get<{ items: unknown[] }>(`/v1/sessions/${id}/turns`)).items).toEqual([]);
    const query = { agent_id: agent.id, session_key: 'fresh' };
    expect((await api.get<{ items: unknown[] }>('/v1/sessions', query)).items).toEqual([]);
    open.close();
    const nowhere = { body: { input: { content } }, ...asStream };
    await eventually('room for a start', () =>
      api.refused('not_found', 'POST', '/v1/sessions/ses_none/turns', nowhere),
    );
    const next = await eventually('room for a stream', async () => v1(api, ack.session_id));
    next.close();
    await cancelTurn(api, ack);
  });

  it('A2: revoking a key closes its streams within five seconds (invariant 64)', async () => {
    await startWith({});
    const ack = await invoke(api, agent.id, endlessScript);
    const issued = await api.post<{ id: string; key: string }>(
      '/v1/api-keys',
      { name: 'watcher', role: 'Viewer' },
      201,
    );
    const stream = await v2(api.as(issued.key), ack.session_id);
    await stream.until('stream.ready', (frame) => frame.event === 'stream.ready');
    await api.delete(`/v1/api-keys/${issued.id}`);
    await stream.over(5_000);
    await cancelTurn(api, ack);
  });
});

describe('rate limits (L1, L2)', () => {
  it('count down in the headers and end in 429 with Retry-After; other keys go on', async () => {
    await startWith({ SVC_RATE_LIMIT_KEY_RPM: '30', SVC_RATE_LIMIT_ORG_RPM: '3000' });
    const other = await api.post<{ key: string }>('/v1/api-keys', { name: 'other', role: 'Viewer' }, 201);
    const remaining: number[] = [];
    let over: Awaited<ReturnType<typeof rawRequest>> | null = null;
    for (let index = 0; index < 60 && !over; index += 1) {
      const answer = await rawRequest(api, 'GET', '/v1/agents?limit=1');
      if (answer.status === 429) over = answer;
      else remaining.push(Number(answer.headers['x-ratelimit-remaining']));
      expect(answer.headers).toMatchObject({
        'x-ratelimit-limit': '30',
        'x-ratelimit-scope': 'key',
        'x-ratelimit-policy': expect.stringContaining('30;w=60') as string,
        'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/) as string,
      });
    }
    expect(over?.status).toBe(429);
    expect(JSON.parse(over?.text ?? '{}')).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect(Number(over?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(remaining.at(-1)).toBe(0);
    expect(remaining).toEqual([...remaining].sort((left, right) => right - left));
    expect((await rawRequest(api.as(other.key), 'GET', '/v1/agents')).status).toBe(200);
    expect((await rawRequest(api.as(null), 'GET', '/healthz')).headers['x-ratelimit-limit']).toBeUndefined();
  });
});

describe('the way down', () => {
  it('SIGTERM under load: every answered request is whole, every acknowledged turn ends after the restart', async () => {
    await startWith({});
    const session = await createSession(api, agent.id, { mode: 'new' });
    await reaches(api, await invoke(api, agent.id, endlessScript), 'running');
    const acks: { session_id: string; turn_id: string }[] = [];
    const sending = Array.from({ length: 40 }, async () => {
      try {
        acks.push(await invoke(api, agent.id, script({ wait_ms: 50 }, { say: 'x' })));
      } catch (error) {
        if (!/fetch failed|503|terminated/.test(String(error))) throw error;
      }
    });
    await eventually('some acknowledgements', async () => acks.length >= 5);
    expect(await service.end('SIGTERM')).toBeLessThan(15_000);
    await Promise.all(sending);
    await service.run();
    for (const ack of acks) expect((await settled(api, ack)).status).toBe('completed');
    expect(await allRows(api, session.id)).toEqual([]);
  });
});
