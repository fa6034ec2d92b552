import {
  type Agent,
  type Client,
  type Message,
  type Page,
  type Session,
  type Snapshot,
  type Turn,
  type TurnAck,
  Transcript,
  allRows,
  eventually,
  invoke,
  said,
  script,
  settled,
  v2,
} from '../harness/index.js';

/**
 * Says a word, calls a tool that is not there, takes its time, and says the last word: three boundaries to be killed
 * between.
 */
export const slowScript = (ms: number): string =>
  script(
    { say: 'first' },
    { call: { name: 'no_such_tool', input: {} } },
    { say: 'second' },
    { wait_ms: ms },
    { say: ' last' },
  );

export const turnMs = 120_000;
const reconnectMs = 50;

/** As many turns as asked for, each in a session of its own. */
export function startTurns(api: Client, agent: Agent, count: number, input: string): Promise<TurnAck[]> {
  return Promise.all(Array.from({ length: count }, () => invoke(api, agent.id, input)));
}

/**
 * The turn has ended well, and once: every row of the script stands there exactly once, every tool call has one result.
 * A service that builds its rows again is asked again.
 */
export async function expectWholeOnce(api: Client, ack: TurnAck): Promise<void> {
  const turn = await settled(api, ack, turnMs);
  expect(turn.status).toBe('completed');
  const rows = await eventually(`the rows of ${ack.session_id}`, () => allRows(api, ack.session_id), turnMs);
  expect(rows.map((row) => row.sequence)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.filter((row) => row.role === 'user' && row.content.some(({ type }) => type === 'text'))).toHaveLength(1);
  expect(spoken(rows)).toEqual(['first', 'second last']);
  const calls = blocks(rows, 'tool_use').map(({ id }) => id);
  expect(calls).toHaveLength(1);
  expect(blocks(rows, 'tool_result').map((block) => block['tool_use_id'])).toEqual(calls);
  const turns = await eventually(
    `the turns of ${ack.session_id}`,
    () => api.get<Page<Turn>>(`/v1/sessions/${ack.session_id}/turns`),
    turnMs,
  );
  expect(turns.items.map(({ id, status }) => ({ id, status }))).toEqual([{ id: ack.turn_id, status: 'completed' }]);
}

const blocks = (rows: Message[], type: string) =>
  rows.flatMap(({ content }) => content.filter((block) => block.type === type));
const spoken = (rows: Message[]): string[] =>
  rows
    .filter(({ role }) => role === 'assistant' || role === 'agent')
    .map(said)
    .filter((words) => words !== '');

/** The whole transcript as the snapshot gives it; asked for again while the service is away, as clients do on 503. */
export function snapshotOf(api: Client, sessionId: string): Promise<Transcript> {
  return eventually(`a snapshot of ${sessionId}`, () => onceSnapshot(api, sessionId), turnMs);
}

async function onceSnapshot(api: Client, sessionId: string): Promise<Transcript> {
  const transcript = new Transcript();
  let token: string | undefined;
  for (let page = 0; page < 100; page += 1) {
    const snapshot = await api.get<Snapshot>(`/v1/sessions/${sessionId}/transcript`, { page_token: token });
    transcript.applyPage(snapshot, !snapshot.has_more);
    if (!snapshot.has_more) return transcript;
    token = snapshot.next_page_token;
  }
  throw new Error('more pages than any test writes');
}

/**
 * Follows a session as a client does, over whatever breaks: reconnects with its cursor until the turn is final.
 * `opened` is told of every connection. Gives what it has then, and how often it had to connect.
 */
export async function followed(
  api: Client,
  ack: TurnAck,
  opened: () => void = () => undefined,
  withinMs = turnMs,
): Promise<{ transcript: Transcript; connections: number; ids: string[] }> {
  const transcript = await snapshotOf(api, ack.session_id);
  const ids: string[] = [];
  let connections = 0;
  await eventually(
    `the end of ${ack.turn_id} on its stream`,
    async () => {
      const stream = await v2(api, ack.session_id, transcript.cursor ?? undefined);
      connections += 1;
      opened();
      try {
        // A turn that ended before this connection is in what was read already: its stream says that it is idle.
        await stream.until(
          'the end of the turn',
          ({ event, data }) =>
            (event === 'turn.upsert' && isFinal(data)) || (event === 'stream.end' && data['reason'] === 'idle'),
          turnMs,
        );
      } finally {
        stream.close();
        for (const frame of stream.frames) {
          transcript.apply(frame);
          if (frame.id !== null) ids.push(frame.id);
        }
      }
      return true;
    },
    withinMs,
    reconnectMs,
  );
  return { transcript, connections, ids };
}

function isFinal(data: Record<string, unknown>): boolean {
  const record = (data['turn'] ?? data) as { status?: string };
  return ['completed', 'failed', 'cancelled'].includes(record.status ?? '');
}

/** All sessions of an agent by the list, page by page. */
export async function listedSessions(api: Client, agentId: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 100; page += 1) {
    const found = await api.get<Page<Session>>('/v1/sessions', { agent_id: agentId, limit: 100, cursor });
    ids.push(...found.items.map(({ id }) => id));
    if (!found.has_more) return ids.sort();
    cursor = found.next_cursor ?? undefined;
  }
  throw new Error('more sessions than any test makes');
}
