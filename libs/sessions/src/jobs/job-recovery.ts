import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock, EventStore, Leases, ReadStore, StoreUnavailable, rfc3339 } from '@aos/kernel';
import { Decisions, DueTimers, Projectors, dueCollection, serviceAct } from '@aos/platform';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { openCalls, takeOverJob } from '../turns/jobs.decide.js';
import { CallJobs, jobLease, type JobReference } from './call-jobs.js';
import { jobsHandler } from './jobs.projection.js';

const page = 500;
const pollEveryMs = 2000;

/**
 * Finds calls whose process died while they went on outside their turns. In one process that is every one that this process does not hold; in the
 * fleet one without a lease for a full lease time while the lease store answered. Past its deadline a call without a holder is taken over at once.
 */
@Injectable()
export class JobRecovery implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('recovery');
  /** Delivery id and attempt -> since when no lease was seen. */
  private sightings = new Map<string, number>();
  private timer: { cancel(): void } | null = null;
  private running: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly store: EventStore, private readonly readStore: ReadStore, private readonly decisions: Decisions, private readonly projectors: Projectors,
    private readonly timers: DueTimers, private readonly jobs: CallJobs, private readonly leases: Leases, private readonly clock: Clock, private readonly leaseMs: number,
  ) {}

  onModuleInit(): void {
    this.timers.register(jobsHandler, (details, now) => this.overdue(String(details.org_id), String(details.session_id), now));
  }

  onApplicationBootstrap(): void {
    this.schedule(50);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.running;
  }

  /** Looks at every session with such a call, once. */
  async poll(): Promise<void> {
    if (!this.projectors.caughtUp) return;
    const seen = new Map<string, number>();
    let after: { value: number | string | null; key: string } | null = null;
    do {
      const found = await this.readStore.query({
        collection: dueCollection, scope: ['*'], where: [{ index: 'handler', eq: jobsHandler }], orderBy: { index: 'at', direction: 'asc' }, limit: page, ...(after ? { after } : {}),
      });
      for (const { doc } of found.rows) await this.consider(String(doc.org_id), String(doc.session_id), seen);
      after = found.next;
    } while (after && !this.closed);
    this.sightings = seen;
  }

  private schedule(ms: number): void {
    if (this.closed) return;
    const dueAt = this.clock.monotonic() + ms;
    this.timer = this.clock.after(ms, () => {
      if (this.stoodStill(dueAt)) this.sightings.clear(); // the holders may have stood still as well
      this.running = this.poll().catch((error: unknown) => {
        if (error instanceof StoreUnavailable) this.log.warn(error.message);
        else this.log.error(error instanceof Error ? error.stack : String(error));
      }).then(() => { this.schedule(this.projectors.caughtUp ? pollEveryMs : 50); });
    });
  }

  private async consider(orgId: string, sessionId: string, seen: Map<string, number>): Promise<void> {
    for (const lost of await this.unheld(orgId, sessionId)) {
      const askedAt = this.clock.monotonic();
      if (!this.store.soleWriter) {
        const [holder] = await this.leases.holders([jobLease(lost.call.delivery_id)]);
        const now = this.clock.monotonic();
        if (holder || this.stoodStill(askedAt)) continue;
        const key = `${lost.call.delivery_id} ${lost.job.attempt}`;
        const since = this.sightings.get(key) ?? now;
        seen.set(key, since);
        if (now - since < this.leaseMs) continue;
      }
      await this.takeOver(lost);
    }
  }

  private async overdue(orgId: string, sessionId: string, now: number): Promise<void> {
    for (const lost of await this.unheld(orgId, sessionId)) {
      if (Date.parse(lost.job.deadline) > now) continue;
      const [holder] = await this.leases.holders([jobLease(lost.call.delivery_id)]);
      if (!holder) await this.takeOver(lost);
    }
  }

  /** Calls of the session that go on outside its turns, but not here. */
  private async unheld(orgId: string, sessionId: string): Promise<JobReference[]> {
    const { state } = await this.decisions.load(sessionKind, sessionId);
    return jobsOf(state, orgId, sessionId).filter(({ call }) => !this.jobs.holds(call.delivery_id));
  }

  private async takeOver({ call, job, ...place }: JobReference): Promise<void> {
    const act = serviceAct(place.orgId, 'svc.jobs', `${place.turnId}:${call.tool_call_id}`);
    await this.jobs.begin(place, [call], async () => {
      const decided = await this.decisions.run(sessionKind, place.sessionId, act, (session) =>
        takeOverJob({ turnId: place.turnId, toolCallId: call.tool_call_id, attempt: job.attempt, now: rfc3339(this.clock.now()) }, session));
      this.jobs.tell(place.orgId, place.sessionId, decided);
      return decided.events;
    });
  }

  /** So much later than expected that this process was suspended: what it did not see then says nothing. */
  private stoodStill(expectedAt: number): boolean {
    return this.clock.monotonic() - expectedAt > this.leaseMs / 2;
  }
}

function jobsOf(state: SessionState, orgId: string, sessionId: string): JobReference[] {
  return [...state.open.values()].flatMap((open) => openCalls(open).flatMap(({ call, job }) => (job ? [{ orgId, sessionId, turnId: open.turn.id, call, job }] : [])));
}
