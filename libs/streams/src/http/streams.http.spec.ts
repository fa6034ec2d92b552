import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule, Provider } from '@nestjs/common';
import {
  Blobs,
  CommandGateway,
  EventStore,
  Ids,
  Leases,
  LiveBus,
  ReadStore,
  Snapshots,
  type JsonObject,
} from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import {
  MemoryBlobs,
  MemoryEventStore,
  MemoryLeases,
  MemoryLiveBus,
  MemoryReadStore,
  MemorySnapshots,
} from '@aos/adapters/memory';
import { SystemIds } from '@aos/adapters/system';
import {
  Decisions,
  OwnProjections,
  OwnStreams,
  Payloads,
  Projectors,
  SseStreams,
  WriterProjections,
  apiKeyId,
  serviceActor,
  startApp,
  type RunningApp,
  RoutedCommands,
  LocalCommandGateway,
} from '@aos/platform';
import { AccessModule, Organizations } from '@aos/access';
import { SessionCursors, liveChannel, sessionKind, type SessionEvent } from '@aos/sessions/published';
import { SessionFeeds } from '../feed/session-feeds.js';
import { StreamsModule } from '../streams.module.js';
import { History, Streaming } from '../testing/history.fixture.js';
import { parseFrames, sessionId, type SeenFrame } from '../testing/streams.fixture.js';

const clock = new ManualClock(Date.UTC(2026, 0, 1));
let app: RunningApp;
let key = '';
let orgId = '';

class WorldModule {}

/** A stream service of its own, without the context that writes sessions. */
function worldModule(): DynamicModule {
  const ports: [abstract new (...parameters: never[]) => unknown, unknown][] = [
    [EventStore, new MemoryEventStore({ clock })],
    [ReadStore, new MemoryReadStore()],
    [Snapshots, new MemorySnapshots()],
    [Blobs, new MemoryBlobs()],
    [Leases, new MemoryLeases(clock)],
    [
      LiveBus,
      new MemoryLiveBus({
        clock,
        onTrouble: (error) => {
          throw error;
        },
      }),
    ],
    [Ids, new SystemIds()],
    [OwnStreams, new OwnStreams()],
    [CommandGateway, new LocalCommandGateway(new RoutedCommands())],
  ];
  const own = [Payloads, WriterProjections, Decisions, OwnProjections, Projectors];
  const providers: Provider[] = [...ports.map(([provide, useValue]): Provider => ({ provide, useValue })), ...own];
  return { module: WorldModule, global: true, providers, exports: [...ports.map(([token]) => token), ...own] };
}

beforeAll(async () => {
  app = await startApp('stream-service', [worldModule(), AccessModule, StreamsModule], {
    clock,
    graceMs: 200,
    env: {
      SVC_PORT: '0',
      SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-')),
      SVC_RATE_LIMIT_KEY_RPM: '0',
      SVC_RATE_LIMIT_ORG_RPM: '0',
      SVC_LOG_LEVEL: 'error',
    },
  });
  orgId = await app.nest.get(Organizations, { strict: false }).ensureFirst({}, (made) => {
    key = made.ownerKey;
  });
});

afterAll(() => app?.stop());

function found<T>(token: abstract new (...parameters: never[]) => T): T {
  return app.nest.get(token as never, { strict: false }) as T;
}

async function append(...events: SessionEvent[]): Promise<void> {
  await found(Decisions).run(sessionKind, sessionId, serviceActor(orgId, 'svc_1', 'test'), () => events);
}

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${app.url}/v1/sessions/${sessionId}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
}

/** An open stream, read as it comes. */
async function open(path: string, headers: Record<string, string> = {}) {
  const response = await get(path, headers);
  expect(response.status).toBe(200);
  const seen = { text: '', ended: false };
  const reading = (async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      seen.text += Buffer.from(chunk).toString();
    seen.ended = true;
  })();
  const frames = (): SeenFrame[] =>
    parseFrames(seen.text.slice(0, seen.text.lastIndexOf('\n\n') + 2).replaceAll(': keep-alive\n\n', ''));
  return { response, seen, reading, frames, names: () => frames().map(({ event }) => event) };
}

const history = new History();

test('a stream service tells a session from its first row to the end of its turn', async () => {
  const opening = history.opened();
  if (opening[0]?.type === 'SessionOpened') opening[0].data.session.org_id = orgId;
  await append(...opening, ...history.queued('hi', true));
  await append(...history.claimed());

  const [v1, v2] = [await open('/stream'), await open('/transcript/stream')];
  for (const { response } of [v1, v2]) {
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String) as string,
    });
  }
  await eventually('history', () => v2.names().includes('stream.ready') && v1.names().includes('turn.upsert'));
  const streaming = new Streaming(history.turnId, history);
  for (const signal of [
    streaming.started(),
    streaming.block(0, { type: 'text', text: '' }),
    streaming.delta(0, 0, 'Hello'),
  ]) {
    liveChannel.publish(found(LiveBus), sessionId, signal);
  }
  await eventually('live text', () => v1.names().includes('generation.delta') && v2.names().includes('message.delta'));
  await append(...history.said('Hello'), ...history.ended());
  await Promise.all([v1.reading, v2.reading]);
  expect(v1.names()).toEqual([
    'user.message',
    'turn.upsert',
    'generation.delta',
    'agent.message',
    'turn.upsert',
    'turn.completed',
    'stream.end',
  ]);
  expect(v2.names().slice(-3)).toEqual(['message.upsert', 'turn.upsert', 'stream.end']);
  await eventually('nothing is left', () => found(SessionFeeds).size === 0);
});

