import type { Logger } from '@nestjs/common';
import {
  Stop,
  type Clock,
  type Demand,
  type EventStore,
  type EventSubscription,
  type Gather,
  type Leases,
  type RecordedEvent,
  type SubscribeOptions,
  messageOf,
} from '@aos/kernel';
import type { Verdict } from './verdict.js';

/** What is read, and after which place. */
export type Reading = Pick<SubscribeOptions, 'prefixes' | 'from' | 'batchMax'>;

const batchDefault = 512;

/** A consumer of the log that is alive once in the fleet. */
export interface LeasedConsumer {
  /** Lower case, such as `projector:agents@1`; the owner of the lease reads. */
  lease: string;
  /** Names the subscription in logs and metrics; absent: as the lease. */
  name?: string;
  /** Names this one among those that ask for the lease. */
  owner: string;
  /** How long the holder may be silent before another one takes over, in milliseconds. */
  leaseMs: number;
  /**
   * How often the holder renews its lease and asks whether it is sound, in milliseconds; absent: a third of the lease.
   */
  renewMs?: number;
  log: Logger;
  /**
   * Of the rows that it makes: held while it is behind the log, and when it closes. Absent: it makes none, and gets
   * events at once.
   */
  demand?: Demand;
  /** How long events of a fleet may gather; absent: not at all. */
  gather?: Gather;
  /** Called each time the lease was taken and before anything is read. */
  claimed(): Promise<Reading>;
  /** At least once, in log order; a call ends before the next begins. */
  handle(events: RecordedEvent[]): Promise<void>;
  verdict(error: unknown): Verdict;
  /** Whether what it stands on is still there; false: it begins anew with a claim. Absent: always. */
  isSound?(): Promise<boolean>;
  /** Called each time another owner was found to have the lease. */
  followed?(): Promise<void>;
  /** Everything there was has been read. */
  caughtUp?(): void;
  /** It does not read from now on and will claim again. */
  interrupted?(): void;
  /** It does not read any more; the fault is `failure`. */
  stopped?(error: unknown): void;
  /** Called at close when the last batch has ended and the lease is still held. */
  settle?(): Promise<void>;
}

export interface LeasedSubscriptionParts {
  store: Pick<EventStore, 'subscribe'>;
  leases: Leases;
  clock: Clock;
}

/**
 * Reads the log while it holds a lease, and comes back by itself.
 *
 * Promises: one subscription at a time, whatever fails while the lease is renewed; nothing is read before `claimed` has
 * ended; after a fault, a lost lease or what is not sound it claims again a third of a lease later; what the verdict
 * calls a stop ends reading and renewing for good.
 * Does not promise: that no other process reads. A lease is a hint: the consumer's own compare-and-set (a checkpoint, a
 * stream's revision) is what fences a late one.
 */
export class LeasedSubscription {
  private subscription: EventSubscription | null = null;
  private ending: Promise<void> = Promise.resolve();
  private timer: { cancel(): void } | null = null;
  private closed = false;
  private batchMax = batchDefault;
  /** Whether it has read everything there was since it claimed. */
  private hasCaughtUp = false;
  /** Ends the demand that it holds; null while it holds none. */
  private held: (() => void) | null = null;
  /** What stopped it for good; null until then. */
  failure: unknown = null;

  constructor(
    private readonly parts: LeasedSubscriptionParts,
    private readonly consumer: LeasedConsumer,
  ) {}

