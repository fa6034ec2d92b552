// The log's only writer. A thread of its own, started from this file both as built JavaScript and, in tests, as
// TypeScript whose types Node strips: so it imports its neighbours only, and nothing that needs more than that.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Format1Tables } from './format-1-tables.js';
import { Format2Tables } from './format-2-tables.js';
import { idsOf } from './log-body.js';
import { openLogDatabase, requireFullSync } from './log-database.js';
import type { AppendMessage, FromWriter, ToWriter, WriterSettings } from './writer-messages.js';

const itemsMax = 2048; // appends of one transaction
const headsMax = 50_000; // streams whose last revision is kept in memory
const checkpointPages = 2000; // of the write-ahead log, about
// beside its text: events that are written together lie on the same pages
const pagesPerEventRange = { least: 0.1, most: 3 };
const bytesPerPage = 4096;
/** Appends of one index transaction: it begins when so many wait, or so many bytes, or none came for a while. */
const indexAppends = 256;
const indexBytes = 4 * 1024 * 1024;
const indexIdleMs = 1000;
/** Beyond it no append is taken before what waits is in the index: the owner keeps in memory what is not. */
const unindexedMax = { appends: 4096, events: 8192, bytes: 8 * 1024 * 1024 };
const sqliteBusy = 5;
const sqliteIoerr = 10;
const sqliteFull = 13;
const sqliteIoerrShmsize = 4874;

const port = parentPort!;
const { database, format, end: endAtOpening } = openLogDatabase(workerData as WriterSettings);
const old = new Format1Tables(database);
/** Null while format 1 is written. */
const rows = format === 2 ? new Format2Tables(database, old) : null;
const tables = rows ?? old;
const heads = new Map<string, number>();
let end = endAtOpening;
/** What was written since the last checkpoint. */
let unfolded = { events: 0, bytes: 0 };
/** As the last checkpoint found it. */
let pagesPerEvent = pagesPerEventRange.most;
let idleTimer: NodeJS.Timeout | null = null;
let broken = false;

function send(message: FromWriter): void {
  port.postMessage(message);
}

function breakOff(message: string): void {
  broken = true;
  send({ kind: 'fatal', message });
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function headOf(stream: string): number {
  return heads.get(stream) ?? tables.head(stream);
}

function setHead(stream: string, head: number): void {
  if (heads.size >= headsMax) heads.clear();
  heads.set(stream, head);
}

/**
 * The decision table of exact revisions: at the head it is written; below it only the very same ids are a repeat; all
 * else conflicts.
 */
function appendOne(stream: string, expected: number, count: number, body: string, outcomes: number[]): void {
  const head = headOf(stream);
  if (expected !== head) {
    const position = expected < head ? repeated(stream, expected, count, body) : null;
    if (position !== null) outcomes.push(1, expected + count, position);
    else outcomes.push(2, head);
  } else if (tables.write(stream, head + 1, end + 1, count, body)) {
    end += count;
    setHead(stream, head + count);
    outcomes.push(0, head + count, end);
  } else outcomes.push(2, head);
}

/** The position of the last event of an earlier append with the same ids; null when there is none. */
function repeated(stream: string, expected: number, count: number, body: string): number | null {
  const ids = idsOf(body);
  let position: number | null = null;
  for (let n = 0; n < count; n += 1) {
    const found = tables.find(stream, expected + 1 + n);
    if (found?.id !== ids[n]) return null;
    position = found!.position;
  }
  return position;
}

function appendAll({ streams, expected, counts, bodies }: AppendMessage, outcomes: number[]): void {
  for (let n = 0; n < streams.length; n += 1) {
    appendOne(streams[n]!, expected[n]!, counts[n]!, bodies[n]!, outcomes);
    unfolded.events += counts[n]!;
    unfolded.bytes += bodies[n]!.length;
  }
}

/** Everything below the revision goes, but for the last event: it carries the stream's numbering. */
function truncateOne(stream: string, before: number): void {
  if (rows) rows.truncate(stream, before);
  else old.truncate(stream, Math.min(before, headOf(stream)));
}

const sizeOf = (message: ToWriter): number => (message.kind === 'append' ? message.streams.length : 1);

/** One transaction; what it throws has undone it. */
function inTransaction(write: () => void): void {
  const before = { end, unindexed: rows?.unindexed.size ?? 0 };
  try {
    database.exec('BEGIN IMMEDIATE');
    write();
    database.exec('COMMIT');
  } catch (error) {
    end = before.end;
    heads.clear();
    rows?.undoTo(before.unindexed);
    if (isPassing(error)) rollBack(error);
    throw error;
  }
}

function rollBack(cause: unknown): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch (failure) {
    throw new Error(`${textOf(cause)}; then the rollback failed: ${textOf(failure)}`, { cause });
  }
}

