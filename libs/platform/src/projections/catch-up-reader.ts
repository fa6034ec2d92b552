import {
  Stop,
  type Clock,
  type EventStore,
  type EventSubscription,
  type Position,
  type RecordedEvent,
  type SubscribeOptions,
} from '@aos/kernel';
import { passBatchMax, type CatchUpMember, type CatchUpPass, type PassBatch } from './catch-up-pass.js';
import { logStart } from './checkpoint.js';

const fewEvents = 512;
const pauseFirstMs = 50;
const pauseMaxMs = 5_000;

export interface CatchUpReaderParts {
  store: Pick<EventStore, 'subscribe'>;
  clock: Clock;
  join(member: CatchUpMember): CatchUpPass;
}

/** A subscription that reads the log with others until it has caught up, then for itself. */
export class CatchUpReader implements EventSubscription, CatchUpMember {
  readonly ended: Promise<void>;
  readonly prefixes: readonly string[];
  private resolve: () => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;
  /** Null before it joins again what it left with a fault, and once it reads for itself. */
  private pass: CatchUpPass | null;
  private own: EventSubscription | null = null;
  private pause: { cancel(): void } | null = null;
  private work: Promise<void> = Promise.resolve();
  private failures = 0;
  private closed = false;
  /** The handler threw a `Stop`. */
  private hasStopped = false;

  constructor(
    private readonly parts: CatchUpReaderParts,
    private readonly options: SubscribeOptions,
    private readonly handler: (events: RecordedEvent[]) => Promise<void>,
    private at: Position,
  ) {
    this.ended = new Promise((resolve, reject) => {
      [this.resolve, this.reject] = [resolve, reject];
    });
    this.ended.catch(() => undefined); // reported through onTrouble, and to callers that await `ended`
    this.prefixes = options.prefixes;
    this.pass = parts.join(this);
  }

  get position(): Position {
    return this.at;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.pause?.cancel();
    this.leave();
    await this.work;
    await this.own?.close();
    this.resolve();
  }

  give(batch: PassBatch): Promise<void> {
    const { pass } = this;
    this.work = this.work.then(() => (this.pass === pass ? this.take(batch) : undefined));
    return this.work;
  }

  caughtUp(): void {
    this.pass = null;
    const from = this.at === logStart ? 'start' : this.at;
    try {
      this.own = this.parts.store.subscribe({ ...this.options, from }, this.handler);
    } catch (error) {
      this.failed(error);
      return;
    }
    this.own.ended.then(this.resolve, this.reject);
  }

  fellBehind(): void {
    this.pass = null;
    void this.work.then(() => {
      this.rejoin();
    });
  }

  trouble(error: unknown): void {
    this.options.onTrouble?.(error);
  }

  private async take(batch: PassBatch): Promise<void> {
    const { prefixes, batchMax = passBatchMax } = this.options;
    const all = batch.of(prefixes);
    if (all.length > fewEvents) await new Promise(setImmediate); // the process serves requests meanwhile
    const mine = batch.first > this.at ? all : all.filter(({ position }) => position > this.at);
    try {
      for (let from = 0; from < mine.length && !this.closed; from += batchMax) {
        const some = mine.length <= batchMax ? mine : mine.slice(from, from + batchMax);
        await this.handler(some);
        this.at = some.at(-1)?.position ?? this.at;
      }
      if (!this.closed && batch.last > this.at) this.at = batch.last;
      this.failures = 0;
    } catch (error) {
      this.failed(error);
    }
  }

  /** The events are given again a little later: together with the others, if those are not too far by then. */
  failed(error: unknown): void {
    this.trouble(error);
    this.leave();
    this.hasStopped ||= error instanceof Stop;
    if (this.hasStopped) this.reject(error);
    if (this.hasStopped || this.closed) return;
    const pauseMs = Math.min(pauseMaxMs, pauseFirstMs * 2 ** this.failures);
    this.failures += 1;
    this.pause = this.parts.clock.after(pauseMs, () => {
      this.pause = null;
      this.rejoin();
    });
  }

  private rejoin(): void {
    if (!this.closed && !this.hasStopped && !this.pause) this.pass ??= this.parts.join(this);
  }

  private leave(): void {
    this.pass?.remove(this);
    this.pass = null;
  }
}