  /** Whether this one is who reads; stays true when it stopped for good. */
  get active(): boolean {
    return this.subscription !== null && !this.closed;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Begins, or waits for the lease. */
  start(): void {
    if (this.closed) return;
    this.take().catch((error: unknown) => {
      this.fail(error);
    });
  }

  /** What it stands on is gone: it begins anew with a claim. Nothing while it does not read. */
  claimAgain(): void {
    if (this.closed || this.failure !== null || this.subscription === null) return;
    this.beginAnew();
  }

  /**
   * Resolves when the batch that was being handled has ended and the lease is given up. Rejects with what `settle`
   * throws.
   */
  async close(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    const { subscription } = this;
    this.hurry();
    await (subscription?.close() ?? this.ending);
    this.relax();
    if (subscription) await this.consumer.settle?.();
    await this.release();
  }

  private async take(): Promise<void> {
    const { lease, owner, leaseMs } = this.consumer;
    if (!(await this.parts.leases.acquire(lease, owner, leaseMs))) {
      await this.consumer.followed?.();
      this.later();
      return;
    }
    if (this.closed) return this.release(); // `close` gave it up before it was there
    this.hasCaughtUp = false;
    this.hurry();
    const reading = await this.consumer.claimed();
    if (this.closed) return;
    this.read(reading);
    this.keepLease();
  }

  private read(reading: Reading): void {
    const { lease, name = lease, log, demand, gather } = this.consumer;
    this.batchMax = reading.batchMax ?? batchDefault;
    const subscription = this.parts.store.subscribe(
      {
        ...reading,
        name,
        ...(demand && { demand }),
        ...(gather && { gather }),
        onCaughtUp: () => {
          this.hasCaughtUp = true;
          this.relax();
          this.consumer.caughtUp?.();
        },
        onTrouble: (error) => {
          log.warn(messageOf(error));
        },
      },
      (events) => this.handle(events),
    );
    this.subscription = subscription;
    subscription.ended.catch((error: unknown) => {
      if (this.subscription === subscription) this.fail(error instanceof Ended ? error.cause : error);
    });
  }

  private async handle(events: RecordedEvent[]): Promise<void> {
    if (events.length >= this.batchMax) this.hurry();
    else if (this.hasCaughtUp) this.relax();
    try {
      await this.consumer.handle(events);
    } catch (error) {
      if (this.consumer.verdict(error) === 'repeat') throw error;
      throw new Ended(error);
    }
  }

  /** Nothing may wait for what it makes: more events are there than one batch holds, or it is about to end. */
  private hurry(): void {
    this.held ??= this.consumer.demand?.hold() ?? null;
  }

  private relax(): void {
    this.held?.();
    this.held = null;
  }

  private keepLease(): void {
    const { lease, owner, leaseMs, renewMs = leaseMs / 3, log } = this.consumer;
    this.timer = this.parts.clock.onBeat(renewMs, () => {
      const { subscription } = this; // what it asks about: another fault may have ended it by the time of the answer
      const isOver = () => this.closed || this.failure !== null || this.subscription !== subscription;
      this.parts.leases
        .renew(lease, owner, leaseMs)
        .then(async (isLeased) => {
          const isKept = isLeased && ((await this.consumer.isSound?.()) ?? true);
          if (isOver()) return;
          if (isKept) this.keepLease();
          else await this.restart();
        })
        .catch((error: unknown) => {
          log.warn(`lease: ${String(error)}`);
          if (!isOver()) this.keepLease();
        });
    });
  }

  private fail(error: unknown): void {
    if (this.closed) return;
    this.timer?.cancel();
    const { log } = this.consumer;
    this.relax();
    if (this.consumer.verdict(error) === 'stop') {
      this.failure = error;
      this.consumer.stopped?.(error);
      log.error(`stopped: ${error instanceof Error ? error.stack : String(error)}`);
      return;
    }
    log.warn(messageOf(error));
    this.beginAnew();
  }

  private beginAnew(): void {
    this.restart().catch((fault: unknown) => {
      this.consumer.log.error(String(fault));
    });
  }

  /** One subscription at a time: the next one waits until the last batch of this one has ended. */
  private async restart(): Promise<void> {
    const { subscription } = this;
    this.subscription = null;
    this.timer?.cancel();
    this.relax();
    this.consumer.interrupted?.();
    this.ending = subscription?.close() ?? Promise.resolve();
    await this.ending;
    this.later();
  }

  private later(): void {
    if (!this.closed)
      this.timer = this.parts.clock.after(this.consumer.leaseMs / 3, () => {
        this.start();
      });
  }

  private async release(): Promise<void> {
    const { lease, owner, log } = this.consumer;
    await this.parts.leases.release(lease, owner).catch((error: unknown) => {
      log.warn(String(error));
    });
  }
}

/** Ends a subscription whose consumer must not be given the same events again; the cause decides what comes next. */
class Ended extends Stop {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}
