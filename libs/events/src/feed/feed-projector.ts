import { Logger } from '@nestjs/common';
import {
  CheckpointConflict,
  type Clock,
  type EventStore,
  type Leases,
  type LiveBus,
  type Position,
  type ReadRow,
  type ReadStore,
  type RecordedEvent,
} from '@aos/kernel';
import {
  CatchUp,
  Checkpoint,
  LeasedSubscription,
  gatheringBatch,
  projectionVerdict,
  retire,
  type OrderedProjection,
  type Reading,
} from '@aos/platform';
import { recordedPosition } from '../publishing/envelope.wire.js';
import type { PublicEvents } from '../publishing/public-events.js';
import { notifyChannel } from '../notifiers/feed-notifier.js';
import { buildCollection, everywhere, feedCollection, onlyRow, retiredFeeds } from './feed.projection.js';
import { commitsOf } from './feed-commits.js';
import { OrderedFeed } from './ordered-feed.js';
import { FeedRetention } from './feed-retention.js';
import { FeedRows } from './feed-rows.js';

export interface FeedProjectorParts {
  store: EventStore;
  readStore: ReadStore;
  events: PublicEvents;
  leases: Leases;
  bus: LiveBus;
  clock: Clock;
  /** Names this process. */
  owner: string;
  leaseMs: number;
  retentionDays: number;
}

/** Events that are read at once, where the rows of a feed do not gather. */
const batchMax = 1024;
/** Readers of the feed wait no longer for rows; under a load a commit for each few rows is what they cost most. */
const gather = { ms: 10, busyMs: 40 };
const sweepEveryMs = 10 * 60 * 1000;

/**
 * The ordered projection of source events: rows and checkpoint together, each row with the place before it.
 *
 * One process at a time, by lease; the checkpoint's compare-and-set fences a late one. Writers never apply it: its rows
 * depend on order. It comes back by itself when a store was away, and stops loudly at an event that cannot be
 * published.
 */
export class FeedProjector {
  private readonly log = new Logger('feed');
  private readonly rows: FeedRows;
  private readonly retention: FeedRetention;
  private readonly leased: LeasedSubscription;
  private sweeping: { cancel(): void } | null = null;
  private readonly checkpoint: Checkpoint;
  private buildOrder = 0;
  private isWhole = false;

  constructor(private readonly parts: FeedProjectorParts) {
    this.retention = new FeedRetention(parts.readStore, parts.clock, parts.retentionDays);
    this.checkpoint = new Checkpoint(parts.readStore, parts.clock, feedCollection);
    this.rows = new FeedRows(parts.readStore, this.retention);
    const { store, leases, clock } = parts;
    const reads = { store: CatchUp.of(store, clock), leases, clock };
    this.leased = new LeasedSubscription(reads, {
      lease: `projector:${feedCollection}`,
      owner: parts.owner,
      leaseMs: parts.leaseMs,
      log: this.log,
      demand: parts.readStore.demand(feedCollection),
      gather,
      verdict: projectionVerdict,
      claimed: () => this.claimed(),
      handle: (batch) => this.project(batch),
      isSound: async () => (await this.checkpoint.loss()) === null,
      caughtUp: () => {
        this.caughtUp();
      },
      interrupted: () => {
        this.sweeping?.cancel();
      },
    });
  }

  /** Begins, or waits for the lease. */
  start(): void {
    this.leased.start();
  }

  async close(): Promise<void> {
    this.sweeping?.cancel();
    await this.leased.close();
  }

  /** How a check builds its rows again. */
  get ordered(): OrderedProjection {
    const { readStore, events, clock, retentionDays } = this.parts;
    return new OrderedFeed(readStore, events, clock, retentionDays, batchMax);
  }

  /** What stopped it for good. */
  get failure(): unknown {
    return this.leased.failure;
  }

  private async claimed(): Promise<Reading> {
    const { store, readStore, events } = this.parts;
    this.rows.forget();
    const loss = await this.checkpoint.loss();
    const build = await readStore.get(buildCollection, everywhere, onlyRow);
    this.buildOrder = build?.revision ?? 0;
    const known = await this.checkpoint.take(() => [this.buildRow(false)]);
    // the store lost data: it is not whole until the projector has come back to here
    const isLower = known !== null && loss instanceof CheckpointConflict;
    this.isWhole = known !== null && !isLower && build?.doc.whole === true;
    if (isLower) await readStore.put([this.buildRow(false)]);
    if (this.isWhole) await retire(readStore, retiredFeeds);
    this.sweepLater();
    return { prefixes: events.prefixes, from: this.checkpoint.from, batchMax, ...gatheringBatch(store) };
  }

  private async project(batch: RecordedEvent[]): Promise<void> {
    try {
      const published = await this.parts.events.all(batch);
      if (published.length === 0 && !this.checkpoint.isDue) return;
      for (const { events, to } of commitsOf(published, batch.at(-1)?.position ?? this.checkpoint.position)) {
        const { rows, heads } = await this.rows.of(events);
        await this.checkpoint.move(to, rows);
        for (const [orgId, position] of this.rows.moved(heads)) this.parts.bus.publish(notifyChannel(orgId), position);
      }
    } catch (error) {
      this.rows.forget();
      throw error;
    }
  }

  private caughtUp(): void {
    this.checkpoint.caughtUp();
    if (this.isWhole) return;
    this.isWhole = true;
    this.parts.readStore
      .put([this.buildRow(true)])
      .then(() => retire(this.parts.readStore, retiredFeeds))
      .catch((error: unknown) => {
        this.isWhole = false; // tried again when the next events are through
        this.log.warn(String(error));
      });
  }

  private buildRow(whole: boolean): ReadRow {
    this.buildOrder += 1;
    return {
      collection: buildCollection,
      scope: everywhere,
      key: onlyRow,
      revision: this.buildOrder,
      doc: { whole },
      index: {},
    };
  }

  private sweepLater(): void {
    this.sweeping?.cancel();
    if (this.leased.isClosed) return;
    this.sweeping = this.parts.clock.after(sweepEveryMs, () => {
      this.retention
        .sweep(() => this.leased.active)
        .catch((error: unknown) => {
          this.log.warn(String(error));
        })
        .finally(() => {
          this.sweepLater();
        });
    });
  }

  /** How far it is: the last recorded event that its rows show. */
  get position(): Position {
    return recordedPosition(this.checkpoint.position);
  }
}
