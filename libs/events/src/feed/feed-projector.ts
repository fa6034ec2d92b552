import { Logger } from '@nestjs/common';
import {
  CheckpointConflict, Stop, StoreUnavailable, type Clock, type EventStore, type EventSubscription, type Leases, type LiveBus, type Position, type ReadRow,
  type ReadStore, type RecordedEvent,
} from '@aos/kernel';
import { hasLostCheckpoint } from '@aos/platform';
import type { SourceEvent } from '../publishing/envelope.wire.js';
import { recordedPosition } from '../publishing/envelope.wire.js';
import type { PublicEvents } from '../publishing/public-events.js';
import { ringChannel } from '../doorbell/feed-bell.js';
import { buildCollection, everywhere, feedCollection, feedRow, feedStart, onlyRow, organizationRow, typeRow } from './feed.projection.js';
import { FeedHeads, type FeedHead } from './feed-heads.js';
import { FeedRetention } from './feed-retention.js';

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

const checkpointEveryMs = 1000;
const batchMax = 256;
const sweepEveryMs = 10 * 60 * 1000;
const leaseName = `projector:${feedCollection}`;

/**
 * The ordered projection of source events: rows and checkpoint together, each row with the place before it.
 *
 * One process at a time, by lease; the checkpoint's compare-and-set fences a late one. Writers never apply it: its rows depend on order. It
 * comes back by itself when a store was away, and stops loudly at an event that cannot be told.
 */
export class FeedProjector {
  private readonly log = new Logger('feed');
  private readonly heads: FeedHeads;
  private readonly retention: FeedRetention;
  private subscription: EventSubscription | null = null;
  private timer: { cancel(): void } | null = null;
  private sweeping: { cancel(): void } | null = null;
  private checkpoint: Position = feedStart;
  private committedAt = 0;
  private buildOrder = 0;
  private isWhole = false;
  private closed = false;
  /** What stopped it for good. */
  failure: unknown = null;

  constructor(private readonly parts: FeedProjectorParts) {
    this.heads = new FeedHeads(parts.readStore);
    this.retention = new FeedRetention(parts.readStore, parts.clock, parts.retentionDays);
  }

  /** Begins, or waits for the lease. */
  start(): void {
    if (this.closed) return;
    this.take().catch((error: unknown) => { this.trouble(error); });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    this.sweeping?.cancel();
    await this.subscription?.close();
    await this.parts.leases.release(leaseName, this.parts.owner).catch((error: unknown) => { this.log.warn(String(error)); });
  }

  private async take(): Promise<void> {
    const { store, readStore, leases, owner, leaseMs, events } = this.parts;
    if (!(await leases.acquire(leaseName, owner, leaseMs))) {
      this.later();
      return;
    }
    if (this.closed) {
      await leases.release(leaseName, owner);
      return;
    }
    this.heads.clear();
    const known = await readStore.checkpoint(feedCollection);
    const build = await readStore.get(buildCollection, everywhere, onlyRow);
    this.buildOrder = build?.revision ?? 0;
    const isLower = known !== null && known < this.checkpoint; // the store lost data: it is not whole until the projector has come back to here
    this.isWhole = known !== null && !isLower && build?.doc.whole === true;
    this.checkpoint = known ?? feedStart;
    if (known === null) await readStore.commit({ projection: feedCollection, from: null, to: feedStart, rows: [this.buildRow(false)] });
    if (isLower) await readStore.put([this.buildRow(false)]);
    if (this.closed) return;
    this.sweepLater();
    this.subscription = store.subscribe({
      name: leaseName, prefixes: events.prefixes, from: this.checkpoint === feedStart ? 'start' : this.checkpoint, batchMax,
      onCaughtUp: () => { this.caughtUp(); },
      onTrouble: (error) => { this.log.warn(error instanceof Error ? error.message : String(error)); },
    }, (batch) => this.project(batch));
    const { subscription } = this;
    subscription.ended.catch((error: unknown) => { if (this.subscription === subscription) this.trouble(error); });
    this.keepLease();
  }

  private async project(batch: RecordedEvent[]): Promise<void> {
    try {
      const told: SourceEvent[] = [];
      for await (const one of this.parts.events.each(batch)) told.push(...one.told);
      const to = batch.at(-1)?.position ?? this.checkpoint;
      if (told.length === 0 && this.parts.clock.monotonic() - this.committedAt < checkpointEveryMs) return;
      const { rows, heads } = await this.rowsOf(told);
      await this.commit(to, rows);
      for (const [orgId, head] of heads) {
        this.heads.moved(orgId, head);
        this.parts.bus.publish(ringChannel(orgId), head.position);
      }
    } catch (error) {
      this.heads.clear();
      if (error instanceof StoreUnavailable || error instanceof Stop) throw error; // the first is given again by the subscription
      throw new FeedStopped(error);
    }
  }

