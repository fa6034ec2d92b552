import { Logger } from '@nestjs/common';
import {
  StoreUnavailable,
  messageOf,
  type Clock,
  type EventStore,
  type Gather,
  type Leases,
  type ReadRow,
  type ReadStore,
  type RecordedEvent,
} from '@aos/kernel';
import { LeasedSubscription, type Reading } from '../leased/leased-subscription.js';
import { projectionVerdict } from '../leased/verdict.js';
import { CatchUp } from './catch-up.js';
import { Checkpoint, retire } from './checkpoint.js';
import { gatheringBatch } from './gathering-batch.js';

const leaseMs = 15_000;

/** Rows in the order of the log, such as the audit view. */
export interface OrderedView {
  /** Name of the projection, which is that of its rows too. */
  readonly name: string;
  readonly lease: string;
  /** This process, among those that ask for the lease. */
  readonly owner: string;
  /** What it is called in the log and to callers. */
  readonly title: string;
  /** How late rows may be under load. */
  readonly gather: Gather;
  /** Asked at each claim: what is read may be registered after the start. */
  reading(): Omit<Reading, 'from'>;
  of(events: readonly RecordedEvent[]): Promise<ReadRow[]>;
  /** Another process may have written rows since, or a commit of them may have been refused. */
  forget?(): void;
  /** Versions before, with what they keep beside their rows. */
  readonly retired?: readonly { name: string; beside: readonly string[] }[];
}

/**
 * Builds the rows of one ordered view from the log, together with its checkpoint. One process at a time runs it, by
 * lease; the checkpoint's compare-and-set fences a late one. It goes on by itself after a store was away, and stops
 * with an error at an event that the view does not know.
 */
export class OrderedProjector {
  private readonly log: Logger;
  private readonly leased: LeasedSubscription;
  private readonly checkpoint: Checkpoint;
  private readonly readStore: ReadStore;
  private readonly batch: Pick<Reading, 'batchMax'>;
  private isCaughtUp = false;
  private retiring: 'at the next start' | 'once caught up' | Promise<void> = 'once caught up';

  constructor(
    private readonly view: OrderedView,
    ports: { store: EventStore; readStore: ReadStore; leases: Leases; clock: Clock },
  ) {
    const { store, readStore, leases, clock } = ports;
    this.readStore = readStore;
    this.batch = gatheringBatch(store);
    this.log = new Logger(view.title);
    this.checkpoint = new Checkpoint(readStore, clock, view.name);
    const interrupted = (): void => {
      this.isCaughtUp = false;
    };
    this.leased = new LeasedSubscription(
      { store: CatchUp.of(store, clock), leases, clock },
      {
        lease: view.lease,
        owner: view.owner,
        leaseMs,
        log: this.log,
        demand: readStore.demand(view.name),
        gather: view.gather,
        verdict: projectionVerdict,
        claimed: () => this.claimed(),
        handle: (events) => this.project(events),
        isSound: async () => (await this.checkpoint.loss()) === null,
        caughtUp: () => {
          this.isCaughtUp = true;
          this.checkpoint.caughtUp();
          this.retireOlder();
        },
        interrupted,
        stopped: interrupted,
      },
    );
  }

  start(): void {
    this.leased.start();
  }

  async close(): Promise<void> {
    await this.leased.close();
    await this.retiring;
  }

  /** Refuses `StoreUnavailable` while the rows are being built for the first time, or again after a loss. */
  async requireBuilt(): Promise<void> {
    if (this.isCaughtUp) return;
    if (this.leased.active || (await this.readStore.checkpoint(this.view.name)) === null)
      throw new StoreUnavailable(`rows of ${this.view.title} are being built`);
  }

  private async claimed(): Promise<Reading> {
    const known = await this.checkpoint.take();
    if (known === null && this.retiring === 'once caught up') this.retiring = 'at the next start';
    this.view.forget?.();
    return { ...this.view.reading(), ...this.batch, from: this.checkpoint.from };
  }

  /** Rows of versions before go at a start that finds those of this one, as those of every projection. */
  private retireOlder(): void {
    if (this.retiring !== 'once caught up') return;
    this.retiring = this.retire().catch((error: unknown) => {
      this.log.warn(`rows of an earlier version stay: ${messageOf(error)}`);
    });
  }

  private async retire(): Promise<void> {
    for (const { name, beside } of this.view.retired ?? []) {
      if ((await this.readStore.checkpoint(name)) === null) continue;
      for (const collection of beside) await this.readStore.drop(collection, collection);
      await retire(this.readStore, [name]);
    }
  }

  private async project(events: RecordedEvent[]): Promise<void> {
    try {
      const rows = await this.view.of(events);
      if (rows.length > 0 || this.checkpoint.isDue)
        await this.checkpoint.move(events.at(-1)?.position ?? this.checkpoint.position, rows);
    } catch (error) {
      this.view.forget?.();
      throw error;
    }
  }
}
