import { Logger } from '@nestjs/common';
import {
  StoreUnavailable,
  type Clock,
  type EventStore,
  type Leases,
  type Query,
  type QueryCursor,
  type QueryPage,
  type ReadStore,
} from '@aos/kernel';
import type { Projectors } from '../projections/projectors.js';
import { wasSuspended } from './suspension.js';

const page = 500;
const pollEveryMs = 2000;
/** At the start, until the lists of open work are whole for the first time. */
const soonMs = 50;

export interface RecoveryParts {
  store: Pick<EventStore, 'soleWriter'>;
  readStore: ReadStore;
  projectors: Pick<Projectors, 'caughtUp'>;
  leases: Leases;
  clock: Clock;
  /** How long a lease lasts. */
  leaseMs: number;
}

export type OpenWork = QueryPage['rows'][number];

/** Where the rows of open work lie. */
export interface OpenWorkPlaces {
  collection: string;
  scopes: readonly (readonly string[])[];
}

/** What a loop calls; never two of these at once. */
export interface Recovery {
  /** Looks at all open work, once. What it throws is logged, and the next round comes all the same. */
  poll(): Promise<void>;
  /**
   * What was seen before says nothing: this process was suspended and the holders may have been too, or a store did not
   * answer a whole round.
   */
  forget(): void;
  /** The leases of the work that a row stands for, by which its holders are seen to live. */
  leasesOf(row: OpenWork): readonly string[];
}

/**
 * Looks for work whose process died, every two seconds from when all projections have caught up for the first time
 * until it is closed. While they are built again later, what they already hold is looked at all the same: a read store
 * that keeps losing its rows must not hold up all work.
 */
export class RecoveryLoop {
  private readonly log = new Logger('recovery');
  private timer: { cancel(): void } | null = null;
  private running: Promise<void> = Promise.resolve();
  private closed = false;
  private hasBegun = false;

  constructor(
    private readonly parts: RecoveryParts,
    private readonly recovery: Recovery,
  ) {}

  start(): void {
    this.schedule(soonMs);
  }

  /** Resolves when the round under way, if any, is over. */
  async close(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.running;
  }

  /**
   * Considers the rows of the scopes, one after the other, page by page; fewer when the loop is closed meanwhile. A row
   * that cannot be considered is logged and holds up no other. Left out is work whose every lease is held; in one
   * process all is considered: its leases say nothing. Which of several scopes have rows is one question: nearly always
   * most have none.
   *
   * Refuses  with `StoreUnavailable` when a store cannot answer: the round is over.
   */
  async each({ collection, scopes }: OpenWorkPlaces, consider: (row: OpenWork) => Promise<void>): Promise<void> {
    const asked = scopes.length === 1 ? scopes : await this.parts.readStore.occupied(collection, scopes);
    for (const scope of asked) await this.eachOf({ collection, scope }, consider);
  }

  /**
   * One look at open work. What cannot be considered is logged and holds up no other.
   *
   * Refuses  with `StoreUnavailable` when a store cannot answer: the round is over.
   */
  async look(key: string, consider: () => Promise<void>): Promise<void> {
    try {
      await consider();
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      this.log.error(`${key}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }

  private async eachOf(
    rows: Pick<Query, 'collection' | 'scope'>,
    consider: (row: OpenWork) => Promise<void>,
  ): Promise<void> {
    let after: QueryCursor | null = null;
    do {
      if (this.closed) return;
      const found: QueryPage = await this.parts.readStore.query({ ...rows, limit: page, ...(after ? { after } : {}) });
      for (const row of await this.unheld(found.rows)) await this.look(row.key, () => consider(row));
      after = found.next;
    } while (after);
  }

  /**
   * Those with a lease that no process holds, by one question for all. What a process holds needs no look, which would
   * be a read of the log.
   */
  private async unheld(rows: readonly OpenWork[]): Promise<readonly OpenWork[]> {
    const { store, leases } = this.parts;
    if (store.soleWriter || rows.length === 0) return rows;
    const names = rows.map((row) => this.recovery.leasesOf(row));
    const holders = await leases.holders(names.flat());
    const leased = new Set(names.flat().filter((_, index) => holders[index] !== null));
    return rows.filter((_, index) => names[index]?.some((name) => !leased.has(name)));
  }

  private schedule(ms: number): void {
    if (this.closed) return;
    const { clock, leaseMs } = this.parts;
    const dueAt = clock.monotonic() + ms;
    const begin = () => {
      if (wasSuspended(clock, dueAt, leaseMs)) this.recovery.forget();
      this.running = this.round().then(() => {
        this.schedule(this.hasBegun ? pollEveryMs : soonMs);
      });
    };
    this.timer = ms === soonMs ? clock.after(ms, begin) : clock.onBeat(ms, begin);
  }

  private async round(): Promise<void> {
    try {
      this.hasBegun ||= this.parts.projectors.caughtUp;
      if (this.hasBegun) await this.recovery.poll();
    } catch (error) {
      this.recovery.forget();
      if (error instanceof StoreUnavailable) this.log.warn(error.message);
      else this.log.error(error instanceof Error ? error.stack : String(error));
    }
  }
}
