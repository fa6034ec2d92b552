import { Injectable, Logger, Optional, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  Clock,
  EventStore,
  Ids,
  Leases,
  ReadStore,
  StoreUnavailable,
  messageOf,
  type RecordedEvent,
} from '@aos/kernel';
import {
  CatchUp,
  Checkpoint,
  LeasedSubscription,
  Rebuilds,
  projectionVerdict,
  retire,
  type Reading,
} from '@aos/platform';
import { OrderedUsage } from './ordered-usage.js';
import { retiredUsage, usageCollection } from './usage.wire.js';

const leaseMs = 15_000;
/** Rows of usage may be so much late under load. */
const gatherMs = 250;

/**
 * Builds the rows of usage and their sums from the log (rule TE72), together with its checkpoint. One process at a time
 * runs it, by lease; the checkpoint's compare-and-set fences a late one.
 */
@Injectable()
export class UsageProjector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('usage');
  private readonly leased: LeasedSubscription;
  private readonly ordered: OrderedUsage;
  private readonly checkpoint: Checkpoint;
  private isCaughtUp = false;
  private retiring: 'at the next start' | 'once caught up' | Promise<void> = 'once caught up';

  constructor(
    store: EventStore,
    private readonly readStore: ReadStore,
    leases: Leases,
    clock: Clock,
    ids: Ids,
    @Optional() rebuilds?: Rebuilds,
  ) {
    this.ordered = new OrderedUsage(store);
    this.checkpoint = new Checkpoint(readStore, clock, usageCollection);
    rebuilds?.register(new OrderedUsage(store));
    const interrupted = (): void => {
      this.isCaughtUp = false;
    };
    this.leased = new LeasedSubscription(
      { store: CatchUp.of(store, clock), leases, clock },
      {
        lease: `projector:${usageCollection}`,
        owner: `usage_${ids.ulid()}`,
        leaseMs,
        log: this.log,
        demand: readStore.demand(usageCollection),
        gatherMs,
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

  onApplicationBootstrap(): void {
    this.leased.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.leased.close();
    await this.retiring;
  }

  /** Refuses `StoreUnavailable` while the rows are being built for the first time, or again after a loss. */
  async requireBuilt(): Promise<void> {
    if (this.isCaughtUp) return;
    if (this.leased.active || (await this.readStore.checkpoint(usageCollection)) === null)
      throw new StoreUnavailable('rows of usage are being built');
  }

  private async claimed(): Promise<Reading> {
    const known = await this.checkpoint.take();
    if (known === null && this.retiring === 'once caught up') this.retiring = 'at the next start';
    this.ordered.forget();
    return { prefixes: this.ordered.prefixes, from: this.checkpoint.from };
  }

  /** Rows of the version before go at a start that finds those of this one, as those of every projection. */
  private retireOlder(): void {
    if (this.retiring !== 'once caught up') return;
    const { rows, sums } = retiredUsage;
    this.retiring = this.readStore
      .checkpoint(rows)
      .then((known) => (known === null ? undefined : this.readStore.drop(sums, sums)))
      .then(() => retire(this.readStore, [rows]))
      .catch((error: unknown) => {
        this.log.warn(`rows of an earlier version stay: ${messageOf(error)}`);
      });
  }

  private async project(events: RecordedEvent[]): Promise<void> {
    try {
      const rows = await this.ordered.of(events, this.readStore);
      if (rows.length > 0 || this.checkpoint.isDue)
        await this.checkpoint.move(events.at(-1)?.position ?? this.checkpoint.position, rows);
    } catch (error) {
      this.ordered.forget();
      throw error;
    }
  }
}
