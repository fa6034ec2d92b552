import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Format1Tables, type Found, type OldEvent, numberOf } from './format-1-tables.js';
import { bodyOf, idsOf } from './log-body.js';
import { type IndexRow, UnindexedAppends } from './unindexed-appends.js';

const moveEvents = 512; // of one transaction of a conversion
const moveCharactersMax = 4 * 1024 * 1024;
const rowCharactersMax = 256 * 1024; // of one row that it makes
const indexedTo = 'indexed_to';
const restRows = 4096; // that are indexed at once when the log is opened

/**
 * A row for each append, and an index that finds the appends of a stream and is filled behind them. What the tables of
 * format 1 hold is looked for after it.
 */
export class Format2Tables {
  readonly unindexed = new UnindexedAppends();
  /** Every append up to here is in the index. */
  indexedTo: number;
  private readonly database: DatabaseSync;
  private readonly old: Format1Tables;
  private readonly insert: StatementSync;
  private readonly selectHead: StatementSync;
  private readonly selectRow: StatementSync;
  private readonly selectBody: StatementSync;
  private readonly selectCut: StatementSync;
  private readonly insertIndex: StatementSync;
  private readonly setKept: StatementSync;
  private lastRead: { position: number; ids: string[] } | null = null;

  constructor(database: DatabaseSync, old: Format1Tables) {
    this.database = database;
    this.old = old;
    old.settle();
    this.insert = database.prepare('INSERT INTO log (pos, stream, rev, n, body) VALUES (?, ?, ?, ?, ?)');
    this.selectHead = database.prepare('SELECT max(rev) AS head FROM stream_index WHERE stream = ?');
    this.selectRow = database.prepare(
      'SELECT rev, pos, n FROM stream_index WHERE stream = ? AND rev >= ? ORDER BY rev LIMIT 1',
    );
    this.selectBody = database.prepare('SELECT body FROM log WHERE pos = ?');
    this.selectCut = database.prepare('SELECT before FROM cuts WHERE stream = ?');
    this.insertIndex = database.prepare('INSERT INTO stream_index (stream, rev, pos, n) VALUES (?, ?, ?, ?)');
    this.setKept = database.prepare('UPDATE kept SET value = ? WHERE name = ?');
    this.indexedTo = Number(
      database.prepare('SELECT value FROM kept WHERE name = ?').get(indexedTo)?.['value'] ?? Number.NaN,
    );
    if (!Number.isSafeInteger(this.indexedTo)) throw new Error('the log does not say how far its index goes');
  }

  /** The last revision of a stream; -1 when it does not exist. Asked each time, in this order (rule TP7). */
  head(stream: string): number {
    return (
      this.unindexed.head(stream) ??
      // Both: a conversion that was broken off leaves the beginning of a stream in the index and its end outside.
      Math.max(numberOf(this.selectHead.get(stream)?.['head']), this.old.head(stream))
    );
  }

  find(stream: string, revision: number): Found | null {
    const row = this.unindexed.find(stream, revision) ?? this.indexed(stream, revision);
    if (!row) return this.old.find(stream, revision);
    if (revision < numberOf(this.selectCut.get(stream)?.['before'])) return null;
    const index = revision - (row.rev - row.n + 1);
    return { id: this.idsAt(row.pos)[index]!, position: row.pos - row.n + 1 + index };
  }

  write(stream: string, revision: number, position: number, count: number, body: string): boolean {
    const bytes = Buffer.from(body);
    const row = { stream, rev: revision + count - 1, pos: position + count - 1, n: count, bytes: bytes.length };
    this.insert.run(row.pos, stream, row.rev, count, bytes);
    this.unindexed.add(row);
    return true;
  }

  /** Indexes the oldest appends that wait for it, in a transaction that is under way. Gives what to do behind it. */
  index(count: number): () => void {
    const rows = this.unindexed.first(count);
    const last = rows.at(-1);
    if (!last) return () => undefined;
    this.insertRows(rows);
    this.setKept.run(last.pos, indexedTo);
    return () => {
      this.unindexed.dropFirst(rows.length);
      this.indexedTo = last.pos;
    };
  }

