import { Logger } from '@nestjs/common';
import {
  RevisionConflict, Stop, StoreUnavailable, type Clock, type EventStore, type EventSubscription, type Ids, type Leases, type Position, type RecordedEvent,
} from '@aos/kernel';
import { failpoint } from '../failpoints.js';
import { PositionKeeper } from './position-keeper.js';

export interface ReactorSpec {
  /** Lower case, no `-`; names its position for ever. */
  name: string;
  prefixes: readonly string[];
  leaseMs: number;
  /** Where a reactor without a position begins. */
  from: 'start' | 'end';
  batchMax?: number;
  /** Called with the position to go on from, each time this one has claimed the name and before anything is handled. */
  claimed?: (position: Position | null) => Promise<void>;
}

const checkpointEveryMs = 1000;

/**
 * The only consumer loop: one catch-up subscription, alive once in the fleet, with a durable position. At least once; what the handler does
 * must be idempotent. What the handler throws is given again, for ever, with the fault logged; a `Stop` ends it loudly.
 */
export class Reactor {
  private readonly log: Logger;
  private readonly owner: string;
  private subscription: EventSubscription | null = null;
  private retry: { cancel(): void } | null = null;
  private keeper: PositionKeeper | null = null;
  private movedAt = 0;
  private unsaved: string | null = null;
  private closed = false;
  caughtUp = false;
  active = false;
  failure: unknown = null;

  constructor(
    private readonly spec: ReactorSpec,
    private readonly store: EventStore,
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly handle: (events: RecordedEvent[]) => Promise<void>,
  ) {
    this.log = new Logger(`reactor ${spec.name}`);
    this.owner = `reactor_${ids.ulid()}`;
  }

  start(): void {
    if (this.closed) return;
    this.take().catch((error: unknown) => { this.again(error); });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.retry?.cancel();
    await this.subscription?.close();
    if (this.active) {
      try {
        await this.save();
      } catch (error) {
        if (!(error instanceof RevisionConflict) && !(error instanceof StoreUnavailable)) throw error;
        this.log.warn(`the last position was not saved: ${error.message}`);
      }
      await this.leases.release(this.leaseName, this.owner).catch((error: unknown) => { this.log.warn(String(error)); });
    }
  }

  private get leaseName(): string {
    return `reactor:${this.spec.name}`;
  }

  private async take(): Promise<void> {
    if (!(await this.leases.acquire(this.leaseName, this.owner, this.spec.leaseMs))) {
      this.active = false;
      this.retry = this.clock.after(this.spec.leaseMs / 3, () => { this.start(); });
      return;
    }
    this.keeper = new PositionKeeper(this.store, this.clock, this.ids, this.spec.name, this.owner);
    const position = await this.keeper.claim();
    failpoint(`after-claim ${this.spec.name}`);
    await this.spec.claimed?.(position);
    if (this.closed) return;
    this.active = true;
    this.subscription = this.store.subscribe({
      name: this.spec.name, prefixes: this.spec.prefixes, from: position ?? this.spec.from, batchMax: this.spec.batchMax ?? 256,
      onCaughtUp: () => { this.caughtUp = true; },
      onTrouble: (error) => { this.log.warn(error instanceof Error ? error.message : String(error)); },
    }, (events) => this.take1(events));
    const { subscription } = this;
    subscription.ended.catch((error: unknown) => { if (this.subscription === subscription) this.again(error); });
    this.keepLease();
  }

  private async take1(events: RecordedEvent[]): Promise<void> {
    failpoint(`before-handle ${this.spec.name}`);
    await this.handle(events);
    failpoint(`after-handle ${this.spec.name}`);
    this.unsaved = events.at(-1)?.position ?? this.unsaved;
    if (this.clock.monotonic() - this.movedAt < checkpointEveryMs) return;
    try {
      await this.save();
    } catch (error) {
      if (error instanceof RevisionConflict) throw new Superseded(this.spec.name);
      throw error;
    }
  }

  private async save(): Promise<void> {
    if (this.unsaved === null || !this.keeper) return;
    failpoint(`before-checkpoint ${this.spec.name}`);
    await this.keeper.move(this.unsaved);
    failpoint(`after-checkpoint ${this.spec.name}`);
    this.unsaved = null;
    this.movedAt = this.clock.monotonic();
  }

  private keepLease(): void {
    this.retry = this.clock.after(this.spec.leaseMs / 3, () => {
      const { subscription } = this; // another fault may have ended it by the time of the answer
      this.leases.renew(this.leaseName, this.owner, this.spec.leaseMs)
        .then(async (held) => {
          if (this.closed || this.subscription !== subscription) return;
          if (held) this.keepLease();
          else await this.restart();
        })
        .catch((error: unknown) => {
          this.log.warn(`lease: ${String(error)}`);
          if (!this.closed && this.subscription === subscription) this.keepLease();
        });
    });
  }

  private async restart(): Promise<void> {
    this.active = false;
    const { subscription } = this;
    this.subscription = null;
    this.retry?.cancel();
    await subscription?.close();
    if (!this.closed) this.retry = this.clock.after(this.spec.leaseMs / 3, () => { this.start(); });
  }

  private again(error: unknown): void {
    if (this.closed) return;
    this.retry?.cancel();
    if (error instanceof Stop && !(error instanceof Superseded)) {
      this.failure = error;
      this.log.error(`stopped: ${error.message}`);
      return;
    }
    this.log.warn(error instanceof Error ? error.message : String(error));
    this.restart().catch((fault: unknown) => { this.log.error(String(fault)); });
  }
}

/** Another one claimed the name: this one ends and waits for the lease. */
class Superseded extends Stop {
  constructor(name: string) {
    super(`${name} was taken over`);
  }
}
