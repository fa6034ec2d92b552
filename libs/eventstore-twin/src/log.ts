import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { GenerationalCache } from '@aos/kernel';
import { decide } from './decision.js';
import type { Expected, StreamFacts } from './decision.js';
import { RecentRecords } from './recent-records.js';

export interface ProposedRecord {
  id: string;
  type: string;
  contentType: string;
  data: Uint8Array;
  metadata: Uint8Array;
}

export interface LogRecord extends ProposedRecord {
  /** Offset in the log: grows by the record's size, so it is increasing and not dense. */
  position: number;
  stream: string;
  revision: number;
  createdMs: number;
  /** The mark of a stream that is gone for good. */
  tombstone: boolean;
}

export interface LogWrite {
  stream: string;
  expected: Expected;
  records: readonly ProposedRecord[];
  tombstone?: boolean;
}

export type LogAnswer =
  { kind: 'written'; revision: number; position: number } | { kind: 'conflict'; current: number } | { kind: 'deleted' };

/** Which revisions of a stream readers see. */
export interface StreamBounds {
  last: number;
  first: number;
  tombstoned: boolean;
  softDeleted: boolean;
}

interface Head {
  last: number;
  tombstoned: boolean;
}

const pageMax = 256;
const headsMax = 200_000;
const recentIdsMax = 100_000;
const recordOverheadBytes = 96;
const columns = 'position, stream, revision, id, type, content_type, data, metadata, created, tombstone';

/**
 * A durable log of records in streams, in one SQLite file.
 *
 * Promises: what `commit` answered as written survives the end of the process; positions grow in order of writing.
 * Does not promise: more than one open log on a folder.
 */
export class ProtocolLog {
  private readonly database: DatabaseSync;
  private readonly heads = new Map<string, Head>();
  private readonly recentIds = new GenerationalCache<number>(recentIdsMax);
  private readonly recent = new RecentRecords<LogRecord>();
  private readonly statements: Record<
    'insert' | 'head' | 'at' | 'forwards' | 'backwards' | 'after' | 'before',
    StatementSync
  >;
  private lastPosition: number;

  /** Takes a folder for the file, or null for a log that lives in memory. */
  constructor(folder: string | null) {
    if (folder !== null) mkdirSync(folder, { recursive: true });
    this.database = new DatabaseSync(folder === null ? ':memory:' : join(folder, 'eventstore.db'));
    this.database.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA locking_mode = EXCLUSIVE;
      CREATE TABLE IF NOT EXISTS records (
        position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, id TEXT NOT NULL,
        type TEXT NOT NULL, content_type TEXT NOT NULL, data BLOB NOT NULL, metadata BLOB NOT NULL,
        created INTEGER NOT NULL, tombstone INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX IF NOT EXISTS records_by_stream ON records (stream, revision);`);
    const prepare = (where: string) => this.database.prepare(`SELECT ${columns} FROM records ${where}`);
    this.statements = {
      insert: this.database.prepare(`INSERT INTO records (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
      head: this.database.prepare(
        'SELECT revision, tombstone FROM records WHERE stream = ? ORDER BY revision DESC LIMIT 1',
      ),
      at: this.database.prepare('SELECT id, position FROM records WHERE stream = ? AND revision = ? AND tombstone = 0'),
      forwards: prepare(
        'WHERE stream = ? AND tombstone = 0 AND revision >= ? AND revision <= ? ORDER BY revision LIMIT ?',
      ),
      backwards: prepare(
        'WHERE stream = ? AND tombstone = 0 AND revision >= ? AND revision <= ? ORDER BY revision DESC LIMIT ?',
      ),
      after: prepare('WHERE position > ? ORDER BY position LIMIT ?'),
      before: prepare('WHERE position < ? ORDER BY position DESC LIMIT ?'),
    };
    const end = this.database.prepare('SELECT max(position) AS position FROM records').get();
    this.lastPosition = Number(end?.['position'] ?? 0);
    this.recent.restart(this.lastPosition);
  }

  /** Position of the last record; 0 for an empty log. */
  get end(): number {
    return this.lastPosition;
  }

  /**
   * Writes all that can be written in one durable step; answers each write in order. Throws when the file refuses: then
   * nothing was written.
   */
  commit(writes: readonly LogWrite[]): LogAnswer[] {
    const before = this.lastPosition;
    const written: LogRecord[] = [];
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const answers = writes.map((write) => this.apply(write, written));
      this.database.exec('COMMIT');
      for (const record of written)
        this.recent.push(record, record.position, record.data.length + record.metadata.length);
      return answers;
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      this.heads.clear();
      this.recentIds.clear();
      this.lastPosition = before;
      throw error;
    }
  }

