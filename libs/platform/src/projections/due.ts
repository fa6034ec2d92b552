import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  Clock,
  ReadStore,
  StoreUnavailable,
  dueCollection,
  messageOf,
  type JsonObject,
  type QueryCursor,
} from '@aos/kernel';

const pollEveryMs = 500;
const batch = 100;

export type DueHandler = (details: JsonObject, now: number) => Promise<void>;

/**
 * Polls for timers that are due and hands them to their handlers, whose deciders check again: two pollers are harmless.
 *
 * Promises: each timer that is due is come to, a hundred of a handler in each poll; those that stay due, as they cannot
 *           be handled, hold up no other for longer than it takes to pass by them.
 */
@Injectable()
export class DueTimers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('timers');
  private readonly handlers = new Map<string, DueHandler>();
  /** Of a handler with more timers due than one poll takes: where the last one ended. */
  private readonly passed = new Map<string, QueryCursor>();
  private timer: { cancel(): void } | null = null;
  private running: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {}

  register(name: string, handler: DueHandler): void {
    this.handlers.set(name, handler);
  }

  onApplicationBootstrap(): void {
    this.schedule();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.running;
  }

  /** Handles everything that is due now, once. */
  async poll(): Promise<void> {
    const now = this.clock.now();
    if (this.handlers.size === 0 || !(await this.isAnyDue(now))) return;
    for (const [name, handle] of this.handlers) {
      const after = this.passed.get(name);
      const { rows, next } = await this.readStore.query({
        collection: dueCollection,
        scope: ['*'],
        where: [
          { index: 'handler', eq: name },
          { index: 'at', lte: now },
        ],
        orderBy: { index: 'at', direction: 'asc' },
        limit: batch,
        ...(after && { after }),
      });
      if (next) this.passed.set(name, next);
      else this.passed.delete(name);
      for (const row of rows) {
        try {
          await handle(row.doc, now);
        } catch (error) {
          this.log.warn(`${row.key}: ${messageOf(error)}`);
        }
      }
    }
  }

  /** One query for all handlers, because nearly always no timer is due. */
  private async isAnyDue(now: number): Promise<boolean> {
    const { rows } = await this.readStore.query({
      collection: dueCollection,
      scope: ['*'],
      where: [{ index: 'at', lte: now }],
      orderBy: { index: 'at', direction: 'asc' },
      limit: 1,
    });
    return rows.length > 0;
  }

  private schedule(): void {
    if (this.closed) return;
    this.timer = this.clock.onBeat(pollEveryMs, () => {
      this.running = this.poll()
        .catch((error: unknown) => {
          if (!(error instanceof StoreUnavailable))
            this.log.error(error instanceof Error ? error.stack : String(error));
        })
        .then(() => {
          this.schedule();
        });
    });
  }
}
