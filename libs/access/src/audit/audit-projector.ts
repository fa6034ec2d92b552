import { Injectable, Logger, Optional, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, ReadStore, StoreUnavailable, type RecordedEvent } from '@aos/kernel';
import { CatchUp, Checkpoint, LeasedSubscription, Rebuilds, projectionVerdict, type Reading } from '@aos/platform';
import { AuditMappings, auditCollection } from './audit-mapping.js';
import { OrderedAudit } from './ordered-audit.js';

const leaseMs = 15_000;
/** Rows of the audit may be so much late under load. */
const gatherMs = 50;

/**
 * Builds the audit view from the log (rule A29): one row per fact, in log order, rows and checkpoint together.
 *
 * One process at a time runs it, by lease; the checkpoint's compare-and-set fences a late one. It goes on by itself
 * after a store was away, and stops with an error at an event that its mapping does not know.
 */
@Injectable()
export class AuditProjector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly leased: LeasedSubscription;
  private readonly ordered: OrderedAudit;
  private readonly checkpoint: Checkpoint;
  private isCaughtUp = false;

  constructor(
    mappings: AuditMappings,
    store: EventStore,
    private readonly readStore: ReadStore,
    leases: Leases,
    clock: Clock,
    ids: Ids,
    @Optional() rebuilds?: Rebuilds,
  ) {
    this.ordered = new OrderedAudit(mappings, store, readStore);
    this.checkpoint = new Checkpoint(readStore, clock, auditCollection);
    rebuilds?.register(this.ordered);
    this.leased = new LeasedSubscription(
      { store: CatchUp.of(store, clock), leases, clock },
      {
        lease: `projector:${auditCollection}`,
        owner: `audit_${ids.ulid()}`,
        leaseMs,
        log: new Logger('audit'),
        demand: readStore.demand(auditCollection),
        gatherMs,
        verdict: projectionVerdict,
        claimed: () => this.claimed(),
        handle: (events) => this.project(events),
        isSound: async () => (await this.checkpoint.loss()) === null,
        caughtUp: () => {
          this.isCaughtUp = true;
          this.checkpoint.caughtUp();
        },
        interrupted: () => {
          this.isCaughtUp = false;
        },
        stopped: () => {
          this.isCaughtUp = false;
        },
      },
    );
  }

  onApplicationBootstrap(): void {
    this.leased.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.leased.close();
  }

  /** Refuses `StoreUnavailable` while the view is being built for the first time, or again after a loss. */
  async requireBuilt(): Promise<void> {
    if (this.isCaughtUp) return;
    if (this.leased.active || (await this.readStore.checkpoint(auditCollection)) === null)
      throw new StoreUnavailable('the audit view is being built');
  }

  private async claimed(): Promise<Reading> {
    await this.checkpoint.take();
    const { prefixes, batchMax } = this.ordered;
    return { prefixes, from: this.checkpoint.from, batchMax };
  }

  private async project(events: RecordedEvent[]): Promise<void> {
    const rows = await this.ordered.of(events);
    if (rows.length > 0 || this.checkpoint.isDue)
      await this.checkpoint.move(events.at(-1)?.position ?? this.checkpoint.position, rows);
  }
}
