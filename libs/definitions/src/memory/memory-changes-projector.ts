import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  CheckpointConflict, Clock, EventStore, Ids, Leases, ReadStore, StoreUnavailable, upcast, type Position, type ReadRow, type RecordedEvent,
} from '@aos/kernel';
import { LeasedSubscription, Readiness, Settings, hasLostCheckpoint, type Reading, type Verdict } from '@aos/platform';
import { changeFeedRow, changeRow, changesCollection, retiredChanges } from './memory-changes.projection.js';
import { MemoryChangesRetention } from './memory-changes-retention.js';
import { memoryEvents, type MemoryEvent } from './memory.events.js';

const start: Position = '';
const checkpointEveryMs = 1000;
const sweepEveryMs = 60 * 60 * 1000;

/** An event that the feed cannot tell: it stops loudly, nothing is skipped. */
class ChangesStopped extends Error {}

/**
 * The ordered projection of memory changes: rows and checkpoint together. One process at a time, by lease; the checkpoint's compare-and-set
 * fences a late one. Writers never apply it: its order is the log's.
 */
@Injectable()
export class MemoryChangesProjector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('memory changes');
  private readonly leased: LeasedSubscription;
  private sweepTimer: { cancel(): void } | null = null;
  private sweeping: Promise<void> = Promise.resolve();
  private readonly retention: MemoryChangesRetention;
  private checkpoint: Position = start;
  private committedAt = 0;

  constructor(
    store: EventStore, private readonly readStore: ReadStore, leases: Leases, private readonly clock: Clock, ids: Ids, settings: Settings, readiness: Readiness,
  ) {
    this.retention = new MemoryChangesRetention(readStore, clock);
    this.leased = new LeasedSubscription({ store, leases, clock }, {
      lease: `projector:${changesCollection}`, owner: `memory_${ids.ulid()}`, leaseMs: settings.leaseSeconds * 1000, log: this.log, verdict,
      claimed: () => this.claimed(), handle: (events) => this.project(events),
      isSound: async () => !(await hasLostCheckpoint(readStore, changesCollection, this.checkpoint)),
      interrupted: () => { this.sweepTimer?.cancel(); },
    });
    readiness.register({ name: 'memory changes', check: () => Promise.resolve(this.leased.failure === null ? null : 'stopped') });
  }

  onApplicationBootstrap(): void {
    this.leased.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.sweepTimer?.cancel();
    await Promise.all([this.leased.close(), this.sweeping]);
  }

  private async claimed(): Promise<Reading> {
    await this.retire();
    const known = await this.readStore.checkpoint(changesCollection);
    if (known === null) await this.readStore.commit({ projection: changesCollection, from: null, to: start, rows: [] });
    this.checkpoint = known ?? start;
    this.sweepLater();
    return { prefixes: ['memory-'], from: this.checkpoint === start ? 'start' : this.checkpoint };
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
      if (error instanceof StoreUnavailable || error instanceof CheckpointConflict) throw error;
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
    if (this.leased.isClosed) return;
    this.sweepTimer = this.clock.after(sweepEveryMs, () => {
      this.sweeping = this.retention.sweep(() => this.leased.active)
        .catch((error: unknown) => { this.log.warn(String(error)); })
        .finally(() => { this.sweepLater(); });
    });
  }
}

/** Only what cannot be told ends the feed; whatever else a claim meets may pass. */
function verdict(error: unknown): Verdict {
  if (error instanceof ChangesStopped) return 'stop';
  return error instanceof CheckpointConflict ? 'restart' : 'repeat';
}
