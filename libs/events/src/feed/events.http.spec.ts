import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventLog, ReadStore, type JsonObject } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { SystemClock } from '@aos/adapters/system';
import { Decisions, serviceActor, startApp, type RunningApp } from '@aos/platform';
import { AccessModule, Organizations } from '@aos/access';
import { sessionKind, type SessionEvent } from '@aos/sessions/published';
import { KafkaChangeNotifier } from '../notifiers/kafka-change-notifier.js';
import { EventsModule } from '../events.module.js';
import { FleetNotifiersModule } from '../fleet-notifiers.module.js';
import { buildCollection, cutCollection, feedCollection, organizationsCollection } from './feed.projection.js';
import { OrgFeeds } from './org-feeds.js';
import { RelaysModule } from '../relays.module.js';
import { sourceTopic } from '../relay/records.js';
import { opening, row } from '../testing/events.fixture.js';
import { sqliteWorld } from '../testing/sqlite-world.fixture.js';

const dayMs = 24 * 60 * 60 * 1000;

/** The system's clock, whose wall time a test can move on: work that is due once in minutes is done then. */
class LeapingClock extends SystemClock {
  private offset = 0;
  private readonly rare = new Set<() => void>();

  override now(): number {
    return super.now() + this.offset;
  }

  override after(ms: number, action: () => void): { cancel(): void } {
    if (ms < 60_000) return super.after(ms, action);
    this.rare.add(action);
    return {
      cancel: () => {
        this.rare.delete(action);
      },
    };
  }

  leap(ms: number): void {
    this.offset += ms;
    for (const action of [...this.rare]) {
      this.rare.delete(action);
      action();
    }
  }
}

const clock = new LeapingClock();
const ses = (n: number) => `ses_${String(n).padStart(26, '0')}`;
let app: RunningApp;
let key = '';
let orgId = '';
let closeFiles: () => Promise<void>;

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-'));
  const world = await sqliteWorld(directory, clock);
  closeFiles = world.close;
  app = await startApp(
    'stream-service',
    [world.module, AccessModule, FleetNotifiersModule, EventsModule, RelaysModule],
    {
      clock,
      graceMs: 200,
      env: {
        SVC_PORT: '0',
        SVC_DATA_DIR: directory,
        SVC_RATE_LIMIT_KEY_RPM: '0',
        SVC_RATE_LIMIT_ORG_RPM: '0',
        SVC_LOG_LEVEL: 'error',
      },
    },
  );
  orgId = await app.nest.get(Organizations, { strict: false }).ensureFirst({}, (made) => {
    key = made.ownerKey;
  });
});

afterAll(async () => {
  await app?.stop();
  await closeFiles();
});

function found<T>(token: abstract new (...parameters: never[]) => T): T {
  return app.nest.get(token as never, { strict: false }) as T;
}

async function append(sessionId: string, ...events: SessionEvent[]): Promise<void> {
  await found(Decisions).run(sessionKind, sessionId, serviceActor(orgId, 'svc_1', 'test'), () => events);
}

const open = (sessionId: string) =>
  append(sessionId, { type: 'SessionOpened', data: { session: opening(sessionId, orgId) } });
let spoken = 0;
function say(sessionId: string, sequence: number): Promise<void> {
  spoken += 1;
  return append(sessionId, { type: 'MessageAppended', data: { row: row(`msg_${spoken}`, sequence) } });
}

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } });
}

interface Page {
  items: JsonObject[];
  has_more: boolean;
  next_cursor: string;
}

