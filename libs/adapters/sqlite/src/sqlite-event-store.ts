import {
  appendBytesMax,
  type Appended,
  type Clock,
  eventBytesMax,
  type EventMeta,
  EventStore,
  type EventSubscription,
  EventTooLarge,
  type ExpectedRevision,
  jsonSize,
  type NewEvent,
  type Position,
  type ReadOptions,
  type RecordedEvent,
  RevisionConflict,
  StoreUnavailable,
  type SubscribeOptions,
} from '@aos/kernel';
import { join } from 'node:path';
import { holdDirectory } from './directory-hold.js';
import { type StoredMeta, storedMeta } from './log-body.js';
import { LogFile } from './log-file.js';
import { LogSubscription } from './log-subscription.js';
import { LogTail, TailEntry } from './log-tail.js';
import { type AppendedEvent, LogWriter, type Outcome } from './log-writer.js';
import { makeOwnFile } from './own-file.js';
import { positionNumber, positionText } from './position.js';
import type { LogFormat } from './writer-messages.js';

const readMax = 4096;
const headsMax = 1000;
const tailLookMax = 4096;
const waitingMax = 10_000;
const waitingBytesMax = 64 * 1024 * 1024;
/** The release that writes format 2 follows the one that reads it. */
const newFormatDefault: LogFormat = 2;
const streamName = /^[a-z0-9_]+-[^\sA-Z]+$/;
const streamNameMax = 200;

export interface SqliteEventStoreOptions {
  /** Data directory; held by this store alone while it is open. The log is its file `log.db`. */
  directory: string;
  clock: Clock;
  /** The disk broke: no append is acknowledged any more. Default: say so on stderr and end the process. */
  onFatal?: (error: Error) => void;
  /**
   * Appends that may wait at once, default 10,000, and their bytes, default 64 MiB; beyond, and for one organization
   * beyond half: `StoreUnavailable`.
   */
  waitingMax?: number;
  waitingBytesMax?: number;
  /** Most pages of 4 KiB in the log; beyond: `StoreUnavailable`. Absent: what the disk holds. */
  pagesMax?: number;
  /**
   * What is written to a log that has no rows of format 2; default 2. A log that has some is written in format 2 always
   * (ADR 25).
   */
  newFormat?: LogFormat;
}

function failStop(error: Error): never {
  process.stderr.write(`the event log can no longer be written safely: ${error.message}\n`);
  process.exit(70);
}

/** The log in one SQLite file, written by one thread, each commit synced to the disk; many appends share a commit. */
export class SqliteEventStore extends EventStore {
  override readonly soleWriter = true;
  private readonly subscriptions = new Set<LogSubscription>();
  private fresh: TailEntry[] = [];
  private closed = false;

  private constructor(
    private readonly hold: { release(): void },
    private readonly clock: Clock,
    private readonly writer: LogWriter,
    private readonly file: LogFile,
    private readonly tail: LogTail,
    private head: number,
  ) {
    super();
  }

