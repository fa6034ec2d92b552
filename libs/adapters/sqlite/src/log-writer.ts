import { type EventMeta, StoreUnavailable, startThread } from '@aos/kernel';
import type { Worker } from 'node:worker_threads';
import { AppendQueue, type Queued, type QueueBounds } from './append-queue.js';
import { type StoredEvent, bodyOf } from './log-body.js';
import type {
  ConvertMessage,
  FromWriter,
  LogFormat,
  ToWriter,
  TruncateMessage,
  WriterSettings,
} from './writer-messages.js';

/** Of one group: one commit on the disk. */
const groupMax = 2048;
const groupBytesMax = 8 * 1024 * 1024;
/** Truncations belong to the service. */
const noOrganization = '';

/** What became of an append; `position` is the last event's. */
export type Outcome = { kind: 'appended'; revision: number; position: number } | { kind: 'conflict'; actual: number };

/** An event as it is written, with its metadata as it was given: whole, and shared by events of an append. */
export interface AppendedEvent extends StoredEvent {
  readonly given: EventMeta;
}

interface WaitingAppend extends Queued {
  stream: string;
  /** -1: none. */
  expected: number;
  events: readonly AppendedEvent[];
  body: string;
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

/** A truncation, or a part of a conversion. */
interface WaitingUpkeep {
  message: TruncateMessage | ConvertMessage;
  /** Takes how many events were moved over. */
  resolve(moved: number): void;
  reject(error: Error): void;
}

type Waiting = WaitingAppend | WaitingUpkeep;

export interface WriterOptions extends WriterSettings {
  /** The disk broke: nothing more is acknowledged, and the process must end. */
  onFatal: (error: Error) => void;
  /** Of what waits besides the group under way; beyond it appends are refused. */
  waiting: QueueBounds;
}

export interface OpenedWriter {
  writer: LogWriter;
  /** The log's last position. */
  end: number;
  format: LogFormat;
}

/** Who follows what is written. */
export interface WriterListener {
  /** Called with the first position and the append, in log order, before its promise resolves. */
  written(position: number, stream: string, firstRevision: number, events: readonly AppendedEvent[]): void;
  /** Up to there the file finds the events of a stream. Called after the appends of each answer. */
  indexed(position: number): void;
  /** Called once after each answer that wrote something. */
  answered(): void;
}

/**
 * The main thread's end of the writer. One group is under way at a time; what is asked meanwhile is the next one, and
 * what is asked while nothing is under way leaves in the same turn of the loop.
 */
export class LogWriter {
  private readonly appends: AppendQueue<WaitingAppend>;
  private upkeep: WaitingUpkeep[] = [];
  private group: readonly Waiting[] = [];
  private answeredCount = 0; // of the group
  private sending = false;
  private ended: Error | null = null;
  private onClosed: (() => void) | null = null;
  private listener: WriterListener | null = null;

  private constructor(
    private readonly worker: Worker,
    private readonly options: WriterOptions,
  ) {
    this.appends = new AppendQueue(options.waiting);
  }

  /** Refuses when the file cannot be opened durably, or has a format that is not known here. */
  static open(options: WriterOptions): Promise<OpenedWriter> {
    const worker = startThread(__filename, 'writer.worker', {
      workerData: {
        file: options.file,
        pagesMax: options.pagesMax,
        newFormat: options.newFormat,
      } satisfies WriterSettings,
    });
    const writer = new LogWriter(worker, options);
    return new Promise((resolve, reject) => {
      let opened = false;
      worker.on('message', (message: FromWriter) => {
        if (message.kind === 'opened') {
          opened = true;
          resolve({ writer, end: message.end, format: message.format });
        } else writer.take(message);
      });
      worker.on('error', (error) => {
        const failure = error instanceof Error ? error : new Error(String(error));
        if (opened) writer.fail(failure);
        else reject(failure);
      });
      worker.on('exit', (code) => {
        if (!opened) reject(new Error(`the log's writer ended with ${code} before it began`));
        else if (writer.ended === null) writer.fail(new Error(`the log's writer ended with ${code}`));
      });
    });
  }

  /** To be called before the first append. */
  listen(listener: WriterListener): void {
    this.listener = listener;
  }

