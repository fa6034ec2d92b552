// The log's only writer. A thread of its own, started from this file both as built JavaScript and, in tests, as
// TypeScript whose types Node strips: so it imports nothing of ours but types.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { AppendMessage, FromWriter, ToWriter, WriterSettings } from './writer-messages.js';

const itemsMax = 2048; // appends of one transaction
const headsMax = 50_000; // streams whose last revision is kept in memory
const checkpointPages = 2000; // of the write-ahead log, about
// beside its text: events that are written together lie on the same pages
const pagesPerEventRange = { least: 0.1, most: 3 };
const bytesPerPage = 4096;
const sqliteBusy = 5;
const sqliteIoerr = 10;
const sqliteFull = 13;
const sqliteIoerrShmsize = 4874;
const sqliteConstraintUnique = 2067;

const schema = `
  CREATE TABLE IF NOT EXISTS events (
    pos INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL, rev INTEGER NOT NULL, eid TEXT NOT NULL,
    type TEXT NOT NULL, data TEXT NOT NULL, meta TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_revision ON events (stream, rev);
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_id ON events (stream, eid);
`;

const port = parentPort!;
const database = openLog(workerData as WriterSettings);
const insert = database.prepare(
  'INSERT INTO events (pos, stream, rev, eid, type, data, meta) VALUES (?, ?, ?, ?, ?, ?, ?)',
);
const selectHead = database.prepare('SELECT max(rev) AS head FROM events WHERE stream = ?');
const selectPosition = database.prepare('SELECT pos, eid FROM events WHERE stream = ? AND rev = ?');
const undoFrom = database.prepare('DELETE FROM events WHERE pos >= ?');
const truncate = database.prepare('DELETE FROM events WHERE stream = ? AND rev < ?');
const heads = new Map<string, number>();
let end = lastPosition();
/** What was written since the last checkpoint. */
let unfolded = { events: 0, bytes: 0 };
/** As the last checkpoint found it. */
let pagesPerEvent = pagesPerEventRange.most;

function send(message: FromWriter): void {
  port.postMessage(message);
}

/** Opens the log so that a commit is on the disk; refuses to go on when the database says otherwise. */
function openLog({ file, pagesMax }: WriterSettings): DatabaseSync {
  const opened = new DatabaseSync(file, { timeout: 5000 });
  opened.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -32768',
  );
  const journal = opened.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
  const synchronous = opened.prepare('PRAGMA synchronous').get()?.['synchronous'];
  if (journal !== 'wal' || synchronous !== 2)
    throw new Error(
      `the log cannot be made durable: journal_mode ${String(journal)}, synchronous ${String(synchronous)}`,
    );
  opened.exec(schema);
  if (pagesMax !== undefined) opened.exec(`PRAGMA max_page_count = ${pagesMax}`);
  return opened;
}

/** The highest position ever given, also when its event is gone: positions are never reused. */
function lastPosition(): number {
  const row = database
    .prepare(
      "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0), coalesce((SELECT max(pos) FROM events), 0)) AS pos",
    )
    .get();
  return Number(row?.['pos'] ?? 0);
}

function headOf(stream: string): number {
  const known = heads.get(stream);
  if (known !== undefined) return known;
  const head = selectHead.get(stream)?.['head'];
  return typeof head === 'number' ? head : -1;
}

function setHead(stream: string, head: number): void {
  if (heads.size >= headsMax) heads.clear();
  heads.set(stream, head);
}

/**
 * The decision table of exact revisions: at the head it is written; below it only the very same ids are a repeat; all
 * else conflicts.
 */
function appendOne(
  stream: string,
  expected: number,
  cells: readonly string[],
  at: number,
  count: number,
  outcomes: number[],
): void {
  const head = headOf(stream);
  if (expected !== head) {
    const position = expected < head ? repeated(stream, expected, cells, at, count) : null;
    if (position !== null) outcomes.push(1, expected + count, position);
    else outcomes.push(2, head);
    return;
  }
  const first = end + 1;
  try {
    for (let n = 0; n < count; n += 1) {
      const cell = at + n * 4;
      insert.run(first + n, stream, head + 1 + n, cells[cell]!, cells[cell + 1]!, cells[cell + 2]!, cells[cell + 3]!);
    }
  } catch (error) {
    if (codeOf(error) !== sqliteConstraintUnique) throw error;
    undoFrom.run(first); // an id of the append is elsewhere in the stream
    outcomes.push(2, head);
    return;
  }
  end += count;
  setHead(stream, head + count);
  outcomes.push(0, head + count, end);
}

