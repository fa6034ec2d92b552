import { type ReadOptions, type RecordedEvent, StoreUnavailable, messageOf } from '@aos/kernel';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LogRows, entriesOf, format1Queries, format2Queries, inLogOrder } from './log-rows.js';
import type { TailEntry } from './log-tail.js';
import { positionText } from './position.js';
import type { LogFormat } from './writer-messages.js';

const readWindow = 4096; // positions that one read of a subscription looks at
const batchCharactersMax = 4 * 1024 * 1024;

const oldHead = 'SELECT max(rev) AS head FROM events WHERE stream = ?1';
const newHead = 'SELECT max(rev) AS head FROM stream_index WHERE stream = ?1';
const anyHead = `SELECT nullif(max(coalesce((${newHead}), -1), coalesce((${oldHead}), -1)), -1) AS head`;

/** Decoded at once: who reads a stream looks at all of it. */
function recorded({ stream, revision, at, id, type, data, meta }: TailEntry): RecordedEvent {
  return { stream, revision, position: positionText(at), id, type, data, meta };
}

/**
 * Reads the log through a connection that cannot write. Short, indexed reads on the calling thread. Where the log has
 * rows of both formats each read merges them, and takes no order between them for granted: a conversion may be under
 * way.
 */
export class LogFile {
  private readonly database: DatabaseSync;
  private readonly old: LogRows;
  /** Null while format 1 is written. */
  private readonly rows: LogRows | null;
  private readonly straddling: StatementSync | null;
  private readonly selectOld: StatementSync;
  private head: StatementSync;
  private hasOld = true;

  constructor(path: string, format: LogFormat) {
    this.database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    this.old = new LogRows(this.database, format1Queries);
    this.rows = format === 2 ? new LogRows(this.database, format2Queries) : null;
    this.straddling = this.rows && this.database.prepare('SELECT pos, n FROM log WHERE pos >= ? ORDER BY pos LIMIT 1');
    this.selectOld = this.database.prepare('SELECT 1 FROM events LIMIT 1');
    this.head = this.database.prepare(this.rows ? anyHead : oldHead);
    this.settle();
  }

  get writesFormat1(): boolean {
    return this.rows === null;
  }

  /** Looks whether there are rows of format 1: while there are none, and none can come, no read looks for them. */
  settle(): void {
    if (!this.rows || this.selectOld.get() !== undefined) return;
    this.hasOld = false;
    this.head = this.database.prepare(newHead);
  }

  read(stream: string, options: ReadOptions): RecordedEvent[] {
    return this.answering(() => {
      const rows = this.rows ? this.ofStream(this.rows, stream, options) : [];
      const old = this.hasOld ? this.ofStream(this.old, stream, options) : [];
      const entries = old.length === 0 ? rows : rows.length === 0 ? old : [...rows, ...old];
      if (rows.length > 0 && old.length > 0)
        entries.sort((a, b) => (options.backwards ? b.revision - a.revision : a.revision - b.revision));
      return entries.slice(0, options.limit).map(recorded);
    });
  }

  /** The last revision that the file finds. */
  headOf(stream: string): number | 'none' {
    const head = this.answering(() => this.head.get(stream)?.['head']);
    return typeof head === 'number' ? head : 'none';
  }

  /**
   * Matching events after a position, within a window that ends at `ceiling` or behind it, and up to where that was. A
   * window never ends inside an append: the next one would take its first events to be given already.
   */
  after(
    position: number,
    ceiling: number,
    prefixes: readonly string[],
    limit: number,
  ): { events: RecordedEvent[]; upTo: number } {
    return this.answering(() => {
      const upTo = this.endOfAppend(Math.min(ceiling, position + readWindow));
      const old = this.hasOld ? this.old.between(position, upTo, prefixes) : [];
      const rows = this.rows?.between(position, upTo, prefixes) ?? [];
      const events: RecordedEvent[] = [];
      let characters = 0;
      for (const row of inLogOrder(old, rows)) {
        for (const entry of entriesOf(row)) {
          if (entry.at <= position) continue;
          events.push(entry);
          characters += entry.characters;
          if (events.length >= limit || characters >= batchCharactersMax) return { events, upTo: entry.at };
        }
      }
      return { events, upTo };
    });
  }

  close(): void {
    this.database.close();
  }

  /** The last position of the append that holds this one; this one where none does. */
  private endOfAppend(position: number): number {
    const row = this.straddling?.get(position);
    const [pos, n] = [Number(row?.['pos'] ?? Number.NaN), Number(row?.['n'])];
    return pos - n < position ? pos : position;
  }

  private ofStream(rows: LogRows, stream: string, { from, backwards, limit }: ReadOptions): TailEntry[] {
    const start = from ?? (backwards ? Number.MAX_SAFE_INTEGER : 0);
    const entries: TailEntry[] = [];
    for (const row of (backwards ? rows.backwards : rows.forwards).iterate(stream, start, limit)) {
      const ofRow = entriesOf(row);
      if (backwards) ofRow.reverse();
      for (const entry of ofRow) if (backwards ? entry.revision <= start : entry.revision >= start) entries.push(entry);
      if (entries.length >= limit) break;
    }
    return entries;
  }

  /** With rows of both formats one read is one look at the file: a conversion moves rows from one to the other. */
  private answering<T>(read: () => T): T {
    const together = this.rows !== null && this.hasOld;
    try {
      if (together) this.database.exec('BEGIN');
      try {
        return read();
      } finally {
        if (together) this.database.exec('COMMIT');
      }
    } catch (error) {
      throw new StoreUnavailable(`the log cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }
}
