import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, ReadStore, type ReadRow, type RecordedEvent } from '@aos/kernel';
import {
  CatchUp,
  Checkpoint,
  LeasedSubscription,
  Readiness,
  Settings,
  projectionVerdict,
  retire,
  stopOf,
  type Reading,
  type Verdict,
} from '@aos/platform';
import { changeRows, changedStreams, changesCollection, retiredChanges } from './memory-changes.projection.js';
import { MemoryChangesRetention } from './memory-changes-retention.js';

const sweepEveryMs = 60 * 60 * 1000;

/** The feed cannot turn an event into a row: the projector stops with an error and skips no event. */
class ChangesStopped extends Error {}

/**
 * The ordered projection of memory changes: rows and checkpoint together. One process at a time, by lease; the
 * checkpoint's compare-and-set fences a late one. Writers never apply it: its order is the log's.
 */
@Injectable()
export class MemoryChangesProjector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('memory changes');
  private readonly leased: LeasedSubscription;
  private sweepTimer: { cancel(): void } | null = null;
  private sweeping: Promise<void> = Promise.resolve();
  private readonly retention: MemoryChangesRetention;
  private readonly checkpoint: Checkpoint;

  constructor(
    store: EventStore,
    private readonly readStore: ReadStore,
    leases: Leases,
    private readonly clock: Clock,
    ids: Ids,
    settings: Settings,
    readiness: Readiness,
  ) {
    this.retention = new MemoryChangesRetention(readStore, clock);
    this.checkpoint = new Checkpoint(readStore, clock, changesCollection);
    this.leased = new LeasedSubscription(
      { store: CatchUp.of(store, clock), leases, clock },
      {
        lease: `projector:${changesCollection}`,
        owner: `memory_${ids.ulid()}`,
        leaseMs: settings.leaseSeconds * 1000,
        log: this.log,
        demand: readStore.demand(changesCollection),
        verdict,
        claimed: () => this.claimed(),
        handle: (events) => this.project(events),
        isSound: async () => (await this.checkpoint.loss()) === null,
        caughtUp: () => {
          this.checkpoint.caughtUp();
        },
        interrupted: () => {
          this.sweepTimer?.cancel();
        },
      },
    );
    readiness.register({ name: 'memory changes', check: () => Promise.resolve(stopOf(this.leased.failure)) });
  }

  onApplicationBootstrap(): void {
    this.leased.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.sweepTimer?.cancel();
    await Promise.all([this.leased.close(), this.sweeping]);
  }

  private async claimed(): Promise<Reading> {
    await retire(this.readStore, retiredChanges);
    await this.checkpoint.take();
    this.sweepLater();
    return { prefixes: changedStreams, from: this.checkpoint.from };
  }

  private async project(events: RecordedEvent[]): Promise<void> {
    const rows = this.published(events);
    if (rows.length > 0 || this.checkpoint.isDue)
      await this.checkpoint.move(events.at(-1)?.position ?? this.checkpoint.position, rows);
  }

  private published(events: RecordedEvent[]): ReadRow[] {
    try {
      return changeRows(events, this.retention.keptFrom);
    } catch (error) {
      throw new ChangesStopped('memory changes stopped', { cause: error });
    }
  }

  private sweepLater(): void {
    this.sweepTimer?.cancel();
    if (this.leased.isClosed) return;
    this.sweepTimer = this.clock.after(sweepEveryMs, () => {
      this.sweeping = this.retention
        .sweep(() => this.leased.active)
        .catch((error: unknown) => {
          this.log.warn(String(error));
        })
        .finally(() => {
          this.sweepLater();
        });
    });
  }
}

/** Only an event that cannot become a row stops the projector; other errors may be temporary, so it tries again. */
function verdict(error: unknown): Verdict {
  if (error instanceof ChangesStopped) return 'stop';
  return projectionVerdict(error) === 'restart' ? 'restart' : 'repeat';
}
