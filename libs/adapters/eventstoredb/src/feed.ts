import type {
  AllStreamResolvedEvent,
  AllStreamSubscription,
  EventStoreDBClient,
  Position as LogPosition,
} from '@eventstore/db-client';
import { streamNameFilter } from '@eventstore/db-client';
import type { Position, RecordedEvent } from '@aos/kernel';
import { fromLeader } from './client.js';
import { positionText } from './position.js';
import { recordedEvent } from './recorded.js';

const bufferMax = 512;

/** What a feed gives at a time: events, or word of what lies behind those already given. */
export interface Portion {
  events: RecordedEvent[];
  /** Everything up to here was looked at. */
  checkpoint?: Position;
  caughtUp?: boolean;
}

/** A feed that is read by asking. */
export interface PortionFeed {
  /** The next events as soon as there are any, at most `max`. Rejects when the feed has broken or was closed. */
  next(max: number): Promise<Portion>;
  close(): void;
}

/**
 * One subscription of the client, read by asking: who does not ask is not sent more than a buffer full. It ends at the
 * first trouble.
 */
export class Feed implements PortionFeed {
  private readonly call: AllStreamSubscription;
  private readonly unconfirmed: NodeJS.Timeout;
  private given = 0;
  private trouble: Error | undefined;
  private checkpoint: { after: number; position: LogPosition } | undefined;
  private caughtUpAfter: number | undefined;
  private wakeUp: (() => void) | undefined;

  constructor(
    client: EventStoreDBClient,
    prefixes: readonly string[],
    from: LogPosition | 'start',
    batchMax: number,
    confirmMs: number,
  ) {
    const filter = streamNameFilter({
      prefixes: [...prefixes],
      checkpointReached: async (_, position) => {
        this.checkpoint = { after: this.arrived, position };
        this.wake();
      },
    });
    this.call = client.subscribeToAll(
      { fromPosition: from, filter, ...fromLeader },
      { highWaterMark: Math.min(batchMax, bufferMax) },
    );
    this.unconfirmed = setTimeout(() => this.fail(new Error('the subscription was not confirmed')), confirmMs);
    this.call.on('confirmation', () => clearTimeout(this.unconfirmed));
    this.call.on('caughtUp', () => {
      this.caughtUpAfter = this.arrived;
      this.wake();
    });
    this.call.on('error', (error) => this.fail(error));
    for (const event of ['end', 'close'] as const)
      this.call.on(event, () => this.fail(new Error('the event store ended the subscription')));
    this.call.on('readable', () => this.wake());
  }

  async next(max: number): Promise<Portion> {
    for (;;) {
      const portion = this.take(max);
      if (portion.events.length > 0 || portion.checkpoint !== undefined || portion.caughtUp) return portion;
      if (this.trouble) throw this.trouble;
      await new Promise<void>((resolve) => {
        this.wakeUp = resolve;
      });
    }
  }

  close(): void {
    this.fail(new Error('closed'));
    this.call.unsubscribe().catch(() => undefined); // it never began
  }

  private take(max: number): Portion {
    const events: RecordedEvent[] = [];
    while (events.length < max) {
      const event = this.call.read() as AllStreamResolvedEvent | null;
      if (!event) break;
      this.given += 1; // at once: the next read may itself bring word of what was looked at
      events.push(recordedEvent(event));
    }
    const portion: Portion = { events };
    if (this.checkpoint && this.checkpoint.after <= this.given) {
      portion.checkpoint = positionText(this.checkpoint.position);
      this.checkpoint = undefined;
    }
    if (this.caughtUpAfter !== undefined && this.caughtUpAfter <= this.given) {
      portion.caughtUp = true;
      this.caughtUpAfter = undefined;
    }
    return portion;
  }

  /** Events that came, given or not. */
  private get arrived(): number {
    return this.given + this.call.readableLength;
  }

  private fail(error: Error): void {
    this.trouble ??= error;
    clearTimeout(this.unconfirmed);
    this.wake();
  }

  private wake(): void {
    this.wakeUp?.();
  }
}
