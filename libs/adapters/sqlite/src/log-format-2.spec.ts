import type { NewEvent, RecordedEvent } from '@aos/kernel';
import { ManualClock, plain } from '@aos/kernel/testing';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteEventStore, type SqliteEventStoreOptions } from './sqlite-event-store.js';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'aos-log2-'));
  directories.push(directory);
  return directory;
}

const open = (directory: string, options: Partial<SqliteEventStoreOptions> = {}) =>
  SqliteEventStore.open({ directory, clock: new ManualClock(), newFormat: 2, ...options });
const event = (text = ''): NewEvent => ({
  id: randomUUID(),
  type: 'ThingHappened',
  data: { text },
  meta: { schema_version: '1', org_id: 'org_1', blobs: '1' },
});
/** A UUID as the log has it. */
const short = ({ id }: NewEvent): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
const eventsOf = (count: number): NewEvent[] => Array.from({ length: count }, () => event());

/** Asks the file itself. */
function asked(directory: string, query: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(directory, 'log.db'), { readOnly: true });
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

async function replayed(
  store: SqliteEventStore,
  prefix: string,
  from: string,
  batchMax = 512,
): Promise<RecordedEvent[]> {
  const seen: RecordedEvent[] = [];
  await new Promise<void>((resolve) => {
    store.subscribe({ name: 'replay', prefixes: [prefix], from, batchMax, onCaughtUp: resolve }, async (events) => {
      seen.push(...events);
    });
  });
  return seen;
}

test('an append is one row, and its events share one text of metadata', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const events = [event('a b\nc'), { ...event(), meta: { schema_version: '2', org_id: 'org_1' } }, event()];
  await store.append('thing-1', 'none', events);
  await store.close();
  const [row, ...rest] = asked(directory, 'SELECT pos, stream, rev, n, CAST(body AS TEXT) AS body FROM log');
  expect(rest).toEqual([]);
  expect(row).toMatchObject({ pos: 3, stream: 'thing-1', rev: 2, n: 3 });
  expect(String(row!['body']).split('\n')).toEqual([
    '2 1',
    'oorg_1',
    `${short(events[0]!)} ThingHappened 1 1 0`,
    '{"text":"a b\\nc"}',
    `${short(events[1]!)} ThingHappened 2 0 0`,
    '{"text":""}',
    `${short(events[2]!)} ThingHappened 1 1 0`,
    '{"text":""}',
  ]);
  expect(asked(directory, 'SELECT count(*) AS n FROM events')).toEqual([{ n: 0 }]);
});

test('reads by position go by whole appends, wherever a window or a checkpoint ends', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const appends = 1900; // of five events: several windows of 4,096 positions, each of which would end inside an append
  await Promise.all(
    Array.from({ length: appends }, (_, n) =>
      store.append(`${n % 7 === 0 ? 'thing' : 'other'}-${n}`, 'none', eventsOf(5)),
    ),
  );
  await store.close();
  const again = await open(directory);
  const all = await replayed(again, 'other-', 'start');
  expect(all).toHaveLength(5 * Math.floor((appends * 6) / 7));
  expect((await replayed(again, 'thing-', 'start', 4096)).map(({ revision }) => revision)).toEqual(
    Array.from({ length: 5 * Math.ceil(appends / 7) }, (_, n) => n % 5),
  );
  for (let at = 100; at < 106; at += 1) {
    const rest = await replayed(again, 'other-', all[at]!.position, 4096);
    expect(rest[0]!.position).toBe(all[at + 1]!.position);
    expect(rest).toHaveLength(all.length - at - 1);
  }
  await again.close();
});

test('TP5: what is not indexed is read from the tail, also when it is more than the tail keeps else', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const text = 'x'.repeat(200 * 1024);
  const streams = Array.from({ length: 60 }, (_, n) => `large-${n}`);
  await Promise.all(streams.map((stream) => store.append(stream, 'none', [event(`${stream} ${text}`), event()])));
  for (const stream of streams) {
    expect((await store.read(stream, { limit: 9 })).map(({ data }) => String(data['text']).slice(0, 8).trim())).toEqual(
      [stream.slice(0, 8), ''],
    );
    expect(await store.heads([stream])).toEqual([1]);
  }
  await store.close();
});

test('TP5: what a killed process had not indexed is indexed before the store opens', async () => {
  const [directory, left] = [newDirectory(), newDirectory()];
  const store = await open(directory);
  for (let n = 0; n < 20; n += 1) await store.append('thing-1', n === 0 ? 'none' : n - 1, [event()]);
  for (const name of ['log.db', 'log.db-wal']) copyFileSync(join(directory, name), join(left, name));
  await store.close();
  const indexed = 'SELECT count(*) AS n, (SELECT value FROM kept) AS upTo FROM stream_index';
  expect(asked(left, indexed)).toEqual([{ n: 0, upTo: 0 }]);
  const again = await open(left);
  expect(asked(left, indexed)).toEqual([{ n: 20, upTo: 20 }]);
  expect(await again.read('thing-1', { limit: 50 })).toHaveLength(20);
  await again.close();
});