/** The position of the last event of an earlier append with the same ids; null when there is none. */
function repeated(
  stream: string,
  expected: number,
  cells: readonly string[],
  at: number,
  count: number,
): number | null {
  let position: number | null = null;
  for (let n = 0; n < count; n += 1) {
    const row = selectPosition.get(stream, expected + 1 + n);
    if (!row || row['eid'] !== cells[at + n * 4]) return null;
    position = Number(row['pos']);
  }
  return position;
}

function appendAll(message: AppendMessage, outcomes: number[]): void {
  const { streams, expected, counts, cells } = message;
  let at = 0;
  for (let n = 0; n < streams.length; n += 1) {
    const count = counts[n]!;
    appendOne(streams[n]!, expected[n]!, cells, at, count, outcomes);
    at += count * 4;
  }
  let bytes = 0;
  for (const cell of cells) bytes += cell.length;
  unfolded.events += cells.length / 4;
  unfolded.bytes += bytes;
}

/** Everything below the revision goes, but for the last event: it carries the stream's numbering. */
function truncateOne(stream: string, before: number): void {
  truncate.run(stream, Math.min(before, headOf(stream)));
}

const sizeOf = (message: ToWriter): number => (message.kind === 'append' ? message.streams.length : 1);

/** One transaction for all of the messages; answers once it is on the disk. */
function commit(messages: readonly ToWriter[]): void {
  const outcomes: number[] = [];
  const endBefore = end;
  try {
    database.exec('BEGIN IMMEDIATE');
    for (const message of messages) {
      if (message.kind === 'append') appendAll(message, outcomes);
      else if (message.kind === 'truncate') {
        truncateOne(message.stream, message.before);
        outcomes.push(3);
      }
    }
    database.exec('COMMIT');
  } catch (error) {
    end = endBefore;
    heads.clear();
    refuse(
      error,
      messages.reduce((sum, message) => sum + sizeOf(message), 0),
    );
    return;
  }
  send({ kind: 'done', outcomes });
  if (unfolded.events * pagesPerEvent + unfolded.bytes / bytesPerPage >= checkpointPages) checkpoint('PASSIVE');
}

/**
 * A full or a busy disk is passing: nothing was written, later appends may be. Any other fault of the disk ends the
 * process.
 */
function refuse(error: unknown, count: number): void {
  const message = error instanceof Error ? error.message : String(error);
  if (!isPassing(error)) {
    send({ kind: 'fatal', message });
    return;
  }
  try {
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch (failure) {
    send({ kind: 'fatal', message: `${message}; then the rollback failed: ${String(failure)}` });
    return;
  }
  send({ kind: 'unavailable', count, message });
}

function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  return (code & 255) === sqliteFull || (code & 255) === sqliteBusy || code === sqliteIoerrShmsize;
}

function codeOf(error: unknown): number {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code : sqliteIoerr;
}

/**
 * By hand, because the automatic one hides that the file could not be synced. `TRUNCATE` waits for readers, and leaves
 * nothing beside the file.
 */
function checkpoint(how: 'PASSIVE' | 'TRUNCATE'): void {
  const { events, bytes } = unfolded;
  unfolded = { events: 0, bytes: 0 };
  try {
    const pages = Number(database.prepare(`PRAGMA wal_checkpoint(${how})`).get()?.['log']);
    if (events > 0)
      pagesPerEvent = Math.min(
        pagesPerEventRange.most,
        Math.max(pagesPerEventRange.least, (pages - bytes / bytesPerPage) / events),
      );
  } catch (error) {
    if (!isPassing(error))
      send({ kind: 'fatal', message: `checkpoint: ${error instanceof Error ? error.message : String(error)}` });
  }
}

function next(): ToWriter | undefined {
  return (receiveMessageOnPort(port) as { message: ToWriter } | undefined)?.message;
}

port.on('message', (received: ToWriter) => {
  let message: ToWriter | undefined = received;
  while (message) {
    const batch: ToWriter[] = [];
    let items = 0;
    for (; message && message.kind !== 'close' && items < itemsMax; message = next()) {
      batch.push(message);
      items += sizeOf(message);
    }
    if (batch.length > 0) commit(batch);
    if (message?.kind === 'close') {
      checkpoint('TRUNCATE');
      database.close();
      send({ kind: 'closed' });
      port.close();
      return;
    }
  }
});

send({ kind: 'opened', end });