  /**
   * Every row names the greatest place below its own, which a repeat finds again. What is too old when nothing is kept before it is only
   * remembered as the place of the cut.
   */
  private async rowsOf(told: readonly SourceEvent[]): Promise<{ rows: ReadRow[]; heads: Map<string, FeedHead> }> {
    const rows: ReadRow[] = [];
    const heads = new Map<string, FeedHead>();
    const cuts = new Map<string, SourceEvent>();
    const { keptFrom } = this.retention;
    for (const event of told) {
      const { orgId, position } = event;
      const known = heads.get(orgId);
      const before = known ?? (await this.heads.below(orgId, position));
      const isCut = before.isCut && event.receivedAt < keptFrom;
      if (isCut) cuts.set(orgId, event);
      else rows.push(feedRow(event, before.position));
      if (!known) rows.push(organizationRow(orgId));
      rows.push(...typeRow(event));
      heads.set(orgId, { position, isCut });
    }
    for (const [orgId, { position, receivedAt }] of cuts) rows.push(await this.retention.cutAt(orgId, position, receivedAt));
    return { rows, heads };
  }

  private async commit(to: Position, rows: readonly ReadRow[]): Promise<void> {
    await this.parts.readStore.commit({ projection: feedCollection, from: this.checkpoint, to, rows });
    this.checkpoint = to;
    this.committedAt = this.parts.clock.monotonic();
  }

  private caughtUp(): void {
    if (this.isWhole) return;
    this.isWhole = true;
    this.parts.readStore.put([this.buildRow(true)]).catch((error: unknown) => {
      this.isWhole = false; // told again when the next events are through
      this.log.warn(String(error));
    });
  }

  private buildRow(whole: boolean): ReadRow {
    this.buildOrder += 1;
    return { collection: buildCollection, scope: everywhere, key: onlyRow, revision: this.buildOrder, doc: { whole }, index: {} };
  }

  private keepLease(): void {
    const { clock, leases, leaseMs, owner } = this.parts;
    this.timer = clock.after(leaseMs / 3, () => {
      const { subscription } = this; // another fault may have ended it by the time of the answer
      leases.renew(leaseName, owner, leaseMs).then(async (held) => {
        const isKept = held && !(await hasLostCheckpoint(this.parts.readStore, feedCollection, this.checkpoint));
        if (this.closed || this.subscription !== subscription) return;
        if (isKept) this.keepLease();
        else await this.restart();
      }).catch((error: unknown) => {
        this.log.warn(String(error));
        if (!this.closed && this.subscription === subscription) this.keepLease();
      });
    });
  }

  private sweepLater(): void {
    this.sweeping?.cancel();
    this.sweeping = this.parts.clock.after(sweepEveryMs, () => {
      this.retention.sweep(() => !this.closed && this.subscription !== null)
        .catch((error: unknown) => { this.log.warn(String(error)); })
        .finally(() => { if (!this.closed) this.sweepLater(); });
    });
  }

  private async restart(): Promise<void> {
    const { subscription } = this;
    this.subscription = null;
    this.timer?.cancel();
    this.sweeping?.cancel();
    await subscription?.close();
    this.later();
  }

  private later(): void {
    if (!this.closed) this.timer = this.parts.clock.after(this.parts.leaseMs / 3, () => { this.start(); });
  }

  private trouble(error: unknown): void {
    if (this.closed) return;
    this.timer?.cancel();
    const cause = error instanceof FeedStopped ? error.cause : error;
    if (cause instanceof CheckpointConflict || cause instanceof StoreUnavailable) {
      this.log.warn(cause.message);
      this.restart().catch((fault: unknown) => { this.log.error(String(fault)); });
      return;
    }
    this.failure = cause;
    this.log.error(`stopped: ${cause instanceof Error ? cause.stack : String(cause)}`);
  }

  /** How far it is: the last recorded event that its rows show. */
  get position(): Position {
    return recordedPosition(this.checkpoint);
  }
}

class FeedStopped extends Stop {
  constructor(cause: unknown) {
    super('the feed stopped', { cause });
  }
}
