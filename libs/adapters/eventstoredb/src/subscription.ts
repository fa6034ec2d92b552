import type { EventSubscription, Position, RecordedEvent, SubscribeOptions } from '@aos/kernel';
import { Stop } from '@aos/kernel';
import type { PortionFeed } from './feed.js';
import { PositionReports } from './position-reports.js';
import { jittered } from './settings.js';

const firstPauseMs = 50;
const readBatchMax = 512;
/** A batch of so many that gathered shows a load. */
const busyEvents = 32;

/** What a subscription needs of the store. */
export interface FeedSource {
  /** Position of the last event; the empty text for an empty log. */
  end(): Promise<Position>;
  /** A feed of what lies behind a position; the empty text is the start. */
  open(from: Position): PortionFeed;
}

/**
 * One subscription for as long as its owner wants it: opens the feed again from the last handled position after any
 * trouble.
 */
export class SupervisedSubscription implements EventSubscription {
  readonly ended: Promise<void>;
  private closed = false;
  private feed: PortionFeed | undefined;
  private handled: Position;
  private pauseMs = firstPauseMs;
  private endPause: (() => void) | undefined;
  private readonly reports: PositionReports;
  private readonly batchMax: number;

  constructor(
    private readonly source: FeedSource,
    private readonly options: SubscribeOptions,
    private readonly handler: (events: RecordedEvent[]) => Promise<void>,
    private readonly pauseMaxMs: number,
    start: Promise<Position>,
  ) {
    this.batchMax = options.batchMax ?? readBatchMax;
    this.reports = new PositionReports(options.onPosition);
    this.handled = '';
    this.ended = this.run(start);
    this.ended.catch(() => undefined); // who looks at `ended` sees it; who does not must not be brought down by it
  }

  async close(): Promise<void> {
    this.closed = true;
    this.feed?.close();
    this.endPause?.();
    await this.ended.catch(() => undefined); // the handler's `Stop` was given through `ended`
  }

  private async run(start: Promise<Position>): Promise<void> {
    try {
      await this.anchor(start);
      while (!this.closed) {
        try {
          await this.follow();
        } catch (error) {
          if (error instanceof Stop) throw error;
          await this.recover(error);
        }
      }
    } finally {
      this.closed = true;
      this.reports.close();
    }
  }

  /** Where to begin; `end` is asked for until it is known, so that nothing after it is missed. */
  private async anchor(start: Promise<Position>): Promise<void> {
    for (let asking = start; !this.closed; asking = this.source.end()) {
      try {
        this.handled = await asking;
        return;
      } catch (error) {
        await this.recover(error);
      }
    }
  }

  private async follow(): Promise<void> {
    const feed = this.source.open(this.handled);
    this.feed = feed;
    try {
      while (!this.closed) {
        const { events, checkpoint, caughtUp } = await feed.next(this.batchMax);
        const cameAt = performance.now();
        if (events.length > 0 && !(await this.handle(events))) return;
        if (this.closed) return;
        this.pauseMs = firstPauseMs;
        if (checkpoint !== undefined) this.moveTo(checkpoint);
        if (caughtUp) this.options.onCaughtUp?.();
        if (events.length > 0 && events.length < this.batchMax) await this.gathered(cameAt, events.length);
      }
    } finally {
      this.feed = undefined;
      feed.close();
    }
  }

  /** Gives the batch until the handler takes it; false when the subscription was closed before it did. */
  private async handle(events: RecordedEvent[]): Promise<boolean> {
    while (!this.closed) {
      try {
        await this.handler(events);
        const last = events.at(-1);
        if (last) this.moveTo(last.position);
        return true;
      } catch (error) {
        if (error instanceof Stop) throw error;
        await this.recover(error);
      }
    }
    return false;
  }

  private moveTo(position: Position): void {
    if (position <= this.handled) return;
    this.handled = position;
    if (!this.closed) this.reports.note(position);
  }

  /** Resolves at the time of the next look, behind a batch of `count` events. */
  private async gathered(cameAt: number, count: number): Promise<void> {
    const { ms, busyMs = ms } = this.options.gather ?? { ms: 0 };
    const leftMs = cameAt + (count < busyEvents ? ms : busyMs) - performance.now();
    if (leftMs > 0 && !this.closed) await this.pause(leftMs);
  }

  /** Ends early when the subscription is closed. */
  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endPause = undefined;
  }

  private async recover(error: unknown): Promise<void> {
    if (this.closed) return;
    this.options.onTrouble?.(error);
    await this.pause(jittered(this.pauseMs));
    this.pauseMs = Math.min(this.pauseMaxMs, this.pauseMs * 2);
  }
}