/** One transaction for messages of one kind; answers once it is on the disk. */
function commit(messages: readonly ToWriter[]): void {
  const outcomes: number[] = [];
  let indexed = (): void => undefined;
  try {
    requireFullSync(database);
    if (isUnindexedFull()) indexAll();
    inTransaction(() => {
      if (rows && messages[0]?.kind === 'truncate') indexed = rows.index(rows.unindexed.size);
      for (const message of messages) {
        if (message.kind === 'append') appendAll(message, outcomes);
        else if (message.kind === 'truncate') {
          truncateOne(message.stream, message.before);
          outcomes.push(3);
        } else if (message.kind === 'convert') outcomes.push(4, rows?.move() ?? 0);
      }
    });
  } catch (error) {
    refuse(
      error,
      messages.reduce((sum, message) => sum + sizeOf(message), 0),
    );
    return;
  }
  indexed();
  if (messages[0]?.kind === 'convert') old.settle();
  send({ kind: 'done', outcomes, indexedTo: rows?.indexedTo ?? end });
}

/**
 * A full or a busy disk is passing: nothing was written, later appends may be. Any other fault of the disk ends the
 * process.
 */
function refuse(error: unknown, count: number): void {
  if (isPassing(error)) send({ kind: 'unavailable', count, message: textOf(error) });
  else breakOff(textOf(error));
}

function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  return (code & 255) === sqliteFull || (code & 255) === sqliteBusy || code === sqliteIoerrShmsize;
}

function codeOf(error: unknown): number {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code : sqliteIoerr;
}

const isIndexDue = (): boolean =>
  rows !== null && (rows.unindexed.size >= indexAppends || rows.unindexed.bytes >= indexBytes);

function isUnindexedFull(): boolean {
  if (!rows) return false;
  const { size, events, bytes } = rows.unindexed;
  return size >= unindexedMax.appends || events >= unindexedMax.events || bytes >= unindexedMax.bytes;
}

/**
 * One transaction, which need not be on the disk when it ends: what a loss of power takes, takes the note with it how
 * far the index goes, and the log itself tells the rest.
 */
function indexSome(): void {
  if (!rows || rows.unindexed.size === 0) return;
  let indexed = (): void => undefined;
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    inTransaction(() => {
      indexed = rows.index(indexAppends);
    });
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
  indexed();
}

function indexAll(): void {
  while (rows && rows.unindexed.size > 0) indexSome();
  requireFullSync(database);
}

/**
 * After a group, never inside one. Gives false when it must be left for later, because the disk is full: `commit` sees
 * to it that not too much waits then.
 */
function indexBehind(write: () => void): boolean {
  if (broken) return false;
  try {
    write();
    return true;
  } catch (error) {
    if (!isPassing(error)) breakOff(`index: ${textOf(error)}`);
    return false;
  }
}

/** The next message; while there is none, and too much waits for the index, the time is used. */
function nextOrIndex(): ToWriter | undefined {
  for (;;) {
    const message = next();
    if (message || !isIndexDue() || !indexBehind(indexSome)) return message ?? next();
  }
}

function indexWhenIdle(): void {
  if (!rows || rows.unindexed.size === 0) return;
  if (idleTimer) idleTimer.refresh();
  else
    idleTimer = setTimeout(() => {
      indexBehind(indexAll);
    }, indexIdleMs).unref();
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
    if (!isPassing(error)) breakOff(`checkpoint: ${textOf(error)}`);
  }
}

const isCheckpointDue = (): boolean =>
  unfolded.events * pagesPerEvent + unfolded.bytes / bytesPerPage >= checkpointPages;

function next(): ToWriter | undefined {
  return (receiveMessageOnPort(port) as { message: ToWriter } | undefined)?.message;
}

function close(): void {
  if (idleTimer) clearTimeout(idleTimer);
  indexBehind(indexAll);
  checkpoint('TRUNCATE');
  database.close();
  send({ kind: 'closed' });
  port.close();
}

port.on('message', (received: ToWriter) => {
  let message: ToWriter | undefined = received;
  while (message && !broken) {
    const batch: ToWriter[] = [];
    let items = 0;
    for (; message && message.kind !== 'close' && items < itemsMax; message = next()) {
      if (batch.length > 0 && batch[0]!.kind !== message.kind) break;
      batch.push(message);
      items += sizeOf(message);
    }
    if (batch.length > 0) {
      commit(batch);
      if (isIndexDue()) indexBehind(indexSome);
      if (isCheckpointDue()) checkpoint('PASSIVE');
    }
    if (message?.kind === 'close') {
      close();
      return;
    }
    message ??= nextOrIndex();
  }
  indexWhenIdle();
});

rows?.indexRest(inTransaction);
send({ kind: 'opened', end, format });
