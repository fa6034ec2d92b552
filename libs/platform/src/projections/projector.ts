import { Logger } from '@nestjs/common';
import {
  CheckpointConflict, Stop, StoreUnavailable,
  type Clock, type EventStore, type EventSubscription, type Leases, type Position, type ReadRow, type ReadStore, type RecordedEvent,
} from '@aos/kernel';
import type { Decisions } from '../decisions/decisions.js';
import { collectionOf, type StreamProjection, type WriterProjections } from './writer-projections.js';
import type { AnyEvent } from '@aos/kernel';

type AnyProjection = StreamProjection<unknown, AnyEvent>;

export interface ProjectorLimits {
  /** How long another projector may be silent before this one takes over. */
  leaseMs: number;
  owner: string;
}

const checkpointEveryMs = 1000;
const startPosition: Position = '';
const lossFoundWithinMs = 1000;

/** How far a projection is, for readiness and metrics. */
export interface ProjectorState {
  caughtUp: boolean;
  failure: unknown;
  position: Position | null;
}

/**
 * Catches one projection up with the log: what writers did not put, or what the read store lost. One at a time in the fleet, by lease; the
 * checkpoint's compare-and-set fences a late one. An event it does not know stops it loudly.
 */
export class Projector {
  private readonly log: Logger;
  private subscription: EventSubscription | null = null;
  private retry: { cancel(): void } | null = null;
  private closed = false;
  private checkpoint: Position | null = null;
  private committedAt = 0;
  private committing = false;
  /** When the oldest event was recorded whose rows are being put. */
  private workingSince: number | null = null;
  readonly state: ProjectorState = { caughtUp: false, failure: null, position: null };

  constructor(
    private readonly projection: AnyProjection,
    private readonly store: EventStore,
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly writers: WriterProjections,
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly limits: ProjectorLimits,
  ) {
    this.log = new Logger(`projector ${this.name}`);
  }

  get name(): string {
    return collectionOf(this.projection);
  }

  /** Milliseconds since the oldest event that is being projected was recorded; 0 when none waits here. */
  get lagMs(): number {
    return this.workingSince === null ? 0 : Math.max(0, this.clock.now() - this.workingSince);
  }

  /** Begins; comes back by itself after any fault but an unknown event. */
  start(): void {
    if (this.closed) return;
    this.take().catch((error: unknown) => { this.again(error); });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.retry?.cancel();
    await this.subscription?.close();
    await this.leases.release(this.leaseName, this.limits.owner).catch((error: unknown) => { this.log.warn(String(error)); });
  }

  private get leaseName(): string {
    return `projector:${this.name}`;
  }

  private async take(): Promise<void> {
    if (!(await this.leases.acquire(this.leaseName, this.limits.owner, this.limits.leaseMs))) {
      await this.follow();
      return;
    }
    this.checkpoint = await this.readStore.checkpoint(this.name);
    this.writers.forget(); // rows that were put may be among what the read store lost
    if (this.checkpoint === null) {
      this.state.caughtUp = false;
      await this.readStore.commit({ projection: this.name, from: null, to: startPosition, rows: [] });
      this.checkpoint = startPosition;
    }
    this.subscription = this.store.subscribe({
      name: this.leaseName, prefixes: [`${this.projection.kind.category}-`], from: this.checkpoint === startPosition ? 'start' : this.checkpoint,
      onCaughtUp: () => { this.state.caughtUp = true; },
      onTrouble: (error) => { this.log.warn(error instanceof Error ? error.message : String(error)); },
    }, (events) => this.project(events));
    const { subscription } = this;
    subscription.ended.catch((error: unknown) => { if (this.subscription === subscription) this.again(error); });
    this.keepLease();
  }

  /** Another process projects: stay ready to take over, and know how far it is. */
  private async follow(): Promise<void> {
    const position = await this.readStore.checkpoint(this.name);
    this.state.caughtUp = position !== null;
    this.state.position = position;
    this.retry = this.clock.after(this.limits.leaseMs / 3, () => { this.start(); });
  }

