import type { ServerResponse } from 'node:http';

/** A last request no older than this means that clients still send requests here. */
const recentMs = 10_000;
/**
 * Stands on each answer that is counted: a set that all of them go through would keep them long after their end (see
 * `ShortLivedMap`).
 */
const counted = Symbol('in flight');

type Counted = ServerResponse & { [counted]?: boolean };

/**
 * The answers that are being worked on; a shutdown waits for them. Streams leave the count when they open: they are
 * ended in their own way.
 */
export class InFlight {
  private open = 0;
  private waiting: (() => void)[] = [];
  private stopping = false;
  private lastBegan = Number.NEGATIVE_INFINITY;
  private total = 0;
  private milestone: { requests: number; reached: () => void } | null = null;
  /** One listener for every answer. */
  private readonly onClose: (this: ServerResponse) => void;

  constructor() {
    const ended = (response: ServerResponse) => {
      this.ended(response);
    };
    this.onClose = function closed() {
      ended(this);
    };
  }

  get count(): number {
    return this.open;
  }

  /** From now on answers ask their clients to leave. */
  stop(): void {
    this.stopping = true;
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  /** Calls the listener once, when so many requests have come in all; one listener. */
  afterRequests(requests: number, reached: () => void): void {
    this.milestone = { requests, reached };
  }

  began(response: ServerResponse): void {
    (response as Counted)[counted] = true;
    this.open += 1;
    this.total += 1;
    if (this.total === this.milestone?.requests) this.milestone.reached();
    this.lastBegan = performance.now();
    response.on('close', this.onClose);
  }

  /** Whether an answer is being worked on, and is not a stream that has opened. */
  includes(response: ServerResponse): boolean {
    return (response as Counted)[counted] === true;
  }

  ended(response: ServerResponse): void {
    if (!this.includes(response)) return;
    (response as Counted)[counted] = false;
    this.open -= 1;
    response.off('close', this.onClose);
    if (this.open > 0) return;
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }

  /**
   * Resolves when no request is being worked on. Never resolves when one began just now: its caller may send more.
   */
  quiet(): Promise<void> {
    return performance.now() - this.lastBegan < recentMs ? new Promise(() => undefined) : this.idle();
  }

  /** Resolves when nothing is being worked on. */
  idle(): Promise<void> {
    if (this.open === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
