import { Logger } from '@nestjs/common';
import { StoreUnavailable, type Clock, type Query, type QueryCursor, type QueryPage, type ReadStore } from '@aos/kernel';
import type { Projectors } from '../projections/projectors.js';
import { wasSuspended } from './suspension.js';

const page = 500;
const pollEveryMs = 2000;
/** At the start, and until the lists of open work are whole. */
const soonMs = 50;

export interface RecoveryParts {
  readStore: ReadStore;
  projectors: Pick<Projectors, 'caughtUp'>;
  clock: Clock;
  /** How long a lease lasts. */
  leaseMs: number;
}

/** What a loop calls; never two of these at once. */
export interface Recovery {
  /** Looks at all open work, once. What it throws is logged, and the next round comes all the same. */
  poll(): Promise<void>;
  /** This process was suspended, and the holders may have stood still as well: what was seen before says nothing. */
  forget(): void;
}

/** Looks for work whose process died, every two seconds from when all projections have caught up until it is closed. */
export class RecoveryLoop {
  private readonly log = new Logger('recovery');
  private timer: { cancel(): void } | null = null;
  private running: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(private readonly parts: RecoveryParts, private readonly recovery: Recovery) {}

  start(): void {
    this.schedule(soonMs);
  }

  /** Resolves when the round under way, if any, is over. */
  async close(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.running;
  }

  /** All rows that the query finds, page by page; fewer when the loop is closed meanwhile. */
  async* rows(query: Omit<Query, 'limit' | 'after'>): AsyncGenerator<QueryPage['rows'][number]> {
    let after: QueryCursor | null = null;
    do {
      const found: QueryPage = await this.parts.readStore.query({ ...query, limit: page, ...(after ? { after } : {}) });
      yield* found.rows;
      after = found.next;
    } while (after && !this.closed);
  }

  private schedule(ms: number): void {
    if (this.closed) return;
    const { clock, leaseMs, projectors } = this.parts;
    const dueAt = clock.monotonic() + ms;
    this.timer = clock.after(ms, () => {
      if (wasSuspended(clock, dueAt, leaseMs)) this.recovery.forget();
      this.running = this.round().then(() => { this.schedule(projectors.caughtUp ? pollEveryMs : soonMs); });
    });
  }

  private async round(): Promise<void> {
    try {
      if (this.parts.projectors.caughtUp) await this.recovery.poll();
    } catch (error) {
      if (error instanceof StoreUnavailable) this.log.warn(error.message);
      else this.log.error(error instanceof Error ? error.stack : String(error));
    }
  }
}
