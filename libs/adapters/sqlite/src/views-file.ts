import { type Clock, StoreUnavailable, messageOf } from '@aos/kernel';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { startWorker } from './worker-file.js';
import type { FromViews, Job, Parameter, RunMessage, Step, ToViews } from './views-messages.js';

const waitingMax = 20_000;
const gatheredMax = 512; // jobs that are sent without a pause
/**
 * Between transactions: one costs much the same however many jobs are in it, so that the more came the longer the next
 * is waited for. No reader waits for this.
 */
const apartMs = { least: 5, most: 40 };
const jobsPerMs = 2;
const statementsMax = 200;
const sweepEveryMs = 600_000;
const sweepRows = 1000;
const tombstoneMs = 86_400_000;

export type ViewRow = Record<string, SQLOutputValue>;

interface WaitingJob {
  resolve(changed: number): void;
  reject(error: Error): void;
}

export interface ViewsFileOptions {
  /**
   * Path, such as `<data directory>/views.db`. Made when missing; made anew when it cannot be read or is of another
   * version.
   */
  file: string;
  clock: Clock;
}

/**
 * The file that can be lost. Written by a thread of its own, many jobs a transaction; read on the calling thread. One
 * for all adapters over it.
 */
export class ViewsFile {
  private readonly waiting: WaitingJob[] = [];
  private unsent = new Gathered();
  /** Whether a reader waits for them, or they are many. */
  private isUrgent = false;
  /** What sends them. */
  private sending: { isPrompt: boolean; cancel(): void } | null = null;
  private sentAt = -Infinity;
  private apartMs = apartMs.least;
  /**
   * Jobs that the thread has and has not answered: it is given the next ones when it is done, all that came meanwhile
   * in one message.
   */
  private sent = 0;
  private unawaited = 0;
  private lost = 0;
  private isLosing = false;
  private reader!: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  private ended: Error | null = null;
  private onClosed: () => void = () => undefined;
  private sweepTimer: { cancel(): void } | null = null;

  /** Stands in for the caller of a job without one: counts its loss, and warns of the first loss after a success. */
  private readonly nobody: WaitingJob = {
    resolve: () => {
      this.unawaited -= 1;
      this.isLosing = false;
    },
    reject: (error) => {
      this.unawaited -= 1;
      this.lost += 1;
      if (!this.isLosing) process.emitWarning(`rows were not written: ${error.message}`);
      this.isLosing = true;
    },
  };

  private constructor(
    private readonly worker: Worker,
    readonly clock: Clock,
  ) {}

