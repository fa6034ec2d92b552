import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, ReadStore, StoreUnavailable, type Position, type ReadRow, type RecordedEvent } from '@aos/kernel';
import { LeasedSubscription, hasLostCheckpoint, projectionVerdict, type Reading } from '@aos/platform';
import { auditCollection, auditRows, type AuditMapping } from './audit.mapping.js';

const leaseMs = 15_000;
const batchMax = 256;
const checkpointEveryMs = 1_000;
const start: Position = '';

/** Which events are told to auditors. Contexts register before the process has started. */
@Injectable()
export class AuditMappings {
  private readonly byPrefix = new Map<string, AuditMapping>();

  register(...mappings: readonly AuditMapping[]): void {
    for (const mapping of mappings) this.byPrefix.set(mapping.prefix, mapping);
  }

  get prefixes(): string[] {
    return [...this.byPrefix.keys()];
  }

  of(stream: string): AuditMapping | null {
    return this.byPrefix.get(`${stream.slice(0, stream.indexOf('-'))}-`) ?? null;
  }
}

/**
 * Builds the audit view from the log (decision A29): one row per fact, in log order, rows and checkpoint together.
 *
 * One process at a time, by lease; the checkpoint's compare-and-set fences a late one. It comes back by itself when a store was away, and stops
 * loudly at an event that its mapping does not know.
 */
@Injectable()
export class AuditProjector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly leased: LeasedSubscription;
  private checkpoint: Position = start;
  private committedAt = 0;
  private isCaughtUp = false;

  constructor(
    private readonly mappings: AuditMappings, private readonly store: EventStore, private readonly readStore: ReadStore,
    leases: Leases, private readonly clock: Clock, ids: Ids,
  ) {
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
    return { prefixes: this.mappings.prefixes, from: this.checkpoint === start ? 'start' : this.checkpoint, batchMax };
  }

  private async project(events: RecordedEvent[]): Promise<void> {
    const rows: ReadRow[] = [];
    for (const event of events) rows.push(...(await this.rowsOf(event)));
    const to = events.at(-1)?.position ?? this.checkpoint;
    if (rows.length === 0 && this.clock.monotonic() - this.committedAt < checkpointEveryMs) return;
    await this.readStore.commit({ projection: auditCollection, from: this.checkpoint, to, rows });
    this.checkpoint = to;
    this.committedAt = this.clock.monotonic();
  }

  private async rowsOf(event: RecordedEvent): Promise<ReadRow[]> {
    const mapping = this.mappings.of(event.stream);
    if (!mapping || mapping.facts(event, null).length === 0) return []; // most of what is in the log is of no interest: nothing more is read for it
    const [previous = null] = event.revision > 0 ? await this.store.read(event.stream, { from: event.revision - 1, limit: 1 }) : [];
    return auditRows(mapping, event, previous);
  }
}
