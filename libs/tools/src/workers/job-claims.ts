import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, Ids, LiveBus, idPart, rfc3339, sha256Hex, type Identity, type JsonObject } from '@aos/kernel';
import { Decisions, Settings, actorOf } from '@aos/platform';
import { deltaChannel, progressChannel, workChannel, type JobProgress } from './channels.js';
import type { LeaseClaim } from './frames.decide.js';
import { jobDecider } from '../job.decider.js';
import { leaseStatusOf, type Holder, type LeaseTime, type Report } from './job/job.decide.js';
import { heartbeatSecondsOf } from './job/job.limits.js';
import { jobKind, type JobState } from './job/job.state.js';
import { JobOffers, type Offer } from './job-offers.js';
import { KeptProgress } from './kept-progress.js';
import { leaseToken } from './lease-token.js';

/** A job that was given to a worker. */
export interface Claimed {
  part: string;
  jobId: string;
  attempt: number;
  token: string;
  /** A turn's tool call: viewers of the session see its progress. */
  isViewed: boolean;
  /** As it is sent to the worker (contract, `WorkerSocketClaimedJob`). */
  wire: JsonObject;
}

export type CancelDirective = { job_id: string; reason: string; requested_at: string };

/** The steps of workers with jobs: each is one decision on the job's stream. */
@Injectable()
export class JobClaims {
  private readonly log = new Logger('workers');

  constructor(
    private readonly decisions: Decisions,
    private readonly jobs: JobOffers,
    private readonly bus: LiveBus,
    private readonly progress: KeptProgress,
    private readonly clock: Clock,
    private readonly ids: Ids,
    @Inject(Settings) private readonly settings: Settings,
  ) {}

  /** The lease settings for workers (contract, `WorkerSocketLeaseConfig`). */
  get lease(): { lease_duration_seconds: number; heartbeat_cadence_seconds: number } {
    const { workerLeaseSeconds: seconds } = this.settings;
    return { lease_duration_seconds: seconds, heartbeat_cadence_seconds: heartbeatSecondsOf(seconds) };
  }

  /** Jobs that are available to workers, oldest first; at most the first thousand. */
  offers(orgId: string): AsyncGenerator<Offer> {
    return this.jobs.all(orgId);
  }

  /** Gives the job to a worker; null when another worker was faster, or the job's turn is over. */
  async take({ part, turn }: Offer, who: Identity, instanceId: string): Promise<Claimed | null> {
    if (turn && !(await this.jobs.isWanted(who.orgId, part, turn))) return null;
    const token = leaseToken(this.ids.randomBytes(20), part);
    const spec = await this.jobs.specOf(part);
    if (!spec) return null;
    const { state, events } = await this.decisions.decide(jobDecider.leaseJob, part, actorOf(who), {
      ...holderOf(who, token),
      workerInstanceId: instanceId,
      ...this.time,
    });
    if (events.length === 0 || !state.opening) return null;
    return {
      part,
      jobId: state.opening.job_id,
      attempt: state.attempts,
      token,
      isViewed: isViewed(state),
      wire: { ...wireOf(state, spec, token), ...this.lease },
    };
  }

  /** A job that could not be sent to its worker is offered again. */
  async giveBack({ part, token }: Claimed, who: Identity): Promise<void> {
    const now = this.clock.now();
    await this.decisions.decide(jobDecider.giveBackJob, part, actorOf(who), { ...holderOf(who, token), now });
    workChannel.publish(this.bus, who.orgId, { type: 'offered' });
  }

