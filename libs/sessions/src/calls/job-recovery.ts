import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock, Leases, rfc3339, collectionOf } from '@aos/kernel';
import { Decisions, DueTimers, Recoveries, serviceActor, type RecoveryLoop, type SilentOwners } from '@aos/platform';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { sessionDecider } from '../session.decider.js';
import { openCalls } from '../session/open-turns.state.js';
import { CallJobs, jobLease, type JobReference } from './call-jobs.js';
import { jobTimersProjection, jobsHandler } from '../session/jobs.projection.js';

/**
 * Finds jobs of turns that lost their owner. Embedded, these are all jobs that this process does not own; in the fleet,
 * jobs without a lease for a full lease time while the lease store answered. Past its deadline a job without an owner
 * is taken over at once.
 */
@Injectable()
export class JobRecovery implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly missing: SilentOwners;
  private readonly loop: RecoveryLoop;

  constructor(
    private readonly recoveries: Recoveries,
    private readonly decisions: Decisions,
    private readonly timers: DueTimers,
    private readonly jobs: CallJobs,
    private readonly leases: Leases,
    private readonly clock: Clock,
  ) {
    this.missing = recoveries.silentOwners();
    this.loop = recoveries.loop({
      poll: () => this.poll(),
      forget: () => {
        this.missing.forget();
      },
      leasesOf: ({ doc }) => (doc.delivery_ids as string[]).map(jobLease),
    });
  }

  onModuleInit(): void {
    this.timers.register(jobsHandler, (details, now) =>
      this.overdue(String(details.org_id), String(details.session_id), now),
    );
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.loop.close();
  }

  /** Looks at every session with such a call that no process seems to hold, once. */
  poll(): Promise<void> {
    const open = { collection: collectionOf(jobTimersProjection), scopes: [['*']] };
    return this.missing.during(() =>
      this.loop.each(open, ({ doc }) => this.consider(String(doc.org_id), String(doc.session_id))),
    );
  }

  private async consider(orgId: string, sessionId: string): Promise<void> {
    for (const lost of await this.unheld(orgId, sessionId)) {
      if (lost.job.deferred) continue;
      if (
        this.recoveries.soleWriter ||
        (await this.missing.isMissing(jobLease(lost.call.delivery_id), lost.job.attempt))
      )
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

  private async takeOver({ call, job, ...reference }: JobReference): Promise<void> {
    const actor = serviceActor(reference.orgId, 'svc.jobs', `${reference.turnId}:${call.tool_call_id}`);
    await this.jobs.begin(reference, [call], async () => {
      const decided = await this.decisions.decide(sessionDecider.takeOverJob, reference.sessionId, actor, {
        turnId: reference.turnId,
        toolCallId: call.tool_call_id,
        attempt: job.attempt,
        now: rfc3339(this.clock.now()),
      });
      this.jobs.tell(reference.orgId, reference.sessionId, decided);
      return decided.events;
    });
  }
}

function jobsOf(state: SessionState, orgId: string, sessionId: string): JobReference[] {
  return [...state.open.values()].flatMap((open) =>
    openCalls(open).flatMap(({ call, job }) => (job ? [{ orgId, sessionId, turnId: open.turn.id, call, job }] : [])),
  );
}
