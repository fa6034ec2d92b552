import { DatabaseSync } from 'node:sqlite';
import type { LogFormat, WriterSettings } from './writer-messages.js';

/** `user_version` of a log with tables of format 2; one of format 1 has 0. */
const version2 = 2;

const schema1 = `
  CREATE TABLE IF NOT EXISTS events (
    pos INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL, rev INTEGER NOT NULL, eid TEXT NOT NULL,
    type TEXT NOT NULL, data TEXT NOT NULL, meta TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_revision ON events (stream, rev);
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_id ON events (stream, eid);
`;

/** The trigger stops a release that knows format 1 only: it would give positions a second time. */
const schema2 = `
  CREATE TABLE log (
    pos INTEGER PRIMARY KEY, stream TEXT NOT NULL, rev INTEGER NOT NULL, n INTEGER NOT NULL, body BLOB NOT NULL
  ) STRICT;
  CREATE TABLE stream_index (
    stream TEXT NOT NULL, rev INTEGER NOT NULL, pos INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (stream, rev)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE kept (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE cuts (stream TEXT NOT NULL PRIMARY KEY, before INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER events_are_closed BEFORE INSERT ON events BEGIN
    SELECT raise(ABORT, 'a later release writes this log in another format: this release must not write it');
  END;
  PRAGMA user_version = ${version2};
`;

/**
 * SQLite walks all its pages at the end of a transaction that split one, and a writer of a log needs its last pages
 * only: with 32 MiB that walk was a sixth of its time.
 */
const cacheKib = 4096;

export interface LogDatabase {
  database: DatabaseSync;
  format: LogFormat;
  /** The highest position that was ever given. */
  end: number;
}

/**
 * Opens the log so that a commit is on the disk. Refuses a log of a later format, and to go on when the database says
 * that it is not durable.
 */
export function openLogDatabase({ file, pagesMax, newFormat }: WriterSettings): LogDatabase {
  const database = new DatabaseSync(file, { timeout: 5000 });
  const version = pragma(database, 'user_version');
  if (version > version2) {
    database.close();
    throw new Error(`it has format ${version}, this release knows up to ${version2}: start the release that wrote it`);
  }
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;
     PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -${cacheKib}`,
  );
  const journal = database.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
  if (journal !== 'wal') throw new Error(`the log cannot be made durable: journal_mode ${String(journal)}`);
  requireFullSync(database);
  if (version < version2) makeTables(database, newFormat);
  if (pagesMax !== undefined) database.exec(`PRAGMA max_page_count = ${pagesMax}`);
  const format = pragma(database, 'user_version') === version2 ? 2 : 1;
  const end = lastPosition(database, 'events');
  return { database, format, end: format === 2 ? Math.max(end, lastPosition(database, 'log')) : end };
}

/** One transaction: there are tables of format 2, the trigger and the version, or none of them. */
function makeTables(database: DatabaseSync, newFormat: LogFormat): void {
  database.exec(`BEGIN IMMEDIATE; ${schema1}`);
  if (newFormat === 2)
    database.exec(`${schema2} INSERT INTO kept VALUES ('indexed_to', ${lastPosition(database, 'events')})`);
  database.exec('COMMIT');
}

/** Refuses when a commit would not wait for the disk. */
export function requireFullSync(database: DatabaseSync): void {
  const synchronous = pragma(database, 'synchronous');
  if (synchronous !== 2) throw new Error(`the log cannot be made durable: synchronous ${synchronous}`);
}

/** Asked anew each time: a statement that is kept would give what it found at first. */
function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** Positions are never given again, also when their events are gone. */
function lastPosition(database: DatabaseSync, table: 'events' | 'log'): number {
  const row = database
    .prepare(
      `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0), coalesce((SELECT max(pos) FROM ${table}), 0)) AS pos`,
    )
    .get();
  return Number(row?.['pos'] ?? 0);
}