test('v1 begins after the larger of query and header', async () => {
  const from = async (query: string, header?: string) => {
    const stream = await open(`/stream${query}`, header === undefined ? {} : { 'last-event-id': header });
    await stream.reading;
    return stream
      .frames()
      .filter(({ id }) => id !== undefined)
      .map(({ id }) => Number(id));
  };
  expect(await from('')).toEqual([2, 3]);
  expect(await from('?after_sequence=2')).toEqual([3]);
  expect(await from('?after_sequence=1', '2')).toEqual([3]);
  expect(await from('?after_sequence=3', '0')).toEqual([]);
  expect(await from('?after_sequence=99')).toEqual([]);
});

test('a v2 cursor resumes right behind it, the query before the header; a foreign one is refused', async () => {
  const whole = await open('/transcript/stream');
  await whole.reading;
  const [first] = whole.frames();
  const last = whole.frames().findLast(({ id }) => id !== undefined)?.id ?? '';
  const rest = await open(`/transcript/stream?cursor=${first?.id}`, { 'last-event-id': last });
  await rest.reading;
  expect(rest.frames().map(({ event, id }) => [event, id])).toEqual(
    whole
      .frames()
      .slice(1)
      .map(({ event, id }) => [event, id]),
  );

  const cursors = found(SessionCursors);
  const others = [
    cursors.seal(orgId, 'ses_00000000000000000000000002', 1),
    cursors.seal('org_00000000000000000000000009', sessionId, 1),
    `${first?.id}x`,
    'abc',
  ];
  for (const cursor of others) {
    for (const path of ['/transcript/stream', '/transcript']) {
      const response = await get(`${path}?cursor=${cursor}`);
      expect([response.status, ((await response.json()) as { error: JsonObject }).error.code]).toEqual([
        400,
        'invalid_cursor',
      ]);
    }
  }
});

test('what cannot be told is refused before the stream begins', async () => {
  const statuses = await Promise.all(
    [
      get('/stream', { 'last-event-id': 'x' }),
      get('/stream?after_sequence=-1'),
      get('/transcript?page_token=x'),
      get('/turns/turn_00000000000000000000000001000009/live'),
      fetch(`${app.url}/v1/sessions/ses_00000000000000000000000009/stream`, {
        headers: { authorization: `Bearer ${key}` },
      }),
      fetch(`${app.url}/v1/sessions/${sessionId}/stream`),
    ].map(async (response) => (await response).status),
  );
  expect(statuses).toEqual([400, 400, 400, 404, 404, 401]);
});

test('the snapshot and the live snapshot', async () => {
  const snapshot = (await (await get('/transcript?limit=1')).json()) as {
    messages: JsonObject[];
    has_more: boolean;
    next_page_token: string;
    turns: JsonObject[];
  };
  expect(snapshot).toMatchObject({
    has_more: true,
    messages: [{ sequence: 3, status: 'final', turn_index: 1 }],
    turns: [{ status: 'completed' }],
    interactions: [],
  });
  const older = (await (await get(`/transcript?page_token=${snapshot.next_page_token}`)).json()) as JsonObject;
  expect(older).toMatchObject({ has_more: false, messages: [{ sequence: 2 }], turns: [] });
  expect(older).not.toHaveProperty('next_page_token');
  expect(await (await get(`/turns/${history.turnId}/live`)).json()).toMatchObject({
    turn_id: history.turnId,
    frames: [],
    last_live_sequence: 0,
  });
});

test('revoked keys end streams at once, a stopping service rotates v2', async () => {
  await append(...history.queued('more'));
  const revoked = await open('/transcript/stream');
  await eventually('it is ready', () => revoked.names().includes('stream.ready'));
  found(SseStreams).closeKey(apiKeyId(key));
  await revoked.reading;
  expect(revoked.names().at(-1)).toBe('stream.ready');

  const [v1, v2] = [await open('/stream'), await open('/transcript/stream')];
  await eventually('both are there', () => v2.names().includes('stream.ready') && v1.names().includes('turn.upsert'));
  await app.stop();
  await Promise.all([v1.reading, v2.reading]);
  expect(v2.frames().at(-1)?.data).toEqual({ event_type: 'stream.end', session_id: sessionId, reason: 'rotate' });
  expect(v1.names()).not.toContain('stream.end');
});