  /** Refuses `DirectoryInUse`; also when the file cannot be made durable. */
  static async open(options: SqliteEventStoreOptions): Promise<SqliteEventStore> {
    const hold = holdDirectory(options.directory);
    try {
      const path = join(options.directory, 'log.db');
      makeOwnFile(path);
      const { writer, end, format } = await LogWriter.open({
        file: path,
        pagesMax: options.pagesMax,
        newFormat: options.newFormat ?? newFormatDefault,
        onFatal: options.onFatal ?? failStop,
        waiting: { appends: options.waitingMax ?? waitingMax, bytes: options.waitingBytesMax ?? waitingBytesMax },
      });
      const store = new SqliteEventStore(hold, options.clock, writer, new LogFile(path, format), new LogTail(end), end);
      writer.listen({
        written: (position, stream, revision, events) => {
          store.written(position, stream, revision, events);
        },
        indexed: (position) => {
          store.tail.indexed(position);
        },
        answered: () => {
          store.announce();
        },
      });
      return store;
    } catch (error) {
      hold.release();
      throw error;
    }
  }

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    if (!streamName.test(stream) || stream.length > streamNameMax) throw new Error(`not a stream name: ${stream}`);
    if (events.length === 0) throw new Error(`an append to ${stream} without events`);
    const stored: AppendedEvent[] = [];
    let bytes = 0;
    let meta: EventMeta | null = null;
    let [ofMeta, metaBytes]: [StoredMeta | null, number] = [null, 0];
    for (const event of events) {
      const data = JSON.stringify(event.data);
      if (!ofMeta || event.meta !== meta) {
        [meta, ofMeta] = [event.meta, storedMeta(event.meta)];
        metaBytes = jsonSize(meta);
      }
      const size = Buffer.byteLength(data) + metaBytes;
      if (size > eventBytesMax) throw new EventTooLarge(stream, size);
      bytes += size;
      stored.push({ id: event.id, type: event.type, ...ofMeta, data, given: event.meta });
    }
    if (bytes > appendBytesMax) throw new EventTooLarge(stream, bytes);
    const orgId = meta?.['org_id'] ?? '';
    const revision = expected === 'none' ? -1 : expected;
    return appended(stream, expected, await this.writer.append(orgId, stream, revision, stored, bytes));
  }

  override async read(stream: string, options: ReadOptions): Promise<RecordedEvent[]> {
    if (!(options.limit >= 1 && options.limit <= readMax)) throw new Error(`a read of ${options.limit} events`);
    return this.tail.read(stream, options) ?? this.merged(stream, options);
  }

  override async heads(streams: readonly string[]): Promise<(number | 'none')[]> {
    if (streams.length > headsMax) throw new Error(`heads of ${streams.length} streams`);
    return streams.map((stream) => this.tail.head(stream) ?? this.file.headOf(stream));
  }

  override subscribe(
    options: SubscribeOptions,
    handler: (events: RecordedEvent[]) => Promise<void>,
  ): EventSubscription {
    if (this.closed) throw new StoreUnavailable('the log is closed');
    if (options.prefixes.length === 0) throw new Error(`subscription ${options.name} names no stream`);
    const from = options.from === 'start' ? 0 : options.from === 'end' ? this.head : positionNumber(options.from);
    const source = {
      after: (position: number, prefixes: readonly string[], limit: number) => this.after(position, prefixes, limit),
    };
    const subscription = new LogSubscription(source, this.clock, from, options, handler, (ended) => {
      this.subscriptions.delete(ended);
    });
    this.subscriptions.add(subscription);
    return subscription;
  }

  override async end(): Promise<Position> {
    return this.head === 0 ? '' : positionText(this.head);
  }

  override async truncate(stream: string, before: number): Promise<void> {
    await this.writer.truncate(stream, before);
    this.tail.forget(stream);
  }

  /**
   * Moves some of the rows of format 1 over to format 2, in one transaction beside the appends. Gives how many events
   * they were: 0 when none is left, and while format 1 is written. Broken off anywhere, it goes on with the next call.
   */
  async convertSome(): Promise<number> {
    if (this.file.writesFormat1) return 0;
    const moved = await this.writer.convert();
    if (moved === 0 && !this.closed) this.file.settle();
    return moved;
  }

  override async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    this.file.close(); // the writer leaves last: what it has written is folded into the one file then
    await this.writer.close();
    this.hold.release();
  }

  /** The file and the tail together have every event: the file what is indexed, the tail at least what is not. */
  private merged(stream: string, options: ReadOptions): RecordedEvent[] {
    const { from, backwards, limit } = options;
    if (!backwards) {
      const read = this.file.read(stream, options);
      if (read.length === limit) return read;
      const next = (read.at(-1)?.revision ?? -1) + 1;
      const rest = { from: Math.max(next, from ?? 0), limit: limit - read.length };
      return [...read, ...this.tail.part(stream, rest)];
    }
    const newest = this.tail.part(stream, options);
    const oldest = newest.at(-1)?.revision;
    if (newest.length === limit || oldest === 0) return newest;
    const start = oldest === undefined ? from : oldest - 1;
    const rest = { backwards, limit: limit - newest.length, ...(start !== undefined && { from: start }) };
    return [...newest, ...this.file.read(stream, rest)];
  }

  private after(
    position: number,
    prefixes: readonly string[],
    limit: number,
  ): { events: RecordedEvent[]; upTo: number } {
    if (position >= this.head) return { events: [], upTo: position };
    if (position < this.tail.floor) return this.file.after(position, this.tail.floor, prefixes, limit);
    const events: RecordedEvent[] = [];
    const entries = this.tail.after(position, tailLookMax);
    for (const entry of entries) {
      if (prefixes.some((prefix) => entry.stream.startsWith(prefix)) && events.push(entry) >= limit)
        return { events, upTo: entry.at };
    }
    return { events, upTo: entries.at(-1)?.at ?? this.head };
  }

  private written(position: number, stream: string, revision: number, events: readonly AppendedEvent[]): void {
    for (const [at, event] of events.entries()) {
      const entry = new TailEntry(position + at, stream, revision + at, event, event.given);
      this.tail.push(entry);
      if (this.subscriptions.size > 0) this.fresh.push(entry);
      this.head = entry.at;
    }
  }

  /** Wakes the readers after the appenders went on. */
  private announce(): void {
    if (this.fresh.length === 0) return;
    const entries = this.fresh;
    this.fresh = [];
    setImmediate(() => {
      const streams = new Set(entries.map(({ stream }) => stream)); // some of dozens of events, for dozens of readers
      for (const subscription of this.subscriptions) subscription.notify(entries, streams);
    });
  }
}

function appended(stream: string, expected: ExpectedRevision, outcome: Outcome): Appended {
  if (outcome.kind === 'conflict')
    throw new RevisionConflict(stream, expected, outcome.actual < 0 ? 'none' : outcome.actual);
  return new AppendedAt(outcome.revision, outcome.position);
}

/** Most who append ask for no position. */
class AppendedAt implements Appended {
  constructor(
    readonly revision: number,
    private readonly logPosition: number,
  ) {}

  get position(): Position {
    return positionText(this.logPosition);
  }
}
