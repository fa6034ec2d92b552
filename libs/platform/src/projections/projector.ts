import { Logger } from '@nestjs/common';
import {
  CheckpointConflict,
  RowsInDoubt,
  Stop,
  StoreUnavailable,
  type Clock,
  type EventStore,
  type Leases,
  type Position,
  type ReadStore,
  type RecordedEvent,
  messageOf,
} from '@aos/kernel';
import { LeasedSubscription, type Reading } from '../leased/leased-subscription.js';
import { projectionVerdict } from '../leased/verdict.js';
import { Checkpoint, retire } from './checkpoint.js';
import type { LossWatch, Watched } from './loss-watch.js';
import type { MissedRows } from './own-projections.js';

/** Writers put their rows themselves: what they missed may be so much late. */
const gather = { ms: 50 };

export interface ProjectorLimits extends Pick<Reading, 'batchMax'> {
  /** How long another projector may be silent before this one takes over. */
  leaseMs: number;
  owner: string;
}

/** How far a projection is, for readiness and metrics. */
export interface ProjectorState {
  caughtUp: boolean;
  failure: unknown;
  position: Position | null;
}

/**
 * Catches one projection up with the log: what writers did not put, or what the read store lost. One at a time in the
 * fleet, by lease; the checkpoint's compare-and-set fences a late one. An event it does not know stops it loudly.
 */
export class Projector {
  readonly name: string;
  private readonly log: Logger;
  private readonly leased: LeasedSubscription;
  private readonly checkpoint: Checkpoint;
  private readonly batch: Pick<Reading, 'batchMax'>;
  /** Since the claim. */
  private watched: Watched | null = null;
  /** When the oldest event was recorded whose rows are being put. */
  private workingSince: number | null = null;
  private retiring: 'at the next start' | 'once caught up' | Promise<void> = 'once caught up';
  readonly state: ProjectorState = { caughtUp: false, failure: null, position: null };

  constructor(
    private readonly missed: MissedRows,
    store: Pick<EventStore, 'subscribe'>,
    private readonly readStore: ReadStore,
    leases: Leases,
    private readonly clock: Clock,
    private readonly watch: LossWatch,
    { leaseMs, owner, ...batch }: ProjectorLimits,
  ) {
    this.name = missed.name;
    this.batch = batch;
    this.log = new Logger(`projector ${this.name}`);
    this.checkpoint = new Checkpoint(readStore, clock, this.name);
    this.leased = new LeasedSubscription(
      { store, leases, clock },
      {
        lease: `projector:${this.name}`,
        owner,
        leaseMs,
        log: this.log,
        demand: readStore.demand(this.name, { arePut: true }),
        gather,
        verdict: projectionVerdict,
        claimed: () => this.claimed(),
        handle: (events) => this.project(events),
        followed: () => this.followed(),
        caughtUp: () => {
          this.state.caughtUp = true;
          this.checkpoint.caughtUp();
          this.retireOlder();
        },
        interrupted: () => {
          this.unwatch();
        },
        stopped: (error) => {
          this.unwatch();
          this.state.failure = error;
          this.state.caughtUp = false;
        },
      },
    );
  }

  /** Milliseconds since the oldest event that is being projected was recorded; 0 when none waits here. */
  get lagMs(): number {
    return this.workingSince === null ? 0 : Math.max(0, this.clock.now() - this.workingSince);
  }

  /** Begins; comes back by itself after any fault but an unknown event. */
  start(): void {
    this.leased.start();
  }

  async close(): Promise<void> {
    this.unwatch();
    await this.leased.close();
    await this.retiring;
  }

  private async claimed(): Promise<Reading> {
    const known = await this.checkpoint.take();
    this.missed.forget(); // rows that were put may be among what the read store lost
    if (known === null) this.state.caughtUp = false;
    if (known === null && this.retiring === 'once caught up') this.retiring = 'at the next start';
    if (!this.leased.isClosed) this.watchFromNow();
    return { prefixes: this.missed.prefixes, from: this.checkpoint.from, ...this.batch };
  }

  /**
   * Rows of earlier versions go at a start that finds those of this one: replicas of the release before read theirs
   * while the first ones of this release build new ones beside them.
   */
  private retireOlder(): void {
    if (this.retiring !== 'once caught up') return;
    this.retiring = retire(this.readStore, this.missed.retired).catch((error: unknown) => {
      this.log.warn(`rows of an earlier version stay: ${messageOf(error)}`);
    });
  }

  /** Another process projects: know how far it is. */
  private async followed(): Promise<void> {
    const position = await this.readStore.checkpoint(this.name);
    this.state.caughtUp = position !== null;
    this.state.position = position;
  }

  private watchFromNow(): void {
    this.unwatch();
    this.watched = {
      checkpoint: this.checkpoint,
      lost: (loss) => {
        this.lost(loss);
      },
    };
    this.watch.add(this.watched);
  }

  private unwatch(): void {
    if (this.watched) this.watch.remove(this.watched);
    this.watched = null;
  }

  private lost(loss: CheckpointConflict | RowsInDoubt): void {
    if (loss instanceof CheckpointConflict) {
      this.state.caughtUp = false;
      this.log.warn('the read store lost its checkpoint: the rows are built again from what it has');
    }
    this.leased.claimAgain();
  }

  private async project(events: RecordedEvent[]): Promise<void> {
    const last = events.at(-1);
    if (!last) return;
    const recordedAt = Date.parse(events[0]?.meta.recorded_at ?? '');
    // stays when it fails: the same events are given again
    this.workingSince ??= Number.isNaN(recordedAt) ? null : recordedAt;
    try {
      const rows = await this.missed.of(events, this.checkpoint.isBuilding);
      if (rows.length === 0 && !this.checkpoint.isDue) {
        this.workingSince = null;
        return;
      }
      await this.checkpoint.move(last.position, rows);
      this.state.position = last.position;
      this.workingSince = null;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error; // given again by the subscription
      // lists are as whole as before: the next claim begins at the stored checkpoint, behind which nothing is in doubt
      if (error instanceof RowsInDoubt) throw error;
      if (!(error instanceof CheckpointConflict)) throw new ProjectionStopped(this.name, error);
      // the read store lost data, or another projector moved on: the next claim begins at what the store has
      this.state.caughtUp = false;
      throw error;
    }
  }
}

/** A projection cannot go on: its fault is shown, nothing is skipped. */
export class ProjectionStopped extends Stop {
  constructor(name: string, cause: unknown) {
    super(`${name} stopped: ${messageOf(cause)}`, { cause });
    this.name = 'ProjectionStopped';
  }
}
