import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  CheckpointConflict, Clock, EventStore, Ids, Leases, ReadStore, Stop, StoreUnavailable, type EventSubscription, type Position, type ReadRow, type RecordedEvent,
} from '@aos/kernel';
import { hasLostCheckpoint } from '@aos/platform';
import { auditCollection, auditRows, type AuditMapping } from './audit.mapping.js';

const leaseMs = 15_000;
const leaseName = `projector:${auditCollection}`;
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
  private readonly logger = new Logger('audit');
  private readonly owner: string;
  private subscription: EventSubscription | null = null;
  private timer: { cancel(): void } | null = null;
  private checkpoint: Position = start;
  private committedAt = 0;
  private closed = false;
  private isCaughtUp = false;

  constructor(
    private readonly mappings: AuditMappings, private readonly store: EventStore, private readonly readStore: ReadStore,
    private readonly leases: Leases, private readonly clock: Clock, ids: Ids,
  ) {
    this.owner = `audit_${ids.ulid()}`;
  }

  onApplicationBootstrap(): void {
    this.begin();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.subscription?.close();
    await this.leases.release(leaseName, this.owner).catch((error: unknown) => { this.logger.warn(String(error)); });
  }

  /** Refuses `StoreUnavailable` while the view is being built for the first time, or again after a loss. */
  async requireBuilt(): Promise<void> {
    if (this.isCaughtUp) return;
    if (this.subscription || (await this.readStore.checkpoint(auditCollection)) === null) throw new StoreUnavailable('the audit view is being built');
  }

  private begin(): void {
    if (this.closed) return;
    this.take().catch((error: unknown) => { this.trouble(error); });
  }

  private async take(): Promise<void> {
    if (!(await this.leases.acquire(leaseName, this.owner, leaseMs))) {
      this.later();
      return;
    }
    const known = await this.readStore.checkpoint(auditCollection);
    this.checkpoint = known ?? start;
    if (known === null) await this.readStore.commit({ projection: auditCollection, from: null, to: start, rows: [] });
    if (this.closed) return;
    this.subscription = this.store.subscribe({
      name: leaseName, prefixes: this.mappings.prefixes, from: this.checkpoint === start ? 'start' : this.checkpoint, batchMax,
      onCaughtUp: () => { this.isCaughtUp = true; },
      onTrouble: (error) => { this.logger.warn(error instanceof Error ? error.message : String(error)); },
    }, (events) => this.project(events));
    const { subscription } = this;
    subscription.ended.catch((error: unknown) => { if (this.subscription === subscription) this.trouble(error); });
    this.keepLease();
  }

  private async project(events: RecordedEvent[]): Promise<void> {
    const rows: ReadRow[] = [];
    try {
      for (const event of events) rows.push(...(await this.rowsOf(event)));
      const to = events.at(-1)?.position ?? this.checkpoint;
      if (rows.length === 0 && this.clock.monotonic() - this.committedAt < checkpointEveryMs) return;
      await this.readStore.commit({ projection: auditCollection, from: this.checkpoint, to, rows });
      this.checkpoint = to;
      this.committedAt = this.clock.monotonic();
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error; // given again by the subscription
      throw new AuditStopped(error);
    }
  }

  private async rowsOf(event: RecordedEvent): Promise<ReadRow[]> {
    const mapping = this.mappings.of(event.stream);
    if (!mapping || mapping.facts(event, null).length === 0) return []; // most of what is in the log is of no interest: nothing more is read for it
    const [previous = null] = event.revision > 0 ? await this.store.read(event.stream, { from: event.revision - 1, limit: 1 }) : [];
    return auditRows(mapping, event, previous);
  }

  private keepLease(): void {
    this.timer = this.clock.after(leaseMs / 3, () => {
      const { subscription } = this; // another fault may have ended it by the time of the answer
      this.leases.renew(leaseName, this.owner, leaseMs).then(async (held) => {
        const isKept = held && !(await hasLostCheckpoint(this.readStore, auditCollection, this.checkpoint));
        if (this.closed || this.subscription !== subscription) return;
        if (isKept) this.keepLease();
        else await this.restart();
      }).catch((error: unknown) => {
        this.logger.warn(String(error));
        if (!this.closed && this.subscription === subscription) this.keepLease();
      });
    });
  }

  private async restart(): Promise<void> {
    this.isCaughtUp = false;
    const { subscription } = this;
    this.subscription = null;
    this.timer?.cancel();
    await subscription?.close();
    this.later();
  }

  private later(): void {
    if (!this.closed) this.timer = this.clock.after(leaseMs / 3, () => { this.begin(); });
  }

  private trouble(error: unknown): void {
    if (this.closed) return;
    this.timer?.cancel();
    const cause = error instanceof AuditStopped ? error.cause : error;
    if (cause instanceof CheckpointConflict || cause instanceof StoreUnavailable) {
      this.logger.warn(cause.message);
      this.restart().catch((fault: unknown) => { this.logger.error(String(fault)); });
      return;
    }
    this.isCaughtUp = false;
    this.logger.error(`stopped: ${cause instanceof Error ? cause.stack : String(cause)}`);
  }
}

/** Something in the log cannot be told: nothing is skipped. */
class AuditStopped extends Stop {
  constructor(cause: unknown) {
    super('the audit view stopped', { cause });
  }
}