  static async open({ file, clock }: ViewsFileOptions): Promise<ViewsFile> {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const worker = startWorker('views.worker', { file });
    const views = new ViewsFile(worker, clock);
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: FromViews) => {
        if (message.kind === 'opened') resolve();
        else views.take(message);
      });
      worker.on('error', (error) => {
        const failure = error instanceof Error ? error : new Error(String(error));
        reject(failure);
        views.fail(failure);
      });
      worker.on('exit', (code) => {
        views.fail(new Error(`the views' writer ended with ${code}`));
      });
    });
    views.reader = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    views.armSweep();
    return views;
  }

  /** How many jobs of `runLater` could not be written. */
  get losses(): number {
    return this.lost;
  }

  /** Writes the steps together, before it resolves. Gives how many rows the first step changed. */
  run(steps: Step[]): Promise<number> {
    return new Promise((resolve, reject) => {
      this.enqueue({ steps, isAwaited: true, losses: null }, { resolve, reject });
    });
  }

  /**
   * As `run`, but it ends when the first step changes nothing. Gives null when a job of `runLater` was lost that was
   * given before: nothing is written.
   */
  async runGuarded(steps: Step[]): Promise<number | null> {
    const changed = await new Promise<number>((resolve, reject) => {
      this.enqueue({ steps, isAwaited: true, losses: this.lost }, { resolve, reject });
    });
    return changed < 0 ? null : changed;
  }

  /** Writes the steps together, in the order of all jobs; `settled` resolves when they are. What fails is a loss. */
  runLater(steps: Step[]): void {
    this.enqueue({ steps, isAwaited: false, losses: null }, this.nobody);
    this.unawaited += 1;
  }

  /** Resolves when all deferred writes are written or lost. */
  async settled(): Promise<void> {
    if (this.unawaited === 0) return;
    this.isUrgent = true;
    await this.run([]);
  }

  /** How many jobs of `runLater` are not written yet. */
  get unwritten(): number {
    return this.unawaited;
  }

  all(sql: string, ...parameters: Parameter[]): ViewRow[] {
    return this.answering(() => this.prepared(sql).all(...parameters));
  }

  get(sql: string, ...parameters: Parameter[]): ViewRow | undefined {
    return this.answering(() => this.prepared(sql).get(...parameters));
  }

  /** Several reads of one moment, after all deferred writes are written or lost. */
  async reading<T>(read: () => T): Promise<T> {
    await this.settled();
    return this.answering(() => {
      this.prepared('BEGIN').run();
      try {
        return read();
      } finally {
        this.prepared('COMMIT').run();
      }
    });
  }

  /** Deletes tombstones that are older than a day. Repeated every ten minutes. */
  async sweep(): Promise<void> {
    const oldest = (): Step => [
      `DELETE FROM rows WHERE id IN (SELECT id FROM rows WHERE doc IS NULL AND at < ? LIMIT ${sweepRows})`,
      [this.clock.now() - tombstoneMs],
    ];
    while ((await this.run([oldest()])) >= sweepRows);
  }

  close(): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.sweepTimer?.cancel();
      this.flush();
      this.ended = new StoreUnavailable('the views are closed');
      this.onClosed = () => {
        this.reader.close();
        resolve();
      };
      this.post({ kind: 'close' });
    });
  }

  private enqueue(job: Job, waiting: WaitingJob): void {
    if (this.ended) throw new StoreUnavailable(this.ended.message, { cause: this.ended });
    if (this.waiting.length >= waitingMax) throw new StoreUnavailable(`${waitingMax} writes of views are waiting`);
    this.waiting.push(waiting);
    this.isUrgent = this.unsent.add(job) >= gatheredMax || this.isUrgent;
    this.sendSoon();
  }

  private armSweep(): void {
    this.sweepTimer = this.clock.after(sweepEveryMs, () => {
      this.sweep().catch((error: unknown) => {
        process.emitWarning(`views were not swept: ${String(error)}`);
      });
      if (!this.ended) this.armSweep();
    });
  }

  /**
   * What came while the thread was at work, or less than some milliseconds after it was given the last, goes in one
   * message; a reader waits for no pause.
   */
  private sendSoon(): void {
    if (this.sent > 0 || this.unsent.jobs === 0) return;
    if (this.sending && (this.sending.isPrompt || !this.isUrgent)) return;
    this.sending?.cancel();
    const send = () => {
      this.flush();
    };
    const pauseMs = this.isUrgent ? 0 : this.sentAt + this.apartMs - performance.now();
    if (pauseMs > 0) {
      const timer = setTimeout(send, pauseMs);
      this.sending = {
        isPrompt: false,
        cancel: () => {
          clearTimeout(timer);
        },
      };
    } else {
      const immediate = setImmediate(send);
      this.sending = {
        isPrompt: true,
        cancel: () => {
          clearImmediate(immediate);
        },
      };
    }
  }

  private flush(): void {
    this.sending?.cancel();
    this.sending = null;
    const { jobs, message } = this.unsent;
    if (jobs === 0 || this.ended) return;
    this.unsent = new Gathered();
    this.isUrgent = false;
    this.sent += jobs;
    this.sentAt = performance.now();
    this.apartMs = Math.min(apartMs.most, Math.max(apartMs.least, jobs / jobsPerMs));
    this.post(message);
  }

  private post(message: ToViews): void {
    this.worker.postMessage(message);
  }

  private take(message: FromViews): void {
    if (message.kind === 'closed') {
      this.onClosed();
    } else if (message.kind === 'done') {
      const answered = this.waiting.splice(0, message.changed.length);
      answered.forEach((job, n) => {
        job.resolve(message.changed[n]!);
      });
      this.answered(answered.length);
    } else if (message.kind === 'unavailable') {
      for (const job of this.waiting.splice(0, message.count))
        job.reject(new StoreUnavailable(`views cannot be written: ${message.message}`));
      this.answered(message.count);
    }
  }

  private answered(jobs: number): void {
    this.sent -= jobs;
    this.sendSoon();
  }

  private fail(error: Error): void {
    if (this.ended) return;
    this.ended = error;
    this.unsent = new Gathered();
    for (const job of this.waiting.splice(0))
      job.reject(new StoreUnavailable(`views cannot be written: ${error.message}`, { cause: error }));
  }

  private prepared(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (!statement) {
      if (this.statements.size >= statementsMax) this.statements.clear();
      statement = this.reader.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  private answering<T>(read: () => T): T {
    if (this.ended) throw new StoreUnavailable(this.ended.message, { cause: this.ended });
    try {
      return read();
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      throw new StoreUnavailable(`views cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** The next message to the thread: what waits for it is kept in few objects. */
class Gathered {
  readonly message: RunMessage = { kind: 'run', statements: [], jobs: [], parameters: [] };
  jobs = 0;
  private readonly statementIndexes = new Map<string, number>();

  /** Gives how many jobs there are. */
  add({ steps, isAwaited, losses }: Job): number {
    const { message } = this;
    message.jobs.push(steps.length, isAwaited ? 1 : 0, losses ?? -1);
    for (const [sql, parameters] of steps) {
      let index = this.statementIndexes.get(sql);
      if (index === undefined) {
        index = message.statements.push(sql) - 1;
        this.statementIndexes.set(sql, index);
      }
      message.jobs.push(index, parameters.length);
      for (const parameter of parameters) message.parameters.push(parameter);
    }
    return (this.jobs += 1);
  }
}