  /** Takes what is appended and its bytes. Refuses `StoreUnavailable` when closed, broken or full. */
  append(
    orgId: string,
    stream: string,
    expected: number,
    events: readonly AppendedEvent[],
    bytes: number,
  ): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const refusal = this.closedError() ?? this.fullError(orgId);
      if (refusal) {
        reject(refusal);
        return;
      }
      this.appends.push({ orgId, stream, expected, events, body: bodyOf(events), bytes, resolve, reject });
      this.sendSoon();
    });
  }

  async truncate(stream: string, before: number): Promise<void> {
    await this.ask({ kind: 'truncate', stream, before });
  }

  /** Moves some of the rows of format 1 over. Gives how many events there were: none when none is left. */
  convert(): Promise<number> {
    return this.ask({ kind: 'convert' });
  }

  /** Writes what was asked, then ends the thread. */
  close(): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.ended = new StoreUnavailable('the log is closed');
      this.onClosed = resolve;
      this.sendSoon();
    });
  }

  private ask(message: TruncateMessage | ConvertMessage): Promise<number> {
    return new Promise((resolve, reject) => {
      const refusal = this.closedError() ?? this.fullError(noOrganization);
      if (refusal) {
        reject(refusal);
        return;
      }
      this.upkeep.push({ message, resolve, reject });
      this.sendSoon();
    });
  }

  private closedError(): Error | null {
    return this.ended && new StoreUnavailable(this.ended.message, { cause: this.ended });
  }

  private fullError(orgId: string): Error | null {
    const refusal = this.appends.refusal(orgId);
    return refusal === null && this.upkeep.length < this.options.waiting.appends
      ? null
      : new StoreUnavailable(refusal ?? `${this.upkeep.length} truncations are waiting`);
  }

  /** Not at once, so that what is asked in one turn of the loop goes together. */
  private sendSoon(): void {
    if (this.sending || this.group.length > 0) return;
    this.sending = true;
    setImmediate(() => {
      this.sending = false;
      this.sendGroup();
    });
  }

  private sendGroup(): void {
    const appends = this.appends.take(groupMax, groupBytesMax);
    const { upkeep } = this;
    this.upkeep = [];
    this.group = [...appends, ...upkeep];
    this.answeredCount = 0;
    this.postAppends(appends);
    for (const { message } of upkeep) this.post(message);
    if (this.group.length === 0 && this.onClosed) this.post({ kind: 'close' });
  }

  private postAppends(appends: readonly WaitingAppend[]): void {
    if (appends.length === 0) return;
    this.post({
      kind: 'append',
      streams: appends.map(({ stream }) => stream),
      expected: appends.map(({ expected }) => expected),
      counts: appends.map(({ events }) => events.length),
      bodies: appends.map(({ body }) => body),
    });
  }

  private post(message: ToWriter): void {
    this.worker.postMessage(message);
  }

  private take(message: FromWriter): void {
    if (message.kind === 'done') this.answer(message.outcomes, message.indexedTo);
    else if (message.kind === 'unavailable') this.refuse(message.count, message.message);
    else if (message.kind === 'fatal') this.fail(new Error(message.message));
    else if (message.kind === 'closed') this.onClosed?.();
  }

  private answer(outcomes: readonly number[], indexedTo: number): void {
    let wrote = false;
    for (let at = 0; at < outcomes.length;) {
      const item = this.shift();
      const kind = outcomes[at]!;
      if (!('events' in item)) {
        item.resolve(kind === 4 ? outcomes[at + 1]! : 0);
        at += kind === 4 ? 2 : 1;
      } else if (kind === 2) {
        item.resolve({ kind: 'conflict', actual: outcomes[at + 1]! });
        at += 2;
      } else {
        const [revision, position] = [outcomes[at + 1]!, outcomes[at + 2]!];
        const first = position - item.events.length + 1;
        if (kind === 0) this.listener?.written(first, item.stream, item.expected + 1, item.events);
        item.resolve({ kind: 'appended', revision, position });
        wrote ||= kind === 0;
        at += 3;
      }
    }
    this.listener?.indexed(indexedTo);
    if (wrote) this.listener?.answered();
  }

  private refuse(count: number, reason: string): void {
    for (let n = 0; n < count; n += 1)
      this.shift().reject(new StoreUnavailable(`the log cannot be written: ${reason}`));
  }

  /** The next of the group that is answered; after its last one the next group leaves. */
  private shift(): Waiting {
    const item = this.group[this.answeredCount];
    if (!item) throw new Error("the log's writer answered more than it was asked");
    this.answeredCount += 1;
    if (this.answeredCount === this.group.length) {
      this.group = [];
      this.answeredCount = 0;
      if (this.appends.size + this.upkeep.length > 0 || this.onClosed) this.sendSoon();
    }
    return item;
  }

  private fail(error: Error): void {
    if (this.ended && !this.onClosed) return;
    this.ended = error;
    const failed = [
      ...this.group.slice(this.answeredCount),
      ...this.appends.take(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
      ...this.upkeep,
    ];
    this.group = [];
    this.upkeep = [];
    for (const item of failed)
      item.reject(new StoreUnavailable(`the log's writer broke: ${error.message}`, { cause: error }));
    const closed = this.onClosed;
    this.onClosed = null;
    this.options.onFatal(error);
    closed?.();
  }
}
