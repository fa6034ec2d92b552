import { type Clock, StoreUnavailable, messageOf } from '@aos/kernel';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { Parameter, Step } from './views-messages.js';
import { ViewsWriter } from './views-writer.js';

const statementsMax = 200;
const sweepEveryMs = 600_000;
const sweepRows = 1000;
const tombstoneMs = 86_400_000;

export type ViewRow = Record<string, SQLOutputValue>;

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
  private readonly statements = new Map<string, StatementSync>();
  private sweepTimer: { cancel(): void } | null = null;

  private constructor(
    readonly writer: ViewsWriter,
    private readonly reader: DatabaseSync,
    readonly clock: Clock,
  ) {}

  static async open({ file, clock }: ViewsFileOptions): Promise<ViewsFile> {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const writer = await ViewsWriter.open(file, clock);
    const views = new ViewsFile(writer, new DatabaseSync(file, { readOnly: true, timeout: 5000 }), clock);
    views.armSweep();
    return views;
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

  /** Deletes tombstones that are older than a day. Repeated every ten minutes. */
  async sweep(): Promise<void> {
    const oldest = (): Step => [
      `DELETE FROM rows WHERE id IN (SELECT id FROM rows WHERE doc IS NULL AND at < ? LIMIT ${sweepRows})`,
      [this.clock.now() - tombstoneMs],
    ];
    while ((await this.writer.run([oldest()])) >= sweepRows);
  }

  async close(): Promise<void> {
    if (this.writer.failure) return;
    this.sweepTimer?.cancel();
    await this.writer.close();
    this.reader.close();
  }

  private armSweep(): void {
    this.sweepTimer = this.clock.after(sweepEveryMs, () => {
      this.sweep().catch((error: unknown) => {
        process.emitWarning(`views were not swept: ${String(error)}`);
      });
      if (!this.writer.failure) this.armSweep();
    });
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
    const { failure } = this.writer;
    if (failure) throw new StoreUnavailable(failure.message, { cause: failure });
    try {
      return read();
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      throw new StoreUnavailable(`views cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }
}
