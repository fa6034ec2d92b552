import type { NewEvent } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteEventStore } from './sqlite-event-store.js';

const commits = 1000;
const manyStreams = Number(process.env['STREAMS'] ?? 20_000);
const framesHead = 32;
const frame = 4096 + 24;

const event = (text: string): NewEvent => ({
  id: randomUUID(),
  type: 'Written',
  data: { text },
  meta: { org_id: 'a' },
});

/** A log, and its journal, which a reader keeps from being begun again: it grows by each page that is written. */
class Journal {
  private constructor(
    readonly store: SqliteEventStore,
    private readonly directory: string,
    private readonly reader: DatabaseSync,
  ) {}

  static async open(directory: string): Promise<Journal> {
    const store = await SqliteEventStore.open({ directory, clock: new ManualClock(), newFormat: 2 });
    const reader = new DatabaseSync(join(directory, 'log.db'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM kept').get();
    return new Journal(store, directory, reader);
  }

  get pages(): number {
    return Math.max(0, (statSync(join(this.directory, 'log.db-wal')).size - framesHead) / frame);
  }

  async close(): Promise<void> {
    this.reader.close();
    await this.store.close();
  }
}

/** Pages of so many commits, each of one append of 2 KB to one of the streams. */
async function pagesOf(journal: Journal, heads: Map<number, number>, count: number): Promise<number> {
  const before = journal.pages;
  for (let n = 0; n < count; n += 1) {
    const stream = (n * 7919) % heads.size;
    const head = heads.get(stream)!;
    await journal.store.append(`thing-${stream}`, head < 0 ? 'none' : head, [event('x'.repeat(2048))]);
    heads.set(stream, head + 1);
  }
  return journal.pages - before;
}

async function filled(journal: Journal, streams: number): Promise<Map<number, number>> {
  const heads = new Map<number, number>();
  for (let first = 0; first < streams; first += 4000) {
    const some = Array.from({ length: Math.min(4000, streams - first) }, (_, n) => first + n);
    await Promise.all(some.map((n) => journal.store.append(`thing-${n}`, 'none', [event('')])));
    for (const n of some) heads.set(n, 0);
  }
  return heads;
}

// TP4
test.each([10, manyStreams])('pages of a commit do not grow with the log: %s streams', async (streams) => {
  const directory = mkdtempSync(join(tmpdir(), 'aos-pages-'));
  const first = await Journal.open(directory);
  const heads = await filled(first, streams);
  await first.close(); // indexes all of it
  const journal = await Journal.open(directory);
  const alone = (await pagesOf(journal, heads, 200)) / 200;
  const withIndex = (await pagesOf(journal, heads, commits)) / commits;
  expect(alone).toBeLessThanOrEqual(3.1);
  expect(withIndex - alone).toBeLessThanOrEqual(0.7);
  expect(withIndex).toBeGreaterThan(alone);
  await journal.close();
  rmSync(directory, { recursive: true });
});
