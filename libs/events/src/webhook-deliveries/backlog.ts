import type { JsonObject, Position } from '@aos/kernel';
import {
  backoffMs,
  downMaxMs,
  givenUpMax,
  probeFirstMs,
  probeMaxMs,
  retryAfterMaxMs,
  triesMax,
  waitingMax,
} from '../webhook/webhook.limits.js';

/** An event that a hook has not delivered yet, by id and position: it is read again for each try. */
export type WaitingEvent = {
  id: string;
  position: Position;
  /** Failed tries that count. */
  tries: number;
  /** When it is due, in milliseconds since 1970. */
  next_at: number;
  /** Until then the endpoint asked to wait (`Retry-After`). Absent: it did not. */
  not_before?: number;
  last_status: number | null;
  last_error: string | null;
  /** How often the hook had succeeded when it last failed; null: it has not. */
  failed_after: number | null;
  /** It failed though others succeeded in between: the fault is its own, and says nothing of the hook. */
  own?: true;
};

export type GivenUpEvent = Pick<WaitingEvent, 'id' | 'position' | 'tries' | 'last_status' | 'last_error'>;

/** Nothing succeeds: the last try failed, and none has succeeded since. */
export type Down = { since: number; failures: number; next_at: number };

/** What is sent again; `at` is the last position that was taken, `id` is of a single event. */
export type Redelivery = {
  id: string | null;
  since: string | null;
  until: string | null;
  at: Position;
  /** The start of the hook that it was asked for under. Absent: a release before asked. */
  start?: number;
};

/** What a hook's stream keeps of its deliveries: everything that a process needs to go on (rule TE122). */
export type Deliveries = {
  /** The start that the position counts from (`WebhookStart`). */
  start: number;
  /** The last position of the feed that was taken. */
  position: Position;
  /** Counts what was delivered. */
  successes: number;
  waiting: WaitingEvent[];
  given_up: GivenUpEvent[];
  down: Down | null;
  redelivery: Redelivery | null;
};

/** How a failed try ended. */
export interface Failure {
  status: number | null;
  error: string | null;
  /** What the answer asked for; null: nothing. */
  retryAfterMs: number | null;
  /** From 0 to 1: spreads tries. */
  random: number;
}

/**
 * What one hook has to deliver, and when: the rules of tries, without a clock or a connection.
 *
 * While others succeed an event has its own schedule and tries. While nothing succeeds only the oldest event is tried,
 * no try counts, and the first success makes all that wait due. `Retry-After` holds through all of that.
 * Source   rule TE122.
 */
export class Backlog {
  private readonly waiting: Map<Position, WaitingEvent>;
  private readonly underWay = new Set<Position>();
  private givenUp: GivenUpEvent[];
  private successes: number;
  private downState: Down | null;

  constructor({ waiting, given_up, successes, down }: Deliveries) {
    this.waiting = new Map(waiting.map((event) => [event.position, { ...event }]));
    this.givenUp = [...given_up];
    this.successes = successes;
    this.downState = down && { ...down };
  }

  get size(): number {
    return this.waiting.size;
  }

  get inFlight(): number {
    return this.underWay.size;
  }

  get down(): Down | null {
    return this.downState;
  }

  /** Refuses nothing beyond the bound: the caller asks `size` first. An event that waits already stays as it is. */
  add(id: string, position: Position, now: number): void {
    if (this.waiting.has(position) || this.waiting.size >= waitingMax) return;
    const event = { id, position, tries: 0, next_at: now, last_status: null, last_error: null, failed_after: null };
    this.waiting.set(position, event);
    this.givenUp = this.givenUp.filter((one) => one.position !== position);
  }

  /** The next event to try now; null when none is due. */
  due(now: number): WaitingEvent | null {
    if (this.downState) return this.downState.next_at <= now && this.inFlight === 0 ? this.oldest(now) : null;
    let first: WaitingEvent | null = null;
    for (const event of this.waiting.values()) {
      if (event.next_at > now || this.underWay.has(event.position)) continue;
      if (first === null || event.position < first.position) first = event;
    }
    return first;
  }

  /** When something comes due that is not under way; null: nothing does. */
  get nextAt(): number | null {
    if (this.downState) return this.waiting.size === 0 || this.inFlight > 0 ? null : this.probeAt(this.downState);
    let first: number | null = null;
    for (const { position, next_at: at } of this.waiting.values())
      if (!this.underWay.has(position) && (first === null || at < first)) first = at;
    return first;
  }

  begin({ position }: WaitingEvent): void {
    this.underWay.add(position);
  }

