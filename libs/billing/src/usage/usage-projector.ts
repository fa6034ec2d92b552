import { Injectable, Optional, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, ReadStore } from '@aos/kernel';
import { OrderedProjector, Rebuilds } from '@aos/platform';
import { OrderedUsage } from './ordered-usage.js';
import { retiredUsage, usageCollection } from './usage.wire.js';

const gather = { ms: 250 };

/** Builds the rows of usage and their sums from the log (rule TE72). */
@Injectable()
export class UsageProjector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly projector: OrderedProjector;

  constructor(
    store: EventStore,
    readStore: ReadStore,
    leases: Leases,
    clock: Clock,
    ids: Ids,
    @Optional() rebuilds?: Rebuilds,
  ) {
    const usage = new OrderedUsage(store);
    rebuilds?.register(new OrderedUsage(store));
    this.projector = new OrderedProjector(
      {
        name: usageCollection,
        lease: `projector:${usageCollection}`,
        owner: `usage_${ids.ulid()}`,
        title: 'usage',
        gather,
        reading: () => ({ prefixes: usage.prefixes }),
        of: (events) => usage.of(events, readStore),
        forget: () => {
          usage.forget();
        },
        retired: [{ name: retiredUsage.rows, beside: [retiredUsage.sums] }],
      },
      { store, readStore, leases, clock },
    );
  }

  onApplicationBootstrap(): void {
    this.projector.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.projector.close();
  }

  /** Refuses `StoreUnavailable` while the rows are being built. */
  requireBuilt(): Promise<void> {
    return this.projector.requireBuilt();
  }
}
