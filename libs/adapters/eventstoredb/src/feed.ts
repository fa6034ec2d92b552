import type { Position, RecordedEvent } from '@aos/kernel';
import { redirectOf } from './client.js';
import type { LeaderConnection } from './leader-connection.js';
import type { LeaderConnections } from './leader-connections.js';
import type { MessageStream } from './message-stream.js';
import { positionText } from './position.js';
import { feedAnswer } from './read-messages.js';
import { readRecord } from './recorded.js';

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
 * One subscription to the log, read by asking: who does not ask is not sent more than a window. It ends at the first
 * trouble, and has its connection left then.
 */
export class Feed implements PortionFeed {
  private connection: LeaderConnection | undefined;
  private messages: MessageStream | undefined;
  private readonly unconfirmed: NodeJS.Timeout;
  private trouble: Error | undefined;
  private wakeUp: (() => void) | undefined;

  constructor(
    private readonly connections: LeaderConnections,
    request: Buffer,
    confirmMs: number,
  ) {
    this.unconfirmed = setTimeout(() => this.fail(new Error('the subscription was not confirmed')), confirmMs);
    this.begin(request).catch((error: unknown) => this.fail(errorOf(error)));
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
    this.end(new Error('closed'));
  }

  private async begin(request: Buffer): Promise<void> {
    const connection = this.connections.usable ?? (await this.connections.open());
    if (this.trouble) return;
    this.connection = connection;
    this.messages = connection.follow(request, { readable: () => this.wakeUp?.(), ended: (error) => this.fail(error) });
  }

  private take(max: number): Portion {
    const portion: Portion = { events: [] };
    try {
      while (portion.events.length < max) {
        const message = this.trouble ? null : this.messages?.next();
        if (!message) break;
        this.put(portion, message);
      }
    } catch (error) {
      this.fail(errorOf(error));
    }
    return portion;
  }

  private put(portion: Portion, message: Buffer): void {
    const answer = feedAnswer(message);
    if (answer === null) return;
    if (answer === 'confirmed') clearTimeout(this.unconfirmed);
    else if (answer === 'caught_up') portion.caughtUp = true;
    else if ('stream' in answer) {
      portion.events.push(readRecord(answer));
      delete portion.checkpoint; // it lies before this event
    } else portion.checkpoint = positionText(answer);
  }

  /** The connection, which others use, is left for a new one. */
  private fail(error: Error): void {
    if (this.trouble) return;
    if (this.connection) this.connections.replace(this.connection, redirectOf(error));
    this.end(error);
  }

  private end(trouble: Error): void {
    this.trouble ??= trouble;
    clearTimeout(this.unconfirmed);
    this.messages?.close();
    this.wakeUp?.();
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
