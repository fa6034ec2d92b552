import { eventsOf } from './log-body.js';
import { TailEntry } from './log-tail.js';
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';

const statementsMax = 64;
/** More prefixes are looked for here: the database would compare each row with one after the other. */
const prefixesMax = 4;

/** What is read of a row: an append, or an event of format 1. */
export type LogRow = Record<string, SQLOutputValue>;

/** How one of the two formats is read. Parameters: stream, revision, most rows. */
export interface LogQueries {
  forwards: string;
  backwards: string;
  /** Columns and table; positions and prefixes are put behind it. */
  rows: string;
}

const oldRows = 'SELECT pos, stream, rev, 1 AS n, eid, type, data, meta FROM events';
const newRows = `SELECT l.pos, l.stream, l.rev, l.n, l.body, (SELECT before FROM cuts WHERE stream = ?1) AS cut
  FROM stream_index i JOIN log l ON l.pos = i.pos WHERE i.stream = ?1`;

export const format1Queries: LogQueries = {
  forwards: `${oldRows} WHERE stream = ?1 AND rev >= ?2 ORDER BY rev LIMIT ?3`,
  backwards: `${oldRows} WHERE stream = ?1 AND rev <= ?2 ORDER BY rev DESC LIMIT ?3`,
  rows: oldRows,
};

/** Each begins with the append that holds the revision: its last revision may be a later one. */
export const format2Queries: LogQueries = {
  forwards: `${newRows} AND i.rev >= ?2 ORDER BY i.rev LIMIT ?3`,
  backwards: `${newRows}
    AND i.rev <= coalesce((SELECT min(rev) FROM stream_index WHERE stream = ?1 AND rev >= ?2), ?2)
    ORDER BY i.rev DESC LIMIT ?3`,
  rows: 'SELECT pos, stream, rev, n, body, (SELECT before FROM cuts WHERE cuts.stream = log.stream) AS cut FROM log',
};

/** The rows of one format. */
export class LogRows {
  readonly forwards: StatementSync;
  readonly backwards: StatementSync;
  private readonly windows = new Map<number, StatementSync>();

  constructor(
    private readonly database: DatabaseSync,
    private readonly queries: LogQueries,
  ) {
    this.forwards = database.prepare(queries.forwards);
    this.backwards = database.prepare(queries.backwards);
  }

  /** Rows whose last position lies after one and not after the other, and whose stream has one of the prefixes. */
  between(position: number, upTo: number, prefixes: readonly string[]): Iterable<LogRow> {
    if (prefixes.length > prefixesMax) return this.matching(position, upTo, prefixes);
    const parameters = prefixes.flatMap((prefix) => [prefix.length, prefix]);
    return this.window(prefixes.length).iterate(position, upTo, ...parameters);
  }

  private *matching(position: number, upTo: number, prefixes: readonly string[]): Generator<LogRow> {
    const found = new Map<string, boolean>(); // by category: next to all prefixes are one
    for (const row of this.window(0).iterate(position, upTo)) {
      const stream = row['stream'] as string;
      const category = stream.slice(0, stream.indexOf('-') + 1);
      let isFound = found.get(category);
      if (isFound === undefined) found.set(category, (isFound = prefixes.includes(category)));
      if (isFound || prefixes.some((prefix) => stream.startsWith(prefix))) yield row;
    }
  }

  private window(prefixCount: number): StatementSync {
    let statement = this.windows.get(prefixCount);
    if (!statement) {
      const matches = Array.from({ length: prefixCount }, () => 'substr(stream, 1, ?) = ?').join(' OR ') || 'true';
      statement = this.database.prepare(
        `${this.queries.rows} WHERE pos > ? AND pos <= ? AND (${matches}) ORDER BY pos`,
      );
      if (this.windows.size >= statementsMax) this.windows.clear();
      this.windows.set(prefixCount, statement);
    }
    return statement;
  }
}

/** The events of a row, oldest first, without those that are cut off. */
export function entriesOf(row: LogRow): TailEntry[] {
  const [pos, rev, n] = [row['pos'] as number, row['rev'] as number, row['n'] as number];
  const { body, cut } = row;
  const text = (column: string) => row[column] as string;
  if (!(body instanceof Uint8Array)) {
    const stored = { id: text('eid'), type: text('type'), version: null, flags: 0, meta: text('meta') };
    return [new TailEntry(pos, text('stream'), rev, { ...stored, data: text('data') })];
  }
  const lines = Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  const entries = eventsOf(lines, n).map(
    (stored, at) => new TailEntry(pos - n + 1 + at, text('stream'), rev - n + 1 + at, stored),
  );
  return typeof cut === 'number' ? entries.filter(({ revision }) => revision >= cut) : entries;
}

/** Rows of both formats in the order of their positions. */
export function* inLogOrder(first: Iterable<LogRow>, second: Iterable<LogRow>): Generator<LogRow> {
  const sides = [first[Symbol.iterator](), second[Symbol.iterator]()];
  try {
    const heads = sides.map((side) => side.next());
    for (;;) {
      const [a, b] = heads.map((head) => (head.done ? Number.POSITIVE_INFINITY : (head.value['pos'] as number)));
      const side = a! <= b! ? 0 : 1;
      const head = heads[side]!;
      if (head.done) return;
      yield head.value;
      heads[side] = sides[side]!.next();
    }
  } finally {
    for (const side of sides) side.return?.();
  }
}