  /** Indexes what a killed writer had not; before anything else is asked. Each call of `inTransaction` is one. */
  indexRest(inTransaction: (write: () => void) => void): void {
    const select = this.database.prepare('SELECT stream, rev, pos, n FROM log WHERE pos > ? ORDER BY pos LIMIT ?');
    for (;;) {
      const rows = select.all(this.indexedTo, restRows).map((row) => indexRowOf(row['stream'] as string, row));
      const last = rows.at(-1);
      if (!last) return;
      inTransaction(() => {
        this.insertRows(rows);
        this.setKept.run(last.pos, indexedTo);
      });
      this.indexedTo = last.pos;
    }
  }

  /**
   * Forgets what lies below, but for the stream's last event, in a transaction that is under way: whole rows go, of a
   * row that lies on both sides the beginning is hidden. The rows of the stream must be in the index.
   */
  truncate(stream: string, before: number): void {
    const cut = Math.min(before, this.head(stream));
    if (cut <= 0) return;
    this.old.truncate(stream, cut);
    const below = 'FROM stream_index WHERE stream = ? AND rev < ?';
    this.database.prepare(`DELETE FROM log WHERE pos IN (SELECT pos ${below})`).run(stream, cut);
    this.database.prepare(`DELETE ${below}`).run(stream, cut);
    const row = this.indexed(stream, cut);
    if (row && row.rev - row.n + 1 < cut && numberOf(this.selectCut.get(stream)?.['before']) < cut)
      this.database.prepare('INSERT OR REPLACE INTO cuts (stream, before) VALUES (?, ?)').run(stream, cut);
  }

  /** Moves the oldest rows of format 1 over, in a transaction that is under way. Gives how many there were. */
  move(): number {
    const events = this.old.oldest(moveEvents, moveCharactersMax);
    const rows: IndexRow[] = [];
    for (const run of runsOf(events)) {
      const last = run.at(-1)!;
      const body = Buffer.from(bodyOf(run));
      this.insert.run(last.pos, last.stream, last.rev, run.length, body);
      rows.push({ stream: last.stream, rev: last.rev, pos: last.pos, n: run.length, bytes: body.length });
    }
    this.insertRows(rows);
    const last = rows.at(-1);
    if (last) this.old.forgetUpTo(last.pos);
    return events.length;
  }

  /** What was written after so many unindexed appends is gone: its transaction was given up. */
  undoTo(unindexed: number): void {
    this.unindexed.dropTo(unindexed);
    this.lastRead = null;
  }

  private indexed(stream: string, revision: number): IndexRow | null {
    const row = this.selectRow.get(stream, revision);
    if (!row) return null;
    const found = indexRowOf(stream, row);
    return revision > found.rev - found.n ? found : null;
  }

  private idsAt(position: number): string[] {
    if (this.lastRead?.position !== position) {
      const body = this.selectBody.get(position)?.['body'];
      if (!(body instanceof Uint8Array)) throw new Error(`the log has no append at ${position}`);
      this.lastRead = { position, ids: idsOf(Buffer.from(body.buffer, body.byteOffset, body.length).toString()) };
    }
    return this.lastRead.ids;
  }

  /** In the order of the index: then they touch each of its pages once. */
  private insertRows(rows: readonly IndexRow[]): void {
    const sorted = [...rows].sort((a, b) => (a.stream < b.stream ? -1 : a.stream > b.stream ? 1 : a.rev - b.rev));
    for (const { stream, rev, pos, n } of sorted) this.insertIndex.run(stream, rev, pos, n);
  }
}

function indexRowOf(stream: string, row: Record<string, unknown>): IndexRow {
  return { stream, rev: Number(row['rev']), pos: Number(row['pos']), n: Number(row['n']), bytes: 0 };
}

/** Cuts events into those that can share a row: of one stream, revisions and positions without a gap, not too large. */
function runsOf(events: readonly OldEvent[]): OldEvent[][] {
  const runs: OldEvent[][] = [];
  let characters = 0;
  for (const event of events) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    characters += event.data.length + event.meta.length;
    const joins =
      last?.stream === event.stream &&
      last.rev + 1 === event.rev &&
      last.pos + 1 === event.pos &&
      characters <= rowCharactersMax;
    if (joins) run!.push(event);
    else {
      runs.push([event]);
      characters = event.data.length + event.meta.length;
    }
  }
  return runs;
}
