import { StoreUnavailable } from '@aos/kernel';
import type { Worker } from 'node:worker_threads';
import { startWorker } from './worker-file.js';
import type { FromWriter, ToWriter, WriterSettings } from './writer-messages.js';

/** Of each event of an append: id, type, data, metadata. */
export const cellsPerEvent = 4;

/** What became of an append; `position` is the first event's. */
export type Outcome =
  | { kind: 'written'; revision: number; position: number }
  | { kind: 'repeated'; revision: number; positions: number[] }
  | { kind: 'conflict'; actual: number };

interface WaitingAppend {
  stream: string;
  /** -1: none. */
  expected: number;
  cells: string[];
  bytes: number;
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

interface WaitingTruncate {
  stream: string;
  before: number;
  resolve(): void;
  reject(error: Error): void;
}

type Waiting = WaitingAppend | WaitingTruncate;

export interface WriterOptions extends WriterSettings {
  /** The disk broke: nothing more is acknowledged, and the process must end. */
  onFatal: (error: Error) => void;
  /** Appends that may wait; beyond it they are refused. */
  waitingMax: number;
  waitingBytesMax: number;
}

/** Who follows what is written. */
export interface WriterListener {
  /** Called with the first position and the append, in log order, before its promise resolves. */
  written(position: number, stream: string, firstRevision: number, cells: readonly string[]): void;
  /** Called once after each answer that wrote something. */
  answered(): void;
}

/**
 * The main thread's end of the writer: collects what is asked in one turn of the loop, sends it in one message, answers
 * in order.
 */
export class LogWriter {
  private readonly waiting: (Waiting | null)[] = []; // null: answered
  private answeredCount = 0;
  private unsent: Waiting[] = [];
  private waitingBytes = 0;
  private ended: Error | null = null;
  private onClosed: () => void = () => undefined;
  private listener: WriterListener | null = null;

  private constructor(
    private readonly worker: Worker,
    private readonly options: WriterOptions,
  ) {}

  /** Refuses when the file cannot be opened durably. Gives the writer and the log's last position. */
  static open(options: WriterOptions): Promise<{ writer: LogWriter; end: number }> {
    const worker = startWorker('writer.worker', {
      file: options.file,
      pagesMax: options.pagesMax,
    } satisfies WriterSettings);
    const writer = new LogWriter(worker, options);
    return new Promise((resolve, reject) => {
      let opened = false;
      worker.on('message', (message: FromWriter) => {
        if (message.kind === 'opened') {
          opened = true;
          resolve({ writer, end: message.end });
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

  append(stream: string, expected: number, cells: string[], bytes: number): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const refusal = this.refusal();
      if (refusal) reject(refusal);
      else {
        this.waitingBytes += bytes;
        this.enqueue({ stream, expected, cells, bytes, resolve, reject });
      }
    });
  }

  truncate(stream: string, before: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const refusal = this.refusal();
      if (refusal) reject(refusal);
      else this.enqueue({ stream, before, resolve, reject });
    });
  }

  /** Writes what was asked, then ends the thread. */
  close(): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.flush();
      this.ended = new StoreUnavailable('the log is closed');
      this.onClosed = resolve;
      this.post({ kind: 'close' });
    });
  }

  private refusal(): Error | null {
    if (this.ended) return new StoreUnavailable(this.ended.message, { cause: this.ended });
    if (this.waiting.length - this.answeredCount >= this.options.waitingMax)
      return new StoreUnavailable(`${this.options.waitingMax} appends are waiting`);
    if (this.waitingBytes >= this.options.waitingBytesMax)
      return new StoreUnavailable(`${this.waitingBytes} bytes are waiting to be appended`);
    return null;
  }

  private enqueue(item: Waiting): void {
    this.waiting.push(item);
    if (this.unsent.push(item) === 1)
      setImmediate(() => {
        this.flush();
      });
  }

  private flush(): void {
    const items = this.unsent;
    if (items.length === 0 || this.ended) return;
    this.unsent = [];
    let appends: WaitingAppend[] = [];
    for (const item of items) {
      if ('cells' in item) {
        appends.push(item);
        continue;
      }
      this.postAppends(appends);
      appends = [];
      this.post({ kind: 'truncate', stream: item.stream, before: item.before });
    }
    this.postAppends(appends);
  }

  private postAppends(appends: readonly WaitingAppend[]): void {
    if (appends.length === 0) return;
    this.post({
      kind: 'append',
      streams: appends.map(({ stream }) => stream),
      expected: appends.map(({ expected }) => expected),
      counts: appends.map(({ cells }) => cells.length / cellsPerEvent),
      cells: appends.flatMap(({ cells }) => cells),
    });
  }

  private post(message: ToWriter): void {
    this.worker.postMessage(message);
  }

  private take(message: FromWriter): void {
    if (message.kind === 'done') this.answer(message.outcomes);
    else if (message.kind === 'unavailable') {
      for (let n = 0; n < message.count; n += 1)
        this.shift().reject(new StoreUnavailable(`the log cannot be written: ${message.message}`));
    } else if (message.kind === 'fatal') this.fail(new Error(message.message));
    else if (message.kind === 'closed') this.onClosed();
  }

  private answer(outcomes: readonly number[]): void {
    let wrote = false;
    for (let at = 0; at < outcomes.length;) {
      const item = this.shift();
      const kind = outcomes[at]!;
      if (!('cells' in item)) {
        item.resolve();
        at += 1;
      } else if (kind === 0) {
        const [revision, position] = [outcomes[at + 1]!, outcomes[at + 2]!];
        this.listener?.written(position, item.stream, item.expected + 1, item.cells);
        item.resolve({ kind: 'written', revision, position });
        wrote = true;
        at += 3;
      } else if (kind === 1) {
        const count = outcomes[at + 2]!;
        item.resolve({
          kind: 'repeated',
          revision: outcomes[at + 1]!,
          positions: outcomes.slice(at + 3, at + 3 + count),
        });
        at += 3 + count;
      } else {
        item.resolve({ kind: 'conflict', actual: outcomes[at + 1]! });
        at += 2;
      }
    }
    if (wrote) this.listener?.answered();
  }

  private shift(): Waiting {
    const item = this.waiting[this.answeredCount];
    if (!item) throw new Error("the log's writer answered more than it was asked");
    this.waiting[this.answeredCount] = null;
    this.answeredCount += 1;
    if ('cells' in item) this.waitingBytes -= item.bytes;
    if (this.answeredCount === this.waiting.length) {
      this.waiting.length = 0;
      this.answeredCount = 0;
    } else if (this.answeredCount >= 4096) {
      this.waiting.splice(0, this.answeredCount);
      this.answeredCount = 0;
    }
    return item;
  }

  private fail(error: Error): void {
    if (this.ended) return;
    this.ended = error;
    this.unsent = [];
    const failed = this.waiting.splice(0).slice(this.answeredCount);
    this.answeredCount = 0;
    for (const item of failed)
      item?.reject(new StoreUnavailable(`the log's writer broke: ${error.message}`, { cause: error }));
    this.options.onFatal(error);
  }
}