  /** Gives null while the worker holds the job and is to go on; else why it is to stop. */
  async renew({ jobId, leaseToken }: LeaseClaim, who: Identity): Promise<CancelDirective | null> {
    const part = await this.ownPart(jobId, who);
    const lost: CancelDirective = { job_id: jobId, reason: 'lease_lost', requested_at: rfc3339(this.clock.now()) };
    if (part === null) return lost;
    const holder = holderOf(who, leaseToken);
    const { state: before } = await this.decisions.load(jobKind, part);
    const { session_id: sessionId, agent_turn_id: turnId } = before.opening ?? {};
    if (leaseStatusOf(holder, before) === 'held' && sessionId !== undefined && turnId !== undefined)
      await this.jobs.isWanted(who.orgId, part, { sessionId, turnId });
    const { state } = await this.decisions.decide(jobDecider.renewLease, part, actorOf(who), {
      ...holder,
      ...this.time,
    });
    const leaseStatus = leaseStatusOf(holder, state);
    if (leaseStatus === 'held' || (leaseStatus === 'over' && state.ended?.by === 'report')) return null;
    return leaseStatus === 'lost' || !state.ended
      ? lost
      : { job_id: jobId, reason: state.ended.reason, requested_at: state.ended.at };
  }

  /** Gives whether the report counted. */
  async report({ jobId, leaseToken }: LeaseClaim, report: Report, who: Identity): Promise<boolean> {
    const part = await this.ownPart(jobId, who);
    if (part === null) return false;
    const { events } = await this.decisions.decide(jobDecider.reportJob, part, actorOf(who), {
      ...holderOf(who, leaseToken),
      report,
      now: this.clock.now(),
    });
    if (events.length === 0) this.log.log(`${jobId}: a report came late`);
    return events.length > 0;
  }

  /** Gives what the worker holds of a job; null when it holds no lease. */
  async leaseOf(
    { jobId, leaseToken }: LeaseClaim,
    who: Identity,
  ): Promise<Pick<Claimed, 'attempt' | 'isViewed'> | null> {
    const part = await this.ownPart(jobId, who);
    if (part === null) return null;
    const { state } = await this.decisions.load(jobKind, part);
    return leaseStatusOf(holderOf(who, leaseToken), state) === 'held' && state.lease
      ? { attempt: state.lease.attempt, isViewed: isViewed(state) }
      : null;
  }

  /** Publishes a piece of a model's answer for the process that waits for it. */
  passOn(jobId: string, attempt: number, sequence: number, delta: JsonObject): void {
    deltaChannel.publish(this.bus, idPart(jobId), { attempt, sequence, delta });
  }

  /** Passes on how far a worker is with a call, to the process that waits for it now, or later. */
  passProgress(jobId: string, said: JobProgress): void {
    this.progress.keep(idPart(jobId), said);
    progressChannel.publish(this.bus, idPart(jobId), said);
  }

  private get time(): LeaseTime {
    return { now: this.clock.now(), leaseMs: this.settings.workerLeaseSeconds * 1000 };
  }

  /** A job of another organization is as one that is not there. */
  private async ownPart(jobId: string, who: Identity): Promise<string | null> {
    if (!/^job_[0-9a-z]{20,64}$/.test(jobId)) return null;
    const part = idPart(jobId);
    const { state } = await this.decisions.load(jobKind, part);
    if (!state.opening) this.decisions.forget(jobKind, part);
    return state.opening?.org_id === who.orgId ? part : null;
  }
}

function isViewed({ opening }: JobState): boolean {
  return opening?.tool_call_id !== undefined;
}

function holderOf({ principalId }: Identity, token: string): Holder {
  return { workerId: principalId, tokenHash: sha256Hex(token) };
}

function wireOf({ opening, attempts }: JobState, spec: JsonObject, token: string): JsonObject {
  if (!opening) throw new Error('a job without an opening was leased');
  const wire: JsonObject = {
    id: opening.job_id,
    kind: opening.kind,
    origin: opening.origin,
    executor_kind: 'customer_worker',
    queue: 'default',
    spec,
    lease_token: token,
    claim_attempt: attempts,
  };
  for (const member of ['action_name', 'provider', 'model', 'agent_turn_id', 'session_id', 'tool_call_id'] as const) {
    const value = opening[member];
    if (value !== undefined) wire[member] = value;
  }
  return wire;
}
