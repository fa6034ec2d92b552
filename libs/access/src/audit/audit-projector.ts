import { Injectable, Logger, Optional, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, ReadStore, StoreUnavailable, type Position, type RecordedEvent } from '@aos/kernel';
import { LeasedSubscription, Rebuilds, hasLostCheckpoint, projectionVerdict, type Reading } from '@aos/platform';
import { auditCollection } from './audit.mapping.js';
import { AuditMappings } from './audit-mappings.js';
import { OrderedAudit } from './ordered-audit.js';

const leaseMs = 15_000;
const checkpointEveryMs = 1_000;
const start: Position = '';

/**
 * Builds the audit view from the log (decision A29): one row per fact, in log order, rows and checkpoint together.
 *
 * One process at a time, by lease; the checkpoint's compare-and-set fences a late one. It comes back by itself when a store was away, and stops
 * loudly at an event that its mapping does not know.
 */
@Injectable()
export class AuditProjector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly leased: LeasedSubscription;
  private readonly ordered: OrderedAudit;
  private checkpoint: Position = start;
  private committedAt = 0;
  private isCaughtUp = false;

  constructor(
    mappings: AuditMappings, store: EventStore, private readonly readStore: ReadStore,
    leases: Leases, private readonly clock: Clock, ids: Ids, @Optional() rebuilds?: Rebuilds,
  ) {
    this.ordered = new OrderedAudit(mappings, store, readStore);
    rebuilds?.register(this.ordered);
    this.leased = new LeasedSubscription({ store, leases, clock }, {
      lease: `projector:${auditCollection}`, owner: `audit_${ids.ulid()}`, leaseMs, log: new Logger('audit'), verdict: projectionVerdict,
      claimed: () => this.claimed(), handle: (events) => this.project(events),
      isSound: async () => !(await hasLostCheckpoint(readStore, auditCollection, this.checkpoint)),
      caughtUp: () => { this.isCaughtUp = true; },
      interrupted: () => { this.isCaughtUp = false; },
      stopped: () => { this.isCaughtUp = false; },
    });
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
    if (this.leased.active || (await this.readStore.checkpoint(auditCollection)) === null) throw new StoreUnavailable('the audit view is being built');
  }

  private async claimed(): Promise<Reading> {
    const known = await this.readStore.checkpoint(auditCollection);
    this.checkpoint = known ?? start;
    if (known === null) await this.readStore.commit({ projection: auditCollection, from: null, to: start, rows: [] });
    const { prefixes, batchMax } = this.ordered;
    return { prefixes, from: this.checkpoint === start ? 'start' : this.checkpoint, batchMax };
  }

  private async project(events: RecordedEvent[]): Promise<void> {
    const rows = await this.ordered.of(events);
    const to = events.at(-1)?.position ?? this.checkpoint;
    if (rows.length === 0 && this.clock.monotonic() - this.committedAt < checkpointEveryMs) return;
    await this.readStore.commit({ projection: auditCollection, from: this.checkpoint, to, rows });
    this.checkpoint = to;
    this.committedAt = this.clock.monotonic();
  }
}
