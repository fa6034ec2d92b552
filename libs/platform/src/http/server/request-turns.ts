import { FairQueue } from '@aos/kernel';
import { RefusalWithHeaders } from './envelope.js';

const retrySeconds = '1';
/** Organizations take turns for so long after requests of two have come. */
const sharedMs = 1_000;
/** Requests of one organization, and of all, that wait for their turn. */
export const waitingPerOrganizationMax = 1_000;
export const waitingMax = 10_000;

interface Waiting {
  orgId: string;
  begin: () => void;
}

/**
 * Has organizations take turns in beginning requests: while several send some, one request of each begins in a turn of
 * the loop. So one that sends many at once delays another by one of them, not by all. While only one sends requests,
 * all of them begin at once.
 *
 * What began is not counted any more: a request that waits for something outside holds up no other.
 */
export class RequestTurns {
  private readonly waiting: FairQueue<Waiting>;
  /** Organizations that have begun a request in this turn of the loop. */
  private readonly begun = new Set<string>();
  private isTurnWatched = false;
  private lastOrgId: string | null = null;
  private sharedUntilMs = 0;

  constructor(private readonly max = { perOrganization: waitingPerOrganizationMax, all: waitingMax }) {
    this.waiting = new FairQueue(max.perOrganization, max.all);
  }

  /**
   * Takes    whose request it is.
   * Gives    what to wait for; null: the request begins now.
   * Refuses  `rate_limit_exceeded` when too many of the organization wait, `service_unavailable` when too many of all.
   * Units    `nowMs` in milliseconds of monotonic time.
   * Source   rule L22.
   */
  enter(orgId: string, nowMs: number): Promise<void> | null {
    if (orgId !== this.lastOrgId) {
      if (this.lastOrgId !== null) this.sharedUntilMs = nowMs + sharedMs;
      this.lastOrgId = orgId;
    }
    if (nowMs >= this.sharedUntilMs && this.waiting.size === 0) return null;
    this.watchTurn();
    if (!this.begun.has(orgId) && this.waiting.countOf(orgId) === 0) {
      this.begun.add(orgId);
      return null;
    }
    if (!this.waiting.hasRoom(orgId)) throw this.full(orgId);
    return new Promise((begin) => {
      this.waiting.push(orgId, { orgId, begin });
    });
  }

  private watchTurn(): void {
    if (this.isTurnWatched) return;
    this.isTurnWatched = true;
    setImmediate(() => {
      this.isTurnWatched = false;
      this.nextTurn();
    });
  }

  private nextTurn(): void {
    this.begun.clear();
    const next = () => this.waiting.shift((orgId) => !this.begun.has(orgId));
    for (let waiting = next(); waiting; waiting = next()) {
      this.begun.add(waiting.orgId);
      waiting.begin();
    }
    if (this.begun.size > 0) this.watchTurn();
  }

  private full(orgId: string): RefusalWithHeaders {
    const headers = { 'retry-after': retrySeconds };
    if (this.waiting.countOf(orgId) < this.max.perOrganization)
      return new RefusalWithHeaders('service_unavailable', headers, {}, 'too many requests are waiting, try again');
    return new RefusalWithHeaders(
      'rate_limit_exceeded',
      headers,
      { scope: 'org', limit_waiting: this.max.perOrganization },
      'too many requests of this organization are waiting',
    );
  }
}