  bounds(stream: string): StreamBounds {
    const { last, tombstoned } = this.head(stream);
    const metadata = this.streamMetadata(stream);
    const truncateBefore = typeof metadata['$tb'] === 'number' ? metadata['$tb'] : 0;
    const countMax = stream.startsWith('$$') ? 1 : metadata['$maxCount'];
    const byCount = typeof countMax === 'number' ? last - countMax + 1 : 0;
    return {
      last,
      tombstoned,
      first: Math.max(0, truncateBefore, byCount),
      softDeleted: truncateBefore > Number.MAX_SAFE_INTEGER,
    };
  }

  /** One page of a stream between two revisions, both included. */
  readStream(stream: string, low: number, high: number, backwards: boolean, limit: number): LogRecord[] {
    if (high < low) return [];
    const statement = backwards ? this.statements.backwards : this.statements.forwards;
    return statement.all(stream, low, Math.min(high, Number.MAX_SAFE_INTEGER), Math.min(limit, pageMax)).map(recordOf);
  }

  /** One page of the whole log after a position. */
  readAfter(position: number, limit = pageMax): LogRecord[] {
    if (position >= this.lastPosition) return [];
    return (
      this.recent.after(position, Math.min(limit, pageMax)) ??
      this.statements.after.all(position, Math.min(limit, pageMax)).map(recordOf)
    );
  }

  /** One page of the whole log before a position, newest first. */
  readBefore(position: number, limit = pageMax): LogRecord[] {
    return (
      this.recent.before(position, Math.min(limit, pageMax)) ??
      this.statements.before.all(position, Math.min(limit, pageMax)).map(recordOf)
    );
  }

  close(): void {
    this.database.close();
  }

  private apply(write: LogWrite, written: LogRecord[]): LogAnswer {
    const { stream } = write;
    const decision = decide(
      write.expected,
      write.records.map(({ id }) => id),
      this.facts(stream),
    );
    if (decision.kind === 'conflict' || decision.kind === 'deleted') return decision;
    if (decision.kind === 'repeat') {
      const found = this.statements.at.get(stream, decision.last);
      return { kind: 'written', revision: decision.last, position: Number(found?.['position'] ?? this.lastPosition) };
    }
    write.records.forEach((record, index) =>
      written.push(this.insert(stream, decision.first + index, record, write.tombstone === true)),
    );
    return { kind: 'written', revision: decision.first + write.records.length - 1, position: this.lastPosition };
  }

  private insert(stream: string, revision: number, proposed: ProposedRecord, tombstone: boolean): LogRecord {
    const position = this.lastPosition + recordOverheadBytes + proposed.data.length + proposed.metadata.length;
    const record: LogRecord = { ...proposed, position, stream, revision, createdMs: Date.now(), tombstone };
    const { id, type, contentType, data, metadata, createdMs } = record;
    this.statements.insert.run(
      position,
      stream,
      revision,
      id,
      type,
      contentType,
      data,
      metadata,
      createdMs,
      tombstone ? 1 : 0,
    );
    this.lastPosition = position;
    this.heads.set(stream, { last: revision, tombstoned: tombstone });
    this.recentIds.set(`${stream}\n${id}`, revision);
    return record;
  }

  private head(stream: string): Head {
    const known = this.heads.get(stream);
    if (known) return known;
    const row = this.statements.head.get(stream);
    const head = { last: Number(row?.['revision'] ?? -1), tombstoned: row?.['tombstone'] === 1 };
    if (this.heads.size >= headsMax) this.heads.clear();
    this.heads.set(stream, head);
    return head;
  }

  private facts(stream: string): StreamFacts {
    const head = this.head(stream);
    const gone = stream.startsWith('$$') && this.head(stream.slice(2)).tombstoned;
    return {
      last: head.last,
      tombstoned: head.tombstoned || gone,
      softDeleted: this.bounds(stream).softDeleted,
      hasMetadata: this.head(`$$${stream}`).last >= 0,
      idAt: (revision) => this.statements.at.get(stream, revision)?.['id'] as string | undefined,
      recentRevision: (id) => this.recentIds.get(`${stream}\n${id}`),
    };
  }

  private streamMetadata(stream: string): Record<string, unknown> {
    const metastream = `$$${stream}`;
    const { last } = this.head(metastream);
    const newest = last < 0 ? undefined : this.readStream(metastream, last, last, false, 1)[0];
    return newest ? parseObject(newest.data) : {};
  }
}

/** Stream metadata that is not an object counts as none, as on the server. */
function parseObject(bytes: Uint8Array): Record<string, unknown> {
  const text = Buffer.from(bytes).toString('utf8');
  if (!text.startsWith('{')) return {};
  return JSON.parse(text) as Record<string, unknown>;
}

function recordOf(row: Record<string, unknown>): LogRecord {
  return {
    position: Number(row['position']),
    stream: String(row['stream']),
    revision: Number(row['revision']),
    id: String(row['id']),
    type: String(row['type']),
    contentType: String(row['content_type']),
    data: row['data'] as Uint8Array,
    metadata: row['metadata'] as Uint8Array,
    createdMs: Number(row['created']),
    tombstone: row['tombstone'] === 1,
  };
}