async function page(query = ''): Promise<Page> {
  const response = await get(`/v1/events${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

interface Seen {
  id: string;
  event: string;
  data: JsonObject;
}

/** An open stream, read as it comes. */
async function follow(query = '', headers: Record<string, string> = {}) {
  const response = await get(`/v1/events/stream${query}`, headers);
  expect(response.status).toBe(200);
  let text = '';
  const reader = response.body?.getReader();
  const reading = (async () => {
    for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read())
      text += Buffer.from(chunk.value).toString();
  })();
  const frames = (): Seen[] =>
    text
      .slice(0, text.lastIndexOf('\n\n') + 2)
      .replaceAll(': keep-alive\n\n', '')
      .split('\n\n')
      .filter(Boolean)
      .map((block) => {
        const fields = Object.fromEntries(
          block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        return {
          id: String(fields.id),
          event: String(fields.event),
          data: JSON.parse(String(fields.data)) as JsonObject,
        };
      });
  const close = async () => {
    await reader?.cancel();
    await reading;
  };
  return { frames, close, response };
}

const idsOf = (events: readonly JsonObject[]) => events.map(({ meta }) => (meta as JsonObject).id);

test('the bell hears the relays', async () => {
  await eventually('healthy', () => found(KafkaChangeNotifier).healthy);
});

test('what was said is in the list, on the stream and on the topic, the same everywhere', async () => {
  const stream = await follow();
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
  await open(ses(1));
  for (let n = 1; n <= 5; n += 1) await say(ses(1), n);
  await eventually('five frames', () => stream.frames().length === 5);
  const { items, has_more, next_cursor } = await page();
  expect(stream.frames().map(({ data }) => data)).toEqual(items);
  expect(new Set(stream.frames().map(({ event }) => event))).toEqual(new Set(['session.message.created']));
  expect(has_more).toBe(false);
  expect(stream.frames().at(-1)?.id).toBe(next_cursor);
  const topic = sourceTopic('svc').topic;
  const values: string[] = [];
  const consumer = found(EventLog).consume(
    { topics: [topic], group: 'test', from: 'earliest', commit: false },
    async (records) => {
      values.push(...records.map(({ value }) => Buffer.from(value).toString()));
    },
  );
  await eventually('five records', () => values.length === 5);
  expect(values).toEqual(items.map((item) => JSON.stringify(item)));
  await consumer.close();
  await stream.close();
  await eventually('nobody watches', () => found(OrgFeeds).size === 0);
});

test('a stream resumes right behind every id, by query or header, the query first', async () => {
  const whole = await follow('?from=earliest');
  await eventually('all', () => whole.frames().length >= 5);
  const frames = whole.frames();
  await whole.close();
  for (const [index, { id }] of frames.entries()) {
    const resumed = await follow(
      index % 2 === 0 ? `?cursor=${encodeURIComponent(id)}` : '',
      index % 2 === 0 ? { 'last-event-id': String(frames[0]?.id) } : { 'last-event-id': id },
    );
    await eventually('the rest', () => resumed.frames().length === frames.length - 1 - index);
    expect(resumed.frames().map((frame) => frame.id)).toEqual(frames.slice(index + 1).map((frame) => frame.id));
    await resumed.close();
  }
});

test('readers that come and go while others write miss nothing and see nothing twice', async () => {
  await open(ses(2));
  const seen: string[] = [];
  let last = (await page()).next_cursor;
  let writing = true;
  const writer = (async () => {
    for (let n = 1; n <= 60; n += 1) await say(ses(2), n);
    writing = false;
  })();
  for (let rounds = 0; writing || rounds < 3; rounds += writing ? 0 : 1) {
    const stream = await follow(`?cursor=${encodeURIComponent(last)}&source_id=${ses(2)}`);
    await eventually('some', () => stream.frames().length > 0 || !writing);
    const frames = stream.frames();
    await stream.close();
    seen.push(...idsOf(frames.map(({ data }) => data)).map(String));
    last = frames.at(-1)?.id ?? last;
  }
  await writer;
  const rest = await follow(`?cursor=${encodeURIComponent(last)}&source_id=${ses(2)}`);
  await eventually('all of them', () => seen.length + rest.frames().length >= 60);
  seen.push(...idsOf(rest.frames().map(({ data }) => data)).map(String));
  await rest.close();
  const listed: unknown[] = [];
  for (let cursor = '', more = true; more;) {
    const next = await page(`?source_id=${ses(2)}&limit=100${cursor}`);
    listed.push(...idsOf(next.items));
    [cursor, more] = [`&cursor=${encodeURIComponent(next.next_cursor)}`, next.has_more];
  }
  expect(seen).toEqual(listed);
  expect(seen).toHaveLength(60);
});

test('cursors of others, times that are none and types that do not exist', async () => {
  for (const path of ['/v1/events?cursor=abc', '/v1/events/stream?cursor=abc']) {
    const response = await get(path);
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'invalid_cursor',
    ]);
  }
  expect((await get('/v1/events?since=yesterday')).status).toBe(400);
  expect((await get('/v1/events/stream?from=middle')).status).toBe(400);
  expect((await page('?event_type=interaction.*')).items).toEqual([]);
  expect((await page('?event_type=session.*&limit=2')).items).toHaveLength(2);
});

test('G25: while the feed is built again its readers are 503 with Retry-After, and a stream that is open goes on', async () => {
  const stream = await follow();
  await open(ses(4));
  await say(ses(4), 1);
  await eventually('what was said before', () => stream.frames().length === 1);
  const since = `?cursor=${encodeURIComponent(String(stream.frames()[0]?.id))}`;
  let answers: Response[] = [];
  await eventually('both being refused', async () => {
    for (const collection of [feedCollection, cutCollection, organizationsCollection, buildCollection])
      await found(ReadStore).drop(collection, feedCollection);
    answers = await Promise.all(['/v1/events', '/v1/events/stream'].map((path) => get(path)));
    if (answers.every(({ status }) => status === 503)) return true;
    await Promise.all(answers.map(({ body }) => body?.cancel())); // it was built again before they were asked
    return false;
  });
  for (const answer of answers) {
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await answer.json()).toMatchObject({ error: { code: 'service_unavailable' } });
  }
  for (let n = 2; n <= 4; n += 1) await say(ses(4), n);
  await eventually('the feed being whole', async () => (await get('/v1/events')).status === 200);
  await eventually('what was said meanwhile', () => stream.frames().length === 4);
  const { items } = await page(since);
  expect(items).toHaveLength(3);
  expect(
    stream
      .frames()
      .map(({ data }) => data)
      .slice(1),
  ).toEqual(items);
  await stream.close();
});

test('a place older than what is kept is refused, in the list and on the stream; readers begin anew', async () => {
  const { next_cursor: old } = await page('?limit=1');
  clock.leap(31 * dayMs);
  await eventually('nothing old is kept', async () => (await page()).items.length === 0);
  for (const path of ['/v1/events', '/v1/events/stream']) {
    const response = await get(`${path}?cursor=${encodeURIComponent(old)}`);
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      410,
      'cursor_expired',
    ]);
  }
  const { next_cursor: now } = await page();
  await open(ses(3));
  await say(ses(3), 1);
  await eventually('what is new', async () => (await page(`?cursor=${encodeURIComponent(now)}`)).items.length === 1);
  const stream = await follow('?from=earliest');
  await eventually('its frame', () => stream.frames().length === 1);
  await stream.close();
});
