import { type Clock, StoreUnavailable } from '@aos/kernel';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { startWorker } from './worker-file.js';
import type { FromViews, Job, Parameter, RunMessage, Step, ToViews } from './views-messages.js';

const WAITING_MAX = 20_000;
const STATEMENTS_MAX = 200;
const SWEEP_EVERY_MS = 600_000;
const SWEEP_ROWS = 1000;
const TOMBSTONE_MS = 86_400_000;

export type ViewRow = Record<string, SQLOutputValue>;

interface WaitingJob {
  resolve(changed: number): void;
  reject(error: Error): void;
}

export interface ViewsFileOptions {
  /** Path, such as `<data directory>/views.db`. Made when missing; made anew when it cannot be read or is of another version. */
  file: string;
  clock: Clock;
}

/** The file that can be lost. Written by a thread of its own, many jobs a transaction; read on the calling thread. One for all adapters over it. */
export class ViewsFile {
  private readonly waiting: WaitingJob[] = [];
  private unsent: Job[] = [];
  /** Jobs that the thread has and has not answered: it is given the next ones when it is done, all that came meanwhile in one message. */
  private sent = 0;
  private reader!: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  private ended: Error | null = null;
  private onClosed: () => void = () => undefined;
  private sweepTimer: { cancel(): void } | null = null;
  private readonly sweeps: Set<() => Step> = new Set();

  private constructor(private readonly worker: Worker, readonly clock: Clock) {}

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
      worker.on('exit', (code) => { views.fail(new Error(`the views' writer ended with ${code}`)); });
    });
    views.reader = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    views.sweepWith(() => [
      `DELETE FROM rows WHERE id IN (SELECT id FROM rows WHERE doc IS NULL AND at < ? LIMIT ${SWEEP_ROWS})`, [clock.now() - TOMBSTONE_MS],
    ]);
    views.armSweep();
    return views;
  }

  /** Writes the steps together, before it resolves. Gives how many rows the first step changed; a guarded job ends there when it was none. */
  run(steps: Step[], guarded = false): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.ended) {
        reject(new StoreUnavailable(this.ended.message, { cause: this.ended }));
        return;
      }
      if (this.waiting.length >= WAITING_MAX) {
        reject(new StoreUnavailable(`${WAITING_MAX} writes of views are waiting`));
        return;
      }
      this.waiting.push({ resolve, reject });
      if (this.unsent.push({ steps, guarded }) === 1 && this.sent === 0) setImmediate(() => { this.flush(); });
    });
  }

  all(sql: string, ...parameters: Parameter[]): ViewRow[] {
    return this.answering(() => this.prepared(sql).all(...parameters));
  }

  get(sql: string, ...parameters: Parameter[]): ViewRow | undefined {
    return this.answering(() => this.prepared(sql).get(...parameters));
  }

  /** Several reads of one moment. */
  reading<T>(read: () => T): T {
    return this.answering(() => {
      this.prepared('BEGIN').run();
      try {
        return read();
      } finally {
        this.prepared('COMMIT').run();
      }
    });
  }

  /** A deletion that is repeated every ten minutes until it finds less than a thousand rows. */
  sweepWith(step: () => Step): () => void {
    this.sweeps.add(step);
    return () => { this.sweeps.delete(step); };
  }

  async sweep(): Promise<void> {
    for (const step of this.sweeps) {
      while (await this.run([step()]) >= SWEEP_ROWS);
    }
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

  private armSweep(): void {
    this.sweepTimer = this.clock.after(SWEEP_EVERY_MS, () => {
      this.sweep().catch((error: unknown) => { process.emitWarning(`views were not swept: ${String(error)}`); });
      if (!this.ended) this.armSweep();
    });
  }

  private flush(): void {
    const jobs = this.unsent;
    if (jobs.length === 0 || this.ended) return;
    this.unsent = [];
    this.sent += jobs.length;
    this.post(flat(jobs));
  }

  private post(message: ToViews): void {
    this.worker.postMessage(message);
  }

  private take(message: FromViews): void {
    if (message.kind === 'closed') {
      this.onClosed();
    } else if (message.kind === 'done') {
      const answered = this.waiting.splice(0, message.changed.length);
      answered.forEach((job, n) => { job.resolve(message.changed[n]!); });
      this.answered(answered.length);
    } else if (message.kind === 'unavailable') {
      for (const job of this.waiting.splice(0, message.count)) job.reject(new StoreUnavailable(`views cannot be written: ${message.message}`));
      this.answered(message.count);
    }
  }

  private answered(jobs: number): void {
    this.sent -= jobs;
    if (this.sent === 0) this.flush();
  }

  private fail(error: Error): void {
    if (this.ended) return;
    this.ended = error;
    this.unsent = [];
    for (const job of this.waiting.splice(0)) job.reject(new StoreUnavailable(`views cannot be written: ${error.message}`, { cause: error }));
  }

  private prepared(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (!statement) {
      if (this.statements.size >= STATEMENTS_MAX) this.statements.clear();
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
      throw new StoreUnavailable(`views cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
}

function flat(jobs: readonly Job[]): RunMessage {
  const places = new Map<string, number>();
  const message: RunMessage = { kind: 'run', statements: [], jobs: [], parameters: [] };
  for (const { steps, guarded } of jobs) {
    message.jobs.push(steps.length, guarded ? 1 : 0);
    for (const [sql, parameters] of steps) {
      let place = places.get(sql);
      if (place === undefined) {
        place = message.statements.push(sql) - 1;
        places.set(sql, place);
      }
      message.jobs.push(place, parameters.length);
      for (const parameter of parameters) message.parameters.push(parameter);
    }
  }
  return message;
}
