import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type StoredEvent, eventsOf, metaOf, storedMeta } from './log-body.js';

/** An event that is in the log. */
export interface Found {
  id: string;
  position: number;
}

/** An event with where it is. */
export type OldEvent = StoredEvent & { stream: string; rev: number; pos: number };

/** A number of what was read; -1 for null. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : -1;
}

const sqliteConstraintUnique = 2067;

/** A row for each event. Once the log has tables of format 2 these are only read, forgotten and moved over. */
export class Format1Tables {
  private readonly insert: StatementSync;
  private readonly selectHead: StatementSync;
  private readonly selectEvent: StatementSync;
  private readonly undoFrom: StatementSync;
  private readonly deleteBelow: StatementSync;
  private readonly selectOldest: StatementSync;
  private readonly deleteUpTo: StatementSync;
  private readonly selectAny: StatementSync;
  private empty = false;

  constructor(database: DatabaseSync) {
    this.insert = database.prepare(
      'INSERT INTO events (pos, stream, rev, eid, type, data, meta) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.selectHead = database.prepare('SELECT max(rev) AS head FROM events WHERE stream = ?');
    this.selectEvent = database.prepare('SELECT pos, eid FROM events WHERE stream = ? AND rev = ?');
    this.undoFrom = database.prepare('DELETE FROM events WHERE pos >= ?');
    this.deleteBelow = database.prepare('DELETE FROM events WHERE stream = ? AND rev < ?');
    this.selectOldest = database.prepare(
      'SELECT pos, stream, rev, eid, type, data, meta FROM events ORDER BY pos LIMIT ?',
    );
    this.deleteUpTo = database.prepare('DELETE FROM events WHERE pos <= ?');
    this.selectAny = database.prepare('SELECT 1 FROM events LIMIT 1');
  }

  /** Looks whether there are rows at all. To be called when none can come any more: then no read looks here again. */
  settle(): boolean {
    this.empty = this.selectAny.get() === undefined;
    return this.empty;
  }

  /** The last revision of a stream; -1 when it has no event here. */
  head(stream: string): number {
    return this.empty ? -1 : numberOf(this.selectHead.get(stream)?.['head']);
  }

  find(stream: string, revision: number): Found | null {
    const row = this.empty ? undefined : this.selectEvent.get(stream, revision);
    return row ? { id: row['eid'] as string, position: Number(row['pos']) } : null;
  }

  /** Gives false, and has written nothing, when an id of the append is elsewhere in the stream. */
  write(stream: string, revision: number, position: number, count: number, body: string): boolean {
    try {
      for (const [n, event] of eventsOf(body, count).entries()) {
        const { id, type, data } = event;
        this.insert.run(position + n, stream, revision + n, id, type, data, JSON.stringify(metaOf(event)));
      }
    } catch (error) {
      if ((error as { errcode?: unknown }).errcode !== sqliteConstraintUnique) throw error;
      this.undoFrom.run(position);
      return false;
    }
    return true;
  }

  truncate(stream: string, before: number): void {
    if (!this.empty) this.deleteBelow.run(stream, before);
  }

  /** The oldest events, at most so many, and none after so many characters. */
  oldest(count: number, charactersMax: number): OldEvent[] {
    const events: OldEvent[] = [];
    let characters = 0;
    for (const row of this.selectOldest.iterate(count)) {
      const text = (column: string) => row[column] as string;
      const data = text('data');
      const meta = storedMeta(JSON.parse(text('meta')) as Record<string, string>);
      const [rev, pos] = [Number(row['rev']), Number(row['pos'])];
      events.push({ stream: text('stream'), rev, pos, id: text('eid'), type: text('type'), ...meta, data });
      characters += data.length + meta.meta.length;
      if (characters >= charactersMax) break;
    }
    return events;
  }

  forgetUpTo(position: number): void {
    this.deleteUpTo.run(position);
  }
}
