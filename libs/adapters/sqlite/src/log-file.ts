import { type ReadOptions, type RecordedEvent, StoreUnavailable, messageOf } from '@aos/kernel';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { TailEntry } from './log-tail.js';
import { positionText } from './position.js';

const readWindow = 4096; // positions that one read of a subscription looks at
const batchCharactersMax = 4 * 1024 * 1024;
const statementsMax = 64;

const columns = 'pos, stream, rev, eid, type, data, meta';

type Row = Record<string, SQLOutputValue>;

function recorded(row: Row): RecordedEvent {
  return {
    stream: row['stream'] as string,
    revision: row['rev'] as number,
    position: positionText(row['pos'] as number),
    id: row['eid'] as string,
    type: row['type'] as string,
    data: JSON.parse(row['data'] as string) as RecordedEvent['data'],
    meta: JSON.parse(row['meta'] as string) as RecordedEvent['meta'],
  };
}

/** Decoded when it is read: of what a subscription passes most readers look at little. */
function passing(row: Row): RecordedEvent {
  const text = (column: string) => row[column] as string;
  return new TailEntry(
    row['pos'] as number,
    text('stream'),
    row['rev'] as number,
    text('eid'),
    text('type'),
    text('data'),
    text('meta'),
  );
}

/** Reads the log through a connection that cannot write. Short, indexed reads on the calling thread. */
export class LogFile {
  private readonly database: DatabaseSync;
  private readonly forwards: StatementSync;
  private readonly backwards: StatementSync;
  private readonly last: StatementSync;
  private readonly windows = new Map<number, StatementSync>();

  constructor(path: string) {
    this.database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    this.forwards = this.database.prepare(
      `SELECT ${columns} FROM events WHERE stream = ? AND rev >= ? ORDER BY rev LIMIT ?`,
    );
    this.backwards = this.database.prepare(
      `SELECT ${columns} FROM events WHERE stream = ? AND rev <= ? ORDER BY rev DESC LIMIT ?`,
    );
    this.last = this.database.prepare('SELECT max(rev) AS head FROM events WHERE stream = ?');
  }

  read(stream: string, { from, backwards, limit }: ReadOptions): RecordedEvent[] {
    return answering(() =>
      (backwards
        ? this.backwards.all(stream, from ?? Number.MAX_SAFE_INTEGER, limit)
        : this.forwards.all(stream, from ?? 0, limit)
      ).map(recorded),
    );
  }

  head(stream: string): number | 'none' {
    const head = answering(() => this.last.get(stream)?.['head']);
    return typeof head === 'number' ? head : 'none';
  }

  /**
   * Matching events after a position, within a window that ends at `ceiling` at the latest, and up to where that was.
   */
  after(
    position: number,
    ceiling: number,
    prefixes: readonly string[],
    limit: number,
  ): { events: RecordedEvent[]; upTo: number } {
    const upTo = Math.min(ceiling, position + readWindow);
    const parameters = prefixes.flatMap((prefix) => [prefix.length, prefix]);
    return answering(() => {
      const events: RecordedEvent[] = [];
      let characters = 0;
      for (const row of this.window(prefixes.length).iterate(position, upTo, ...parameters, limit)) {
        events.push(passing(row));
        characters += (row['data'] as string).length;
        if (events.length >= limit || characters >= batchCharactersMax) return { events, upTo: row['pos'] as number };
      }
      return { events, upTo };
    });
  }

  close(): void {
    this.database.close();
  }

  private window(prefixCount: number): StatementSync {
    let statement = this.windows.get(prefixCount);
    if (!statement) {
      const matches = Array.from({ length: prefixCount }, () => 'substr(stream, 1, ?) = ?').join(' OR ');
      statement = this.database.prepare(
        `SELECT ${columns} FROM events WHERE pos > ? AND pos <= ? AND (${matches}) ORDER BY pos LIMIT ?`,
      );
      if (this.windows.size >= statementsMax) this.windows.clear();
      this.windows.set(prefixCount, statement);
    }
    return statement;
  }
}

function answering<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new StoreUnavailable(`the log cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
