import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  Clock,
  Ids,
  LiveBus,
  ReadStore,
  base32,
  idPart,
  rfc3339,
  sha256Hex,
  type Identity,
  type Json,
  type JsonObject,
  type QueryCursor,
  collectionOf,
} from '@aos/kernel';
import { Decisions, Settings, actorOf } from '@aos/platform';
import { sessionKind } from '@aos/sessions/published';
import type { Wanted } from './capability.decide.js';
import { deltaChannel, progressChannel, workChannel, type JobProgress } from './channels.js';
import type { LeaseClaim } from './frames.decide.js';
import {
  giveBackJob,
  leaseJob,
  renewLease,
  reportJob,
  leaseStatusOf,
  type Holder,
  type LeaseTime,
  type Report,
} from './job/job.decide.js';
import type { JobEvent } from './job/job.events.js';
import { heartbeatSecondsOf } from './job/job.limits.js';
import { openJobsProjection } from './job/job.projection.js';
import { jobKind, type JobState } from './job/job.state.js';
import { ModelRequests } from './model-requests.js';
import { WorkerJobs } from './worker-jobs.js';

/** A job that waits for a worker, as its row says. */
export interface Offer {
  part: string;
  wanted: Wanted;
  turn: { sessionId: string; turnId: string } | null;
}

/** A job that was given to a worker. */
export interface Claimed {
  part: string;
  jobId: string;
  attempt: number;
  token: string;
  /** A turn's tool call: viewers of the session see its progress. */
  isViewed: boolean;
  /** As the worker is told (contract, `WorkerSocketClaimedJob`). */
  wire: JsonObject;
}

export type CancelDirective = { job_id: string; reason: string; requested_at: string };

const pageRows = 100;
const pagesMax = 10;
const tokenCharacters = 32;

/** The steps of workers with jobs: each is one decision on the job's stream. */
@Injectable()
export class JobClaims {
  private readonly log = new Logger('workers');

  constructor(
    private readonly decisions: Decisions,
    private readonly readStore: ReadStore,
    private readonly bus: LiveBus,
    private readonly requests: ModelRequests,
    private readonly jobs: WorkerJobs,
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
  async *offers(orgId: string): AsyncGenerator<Offer> {
    let after: QueryCursor | undefined;
    for (let page = 0; page < pagesMax; page += 1) {
      const found = await this.readStore.query({
        collection: collectionOf(openJobsProjection),
        scope: [orgId],
        where: [{ index: 'available', lte: this.clock.now() }],
        orderBy: { index: 'created', direction: 'asc' },
        limit: pageRows,
        ...(after ? { after } : {}),
      });
      for (const { key, doc } of found.rows) yield offerOf(key, doc);
      if (!found.next) return;
      after = found.next;
    }
  }

  /** Gives the job to a worker; null when another worker was faster, or the job's turn is over. */
  async take({ part, turn }: Offer, who: Identity, instanceId: string): Promise<Claimed | null> {
    if (turn && !(await this.isWanted(who.orgId, part, turn))) return null;
    const token = `lease_${base32(this.ids.randomBytes(20), tokenCharacters)}`;
    const spec = await this.specOf(part);
    if (!spec) return null;
    const holder = holderOf(who, token);
    const { state, events } = await this.decisions.run(jobKind, part, actorOf(who), (job) =>
      leaseJob({ ...holder, workerInstanceId: instanceId, ...this.time }, job),
    );
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

  /** The worker could not be told. */
  async giveBack({ part, token }: Claimed, who: Identity): Promise<void> {
    await this.decisions.run(jobKind, part, actorOf(who), (job) =>
      giveBackJob(holderOf(who, token), this.clock.now(), job),
    );
    this.bus.publish(workChannel(who.orgId), { type: 'offered' });
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
      await this.isWanted(who.orgId, part, { sessionId, turnId });
    const { state } = await this.decisions.run(jobKind, part, actorOf(who), (job) =>
      renewLease(holder, this.time, job),
    );
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
    const { events } = await this.decisions.run(jobKind, part, actorOf(who), (job) =>
      reportJob(holderOf(who, leaseToken), report, this.clock.now(), job),
    );
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
    this.bus.publish(deltaChannel(idPart(jobId)), { attempt, sequence, delta } satisfies Json);
  }

  /** Passes on how far a worker is with a call. */
  passProgress(jobId: string, said: JobProgress): void {
    this.bus.publish(progressChannel(idPart(jobId)), said as unknown as Json);
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

  /** False when the turn of the job is over: the job is retired (rule T19). */
  private async isWanted(
    orgId: string,
    part: string,
    { sessionId, turnId }: { sessionId: string; turnId: string },
  ): Promise<boolean> {
    const { state } = await this.decisions.load(sessionKind, sessionId);
    if (state.open.has(turnId)) return true;
    await this.jobs.cancel(orgId, `dlv_${part}`, 'turn_over');
    return false;
  }

  /** Null while the request to the model is unknown: the process that waits for the answer is about to put it back. */
  private async specOf(part: string): Promise<JsonObject | null> {
    const [first] = await this.decisions.read<JobEvent>(jobKind, part, { from: 0, limit: 1 });
    if (first?.type !== 'JobRequested') return null;
    const { kind, parameters, delivery_id: deliveryId } = first.data;
    if (kind === 'action_execution') return { parameters: parameters ?? {}, delivery_id: deliveryId };
    const request = await this.requests.find(part);
    return request ? { ...request, delivery_id: deliveryId } : null;
  }
}

function isViewed({ opening }: JobState): boolean {
  return opening?.tool_call_id !== undefined;
}

function holderOf({ principalId }: Identity, token: string): Holder {
  return { workerId: principalId, tokenHash: sha256Hex(token) };
}

function offerOf(part: string, doc: JsonObject): Offer {
  const { session_id: sessionId, agent_turn_id: turnId } = doc;
  return {
    part,
    turn: typeof sessionId === 'string' && typeof turnId === 'string' ? { sessionId, turnId } : null,
    wanted:
      doc.kind === 'llm_generation'
        ? { kind: 'llm_generation', provider: String(doc.provider), model: String(doc.model) }
        : { kind: 'action_execution', actionName: String(doc.action_name) },
  };
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
