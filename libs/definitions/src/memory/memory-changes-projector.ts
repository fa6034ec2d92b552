import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  CheckpointConflict, Clock, EventStore, Ids, Leases, ReadStore, Stop, StoreUnavailable, upcast, type EventSubscription, type Position, type ReadRow,
  type RecordedEvent,
} from '@aos/kernel';
import { Readiness, Settings, hasLostCheckpoint } from '@aos/platform';
import { changeFeedRow, changeRow, changesCollection, retiredChanges } from './memory-changes.projection.js';
import { MemoryChangesRetention } from './memory-changes-retention.js';
import { memoryEvents, type MemoryEvent } from './memory.events.js';

const start: Position = '';
const checkpointEveryMs = 1000;
const sweepEveryMs = 60 * 60 * 1000;
const lease = `projector:${changesCollection}`;

/** An event that the feed cannot tell: it stops loudly, nothing is skipped. */
class ChangesStopped extends Stop {}

/**
 * The ordered projection of memory changes: rows and checkpoint together. One process at a time, by lease; the checkpoint's compare-and-set
 * fences a late one. Writers never apply it: its order is the log's.
 */
@Injectable()
export class MemoryChangesProjector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('memory changes');
  private readonly owner: string;
  private readonly leaseMs: number;
  private subscription: EventSubscription | null = null;
  private timer: { cancel(): void } | null = null;
  private sweepTimer: { cancel(): void } | null = null;
  private sweeping: Promise<void> = Promise.resolve();
  private readonly retention: MemoryChangesRetention;
  private checkpoint: Position = start;
  private committedAt = 0;
  private closed = false;
  private failure: unknown = null;

  constructor(
    private readonly store: EventStore, private readonly readStore: ReadStore, private readonly leases: Leases, private readonly clock: Clock, ids: Ids, settings: Settings,
    readiness: Readiness,
  ) {
    this.retention = new MemoryChangesRetention(readStore, clock);
    this.owner = `memory_${ids.ulid()}`;
    this.leaseMs = settings.leaseSeconds * 1000;
    readiness.register({ name: 'memory changes', check: () => Promise.resolve(this.failure === null ? null : 'stopped') });
  }

  onApplicationBootstrap(): void {
    this.begin();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    this.sweepTimer?.cancel();
    await this.sweeping;
    await this.subscription?.close();
    await this.leases.release(lease, this.owner).catch((error: unknown) => { this.log.warn(String(error)); });
  }

  private begin(): void {
    if (this.closed) return;
    this.take().catch((error: unknown) => { this.trouble(error); });
  }

  private async take(): Promise<void> {
    if (!(await this.leases.acquire(lease, this.owner, this.leaseMs))) {
      this.later();
      return;
    }
    await this.retire();
    const known = await this.readStore.checkpoint(changesCollection);
    if (known === null) await this.readStore.commit({ projection: changesCollection, from: null, to: start, rows: [] });
    this.checkpoint = known ?? start;
    if (this.closed) return;
    this.sweepLater();
    this.subscription = this.store.subscribe({
      name: lease, prefixes: ['memory-'], from: this.checkpoint === start ? 'start' : this.checkpoint,
      onTrouble: (error) => { this.log.warn(error instanceof Error ? error.message : String(error)); },
    }, (events) => this.project(events));
    const { subscription } = this;
    subscription.ended.catch((error: unknown) => { if (this.subscription === subscription) this.trouble(error); });
    this.keepLease();
  }

  private async project(events: RecordedEvent[]): Promise<void> {
    const to = events.at(-1)?.position ?? this.checkpoint;
    try {
      const rows = this.rowsOf(events);
      if (rows.length === 0 && this.clock.monotonic() - this.committedAt < checkpointEveryMs) return;
      await this.readStore.commit({ projection: changesCollection, from: this.checkpoint, to, rows });
      this.checkpoint = to;
      this.committedAt = this.clock.monotonic();
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error; // given again by the subscription
      if (error instanceof CheckpointConflict) throw new Stop(error.message, { cause: error });
      throw new ChangesStopped('memory changes stopped', { cause: error });
    }
  }

  private rowsOf(events: readonly RecordedEvent[]): ReadRow[] {
    const { keptFrom } = this.retention;
    const rows: ReadRow[] = [];
    const feeds = new Map<string, ReadRow>();
    for (const event of events) {
      const lifted = upcast(memoryEvents, event.type, event.data, Number(event.meta.schema_version ?? '1')) as MemoryEvent;
      const recordedAt = event.meta.recorded_at ?? '';
      if (lifted.type === 'MemoryDeliveryNoted' || recordedAt < keptFrom) continue;
      const row = changeRow(lifted, { id: event.id, position: event.position, recordedAt });
      const feed = changeFeedRow(row.scope);
      feeds.set(feed.key, feed);
      rows.push(row);
    }
    return [...rows, ...feeds.values()];
  }

  /** What versions before left in the read store. */
  private async retire(): Promise<void> {
    for (const name of retiredChanges) if ((await this.readStore.checkpoint(name)) !== null) await this.readStore.drop(name, name);
  }

  private sweepLater(): void {
    this.sweepTimer?.cancel();
    if (this.closed) return;
    this.sweepTimer = this.clock.after(sweepEveryMs, () => {
      this.sweeping = this.retention.sweep(() => !this.closed && this.subscription !== null)
        .catch((error: unknown) => { this.log.warn(String(error)); })
        .finally(() => { this.sweepLater(); });
    });
  }

  private keepLease(): void {
    this.timer = this.clock.after(this.leaseMs / 3, () => {
      const { subscription } = this; // another fault may have ended it by the time of the answer
      this.leases.renew(lease, this.owner, this.leaseMs).then(async (held) => {
        const isKept = held && !(await hasLostCheckpoint(this.readStore, changesCollection, this.checkpoint));
        if (this.closed || this.subscription !== subscription) return;
        if (isKept) this.keepLease();
        else await this.restart();
      }).catch((error: unknown) => {
        this.log.warn(String(error));
        if (!this.closed && this.subscription === subscription) this.keepLease();
      });
    });
  }

  private async restart(): Promise<void> {
    const { subscription } = this;
    this.subscription = null;
    this.timer?.cancel();
    this.sweepTimer?.cancel();
    await subscription?.close();
    this.later();
  }

  private later(): void {
    if (!this.closed) this.timer = this.clock.after(this.leaseMs / 3, () => { this.begin(); });
  }

  private trouble(error: unknown): void {
    if (this.closed) return;
    if (error instanceof ChangesStopped) {
      this.failure = error;
      this.log.error(error.stack ?? error.message);
      return;
    }
    this.log.warn(error instanceof Error ? error.message : String(error));
    this.restart().catch((fault: unknown) => { this.log.error(String(fault)); });
  }
}