test('TP5: it indexes at 256 appends, at 4 MiB, and when no append came for a while', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const upTo = () => asked(directory, 'SELECT value FROM kept')[0]!['value'];
  const append = (stream: string, text = '') => store.append(stream, 'none', [event(text)]);
  for (let n = 0; n < 255; n += 1) await append(`thing-${n}`);
  expect(upTo()).toBe(0);
  await append('thing-255');
  await append('thing-256'); // answered after the index transaction behind the one before it
  expect(upTo()).toBe(256);
  for (let n = 0; n < 22; n += 1) await append(`large-${n}`, 'x'.repeat(200 * 1024));
  expect(Number(upTo())).toBeGreaterThan(257);
  await new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (upTo() !== 279) return;
      clearInterval(look);
      resolve();
    }, 20);
  });
  await store.close();
});

test.each([1, 2] as const)('format %s: what was forgotten is not repeated', async (newFormat) => {
  const store = await open(newDirectory(), { newFormat });
  const events = eventsOf(4);
  const written = await store.append('thing-1', 'none', events);
  await store.append('thing-1', 3, eventsOf(1));
  await store.truncate('thing-1', 2);
  await expect(store.append('thing-1', 'none', events)).rejects.toMatchObject({ actual: 4 });
  expect((await store.append('thing-1', 1, events.slice(2))).position).toBe(written.position);
  expect((await replayed(store, 'thing-', 'start')).at(-1)?.revision).toBe(4);
  await store.close();
});

test('an old log is only read: it goes on at the next position, and its rows stay as they are', async () => {
  const directory = newDirectory();
  const old = await open(directory, { newFormat: 1 });
  await old.append('thing-1', 'none', eventsOf(3));
  await old.close();
  const rows = asked(directory, 'SELECT * FROM events');
  const store = await open(directory);
  await store.append('thing-1', 2, eventsOf(2));
  const read = await store.read('thing-1', { limit: 10 });
  expect(read.map(({ revision, position }) => [revision, Number(position)])).toEqual(
    [1, 2, 3, 4, 5].map((n) => [n - 1, n]),
  );
  expect((await store.read('thing-1', { backwards: true, from: 3, limit: 3 })).map(({ revision }) => revision)).toEqual(
    [3, 2, 1],
  );
  await store.close();
  expect(asked(directory, 'SELECT * FROM events')).toEqual(rows);
});

test('release N writes format 2 where it finds it, and format 1 else', async () => {
  const [fresh, changed] = [newDirectory(), newDirectory()];
  await (await open(fresh, { newFormat: 1 })).close();
  expect(asked(fresh, "SELECT 1 FROM sqlite_schema WHERE name = 'log'")).toEqual([]);
  await (await open(changed)).close();
  const store = await open(changed, { newFormat: 1 });
  await store.append('thing-1', 'none', eventsOf(2));
  await store.close();
  expect(asked(changed, 'SELECT count(*) AS n FROM log')).toEqual([{ n: 1 }]);
});

test('a log of a later format is refused before anything is written to it', async () => {
  const directory = newDirectory();
  await (await open(directory)).close();
  const database = new DatabaseSync(join(directory, 'log.db'));
  database.exec('PRAGMA user_version = 3');
  database.close();
  const before = readFileSync(join(directory, 'log.db'));
  for (const newFormat of [1, 2] as const)
    await expect(open(directory, { newFormat })).rejects.toThrow(/format 3.*start the release that wrote it/);
  expect(readFileSync(join(directory, 'log.db')).equals(before)).toBe(true);
});

test('a release that knows format 1 only cannot write to a log with tables of format 2', async () => {
  const directory = newDirectory();
  const store = await open(directory, { newFormat: 1 });
  await store.append('thing-1', 'none', eventsOf(1));
  await store.close();
  await (await open(directory)).close();
  const database = new DatabaseSync(join(directory, 'log.db'));
  const insert = database.prepare(
    "INSERT INTO events (pos, stream, rev, eid, type, data, meta) VALUES (2, 'thing-1', 1, 'id', 'Happened', '{}', '{}')",
  );
  expect(() => insert.run()).toThrow(/a later release writes this log in another format/);
  database.close();
});

test('a conversion moves every event over beside appends, and can be broken off', async () => {
  const directory = newDirectory();
  const old = await open(directory, { newFormat: 1 });
  for (let n = 0; n < 40; n += 1)
    await Promise.all(
      [1, 2, 3].map((name) => old.append(`thing-${name}`, n === 0 ? 'none' : n * 10 - 1, eventsOf(10))),
    );
  await old.truncate('thing-2', 105);
  const readAll = async (name: number, from: SqliteEventStore) =>
    plain(await from.read(`thing-${name}`, { limit: 4096 }));
  const before = await Promise.all([1, 2, 3].map((name) => readAll(name, old)));
  await old.close();

  let store = await open(directory);
  expect(await store.convertSome()).toBe(512);
  await store.append('thing-1', 399, eventsOf(1));
  await store.close();
  store = await open(directory);
  expect(await store.heads(['thing-1', 'thing-2', 'thing-3'])).toEqual([400, 399, 399]);
  let moved = 512;
  for (let some = await store.convertSome(); some > 0; some = await store.convertSome()) moved += some;
  expect(moved).toBe(1095);
  for (const [at, events] of before.entries())
    expect((await readAll(at + 1, store)).slice(0, events.length)).toEqual(events);
  await store.close();
  expect(asked(directory, 'SELECT (SELECT count(*) FROM events) AS old, (SELECT sum(n) FROM log) AS n')).toEqual([
    { old: 0, n: 1096 },
  ]);
  const unmoved = await open(newDirectory(), { newFormat: 1 });
  await unmoved.append('thing-1', 'none', eventsOf(1));
  expect(await unmoved.convertSome()).toBe(0);
  await unmoved.close();
});