  /** The try did not take position: the process stops, or a store is away. */
  postpone({ position }: WaitingEvent, until: number): void {
    this.underWay.delete(position);
    const event = this.waiting.get(position);
    if (event) event.next_at = until;
    if (this.downState) this.downState.next_at = Math.max(this.downState.next_at, until);
  }

  /** It left the feed, is out of reach, or is asked for no more. */
  drop({ position }: WaitingEvent): void {
    this.underWay.delete(position);
    this.waiting.delete(position);
    if (this.waiting.size === 0) this.downState = null; // nothing is left that would show it
  }

  succeed({ position }: WaitingEvent, now: number): void {
    this.underWay.delete(position);
    this.waiting.delete(position);
    this.successes += 1;
    if (!this.downState) return;
    this.downState = null;
    for (const event of this.waiting.values()) event.next_at = Math.max(now, event.not_before ?? 0);
  }

  fail({ position }: WaitingEvent, now: number, { status, error, retryAfterMs, random }: Failure): void {
    this.underWay.delete(position);
    const event = this.waiting.get(position);
    if (!event) return;
    const asked = Math.min(retryAfterMs ?? 0, retryAfterMaxMs);
    if (event.failed_after !== null && this.successes > event.failed_after) event.own = true;
    const wasDown = this.downState !== null;
    Object.assign(event, { last_status: status, last_error: error, failed_after: this.successes });
    if (asked > 0) event.not_before = now + asked;
    if (event.own) this.count(event, now, asked, random);
    else if (!this.downState) {
      this.downState = { since: now, failures: 1, next_at: now + Math.max(probeFirstMs, asked) };
      this.count(event, now, asked, random);
    }
    if (wasDown && this.downState && this.underWay.size === 0 && now >= this.downState.next_at) {
      const failures = this.downState.failures + 1;
      const wait = Math.min(probeMaxMs, probeFirstMs * 2 ** Math.min(failures - 1, 30));
      this.downState = { ...this.downState, failures, next_at: now + Math.max(wait, asked) };
    } else if (this.downState && asked > 0) this.downState.next_at = Math.max(this.downState.next_at, now + asked);
  }

  /** Another endpoint is asked from now on: all that waits is due, and what the one before asked for is over. */
  beginElsewhere(now: number): void {
    this.downState = null;
    for (const [at, event] of this.waiting) this.waiting.set(at, forgiven(event, now));
  }

  /** Whether the hook was down for so long that it is disabled (rule TE123). */
  isGivenUp(now: number): boolean {
    return this.downState !== null && now - this.downState.since >= downMaxMs;
  }

  /** A copy to be kept. */
  get kept(): Pick<Deliveries, 'waiting' | 'given_up' | 'successes' | 'down'> {
    const waiting = [...this.waiting.values()].sort((a, b) => (a.position < b.position ? -1 : 1));
    return {
      waiting: waiting.map((event) => ({ ...event })),
      given_up: [...this.givenUp],
      successes: this.successes,
      down: this.downState && { ...this.downState },
    };
  }

  private count(event: WaitingEvent, now: number, asked: number, random: number): void {
    event.tries += 1;
    event.next_at = now + Math.max(backoffMs(event.tries, random), asked);
    if (event.tries < triesMax) return;
    this.waiting.delete(event.position);
    const { id, position, tries, last_status, last_error } = event;
    this.givenUp = [{ id, position, tries, last_status, last_error }, ...this.givenUp].slice(0, givenUpMax);
  }

  /** When a hook that is down is tried again: not before the endpoint wants one of the events. */
  private probeAt(down: Down): number {
    let first = Infinity;
    for (const { not_before: at = 0 } of this.waiting.values()) first = Math.min(first, at);
    return Math.max(down.next_at, first);
  }

  /** Of those that the endpoint wants by now: of those whose fault is not their own, if there are such. */
  private oldest(now: number): WaitingEvent | null {
    let oldest: WaitingEvent | null = null;
    for (const event of this.waiting.values()) {
      if ((event.not_before ?? 0) > now) continue;
      const isBefore = oldest === null || event.position < oldest.position;
      if (oldest === null || (oldest.own === event.own ? isBefore : oldest.own)) oldest = event;
    }
    return oldest;
  }
}

/** Deliveries of a hook that has begun nowhere yet. */
export function noDeliveries(start: number, position: Position): Deliveries {
  return { start, position, successes: 0, waiting: [], given_up: [], down: null, redelivery: null };
}

/** An event as if it had not failed: due now. */
export function forgiven({ not_before: _asked, ...event }: WaitingEvent, now: number): WaitingEvent {
  return { ...event, next_at: now };
}

/** What was kept, as it was. */
export function keptDeliveries(data: JsonObject): Deliveries {
  return (data as { deliveries: Deliveries }).deliveries;
}