  private keepLease(): void {
    this.retry = this.clock.after(Math.min(this.limits.leaseMs / 3, lossFoundWithinMs), () => {
      const { subscription } = this; // what it asks about: another fault may have ended it by the time of the answer
      this.leases.renew(this.leaseName, this.limits.owner, this.limits.leaseMs)
        .then(async (held) => {
          const isKept = held && !(await this.hasLost());
          if (this.closed || this.subscription !== subscription) return;
          if (isKept) this.keepLease();
          else await this.restart();
        })
        .catch((error: unknown) => {
          this.log.warn(`lease: ${String(error)}`);
          if (!this.closed && this.subscription === subscription) this.keepLease();
        });
    });
  }

  /** Whether the read store has another checkpoint than this projector gave it: it lost data, or somebody else projects. */
  private async hasLost(): Promise<boolean> {
    const known = this.checkpoint;
    const stored = await this.readStore.checkpoint(this.name);
    const isOurs = stored !== null && (stored === known || stored === this.checkpoint || this.committing);
    if (!isOurs) {
      this.state.caughtUp = false;
      this.log.warn(`checkpoint ${stored ?? 'is missing'}: the rows are built again from there`);
    }
    return !isOurs;
  }

  /** One subscription at a time: two would move the checkpoint past each other's events. */
  private async restart(): Promise<void> {
    const { subscription } = this;
    this.subscription = null;
    this.retry?.cancel();
    await subscription?.close();
    if (this.closed) return;
    this.retry = this.clock.after(this.limits.leaseMs / 3, () => { this.start(); });
  }

  private again(error: unknown): void {
    if (this.closed) return;
    this.retry?.cancel();
    if (error instanceof CheckpointMoved || error instanceof CheckpointConflict || error instanceof StoreUnavailable) {
      if (error instanceof CheckpointMoved) this.state.caughtUp = false;
      this.log.warn(error.message);
    } else {
      this.state.failure = error;
      this.state.caughtUp = false;
      this.log.error(`stopped: ${error instanceof Error ? error.stack : String(error)}`);
      return;
    }
    this.restart().catch((fault: unknown) => { this.log.error(String(fault)); });
  }

  private async project(events: RecordedEvent[]): Promise<void> {
    const last = events.at(-1);
    if (!last || this.checkpoint === null) return;
    const recordedAt = Date.parse(events[0]?.meta.recorded_at ?? '');
    this.workingSince ??= Number.isNaN(recordedAt) ? null : recordedAt; // stays when it fails: the same events are given again
    try {
      const rows = await this.rowsFor(events);
      const due = this.clock.monotonic() - this.committedAt >= checkpointEveryMs;
      if (rows.length === 0 && !due) {
        this.workingSince = null;
        return;
      }
      const to = last.position;
      this.committing = true;
      await this.readStore.commit({ projection: this.name, from: this.checkpoint, to, rows });
      this.checkpoint = to;
      this.committedAt = this.clock.monotonic();
      this.state.position = to;
      this.workingSince = null;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error; // given again by the subscription
      if (error instanceof CheckpointConflict) throw new CheckpointMoved(error.message, { cause: error });
      throw new ProjectionStopped(this.name, error);
    } finally {
      this.committing = false;
    }
  }

  private async rowsFor(events: RecordedEvent[]): Promise<ReadRow[]> {
    const touched = new Map<string, number>();
    for (const event of events) {
      if (!this.projection.kind.events[event.type]) throw new Error(`unknown event ${event.type}`);
      if (this.projection.on && !this.projection.on.has(event.type)) continue;
      if (!this.writers.hasApplied(this.projection, event.stream, event.revision)) touched.set(event.stream, event.revision);
    }
    await this.writers.settled(touched.keys()); // a writer of this process is about to put most of them
    const rows: ReadRow[] = [];
    for (const [stream, touchedAt] of touched) {
      if (this.writers.hasApplied(this.projection, stream, touchedAt)) continue;
      const id = stream.slice(this.projection.kind.category.length + 1);
      const { state, revision } = await this.decisions.load(this.projection.kind, id);
      rows.push(...this.projection.rows({ state, id, revision }));
    }
    return rows;
  }
}

/** The read store lost its checkpoint, or another projector moved it: this subscription ends, and the next begins at what the store has. */
class CheckpointMoved extends Stop {}

/** A projection cannot go on: its fault is shown, nothing is skipped. */
export class ProjectionStopped extends Stop {
  constructor(name: string, cause: unknown) {
    super(`${name} stopped: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'ProjectionStopped';
  }
}
