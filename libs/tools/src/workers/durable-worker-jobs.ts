import { Injectable } from '@nestjs/common';
import {
  Clock,
  LiveBus,
  ReadStore,
  StoreUnavailable,
  idPart,
  resolvesWithin,
  rfc3339,
  uuidFrom,
  type BusSubscription,
  collectionOf,
} from '@aos/kernel';
import { Decisions, serviceActor, type Actor } from '@aos/platform';
import { isOutOfTime, sessionKind } from '@aos/sessions/published';
import type { Wanted } from './capability.decide.js';
import { deltaChannel, workChannel, type WorkSignal } from './channels.js';
import { jobDecider } from '../job.decider.js';
import { isAvailable } from './job/job.decide.js';
import type { JobEvent, JobOpening } from './job/job.events.js';
import { openJobsMax, unclaimedMs } from './job/job.limits.js';
import { openJobsProjection } from './job/job.projection.js';
import { jobKind } from './job/job.state.js';
import { HeardProgress } from './heard-progress.js';
import { KeptProgress } from './kept-progress.js';
import { ModelRequests } from './model-requests.js';
import { Wake } from './wake.js';
import { WorkerPresence } from './worker-presence.js';
import { WorkerJobs, type JobDelta, type JobListeners, type JobOutcome, type WorkerJob } from './worker-jobs.js';

/** Word of a change may be lost; then it is seen this much later. */
const lookEveryMs = 2_000;
const putBackMs = 30_000;
/** How long a wait for a healthy bus holds a job up: without it pieces come late, nothing else. */
const listenMs = 500;
/** A worker may have come, or lost its connection, a moment ago. */
const backWithinMs = 1_000;

interface Wait {
  wake: Wake;
  signal: AbortSignal;
  /** Puts on the bus once more what the next process needs that waits for the job. */
  putBack(): Promise<void>;
}

/** Jobs as streams `job-<id>`, offered through the read store, with the live bus as the change notifier. */
@Injectable()
export class DurableWorkerJobs extends WorkerJobs {
  constructor(
    private readonly decisions: Decisions,
    private readonly readStore: ReadStore,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    private readonly presence: WorkerPresence,
    private readonly requests: ModelRequests,
    private readonly progress: KeptProgress,
  ) {
    super();
  }

  override async run(job: WorkerJob, signal: AbortSignal, live: JobListeners = {}): Promise<JobOutcome> {
    const part = idPart(job.deliveryId);
    const wake = new Wake(this.clock);
    const subscriptions = [
      this.bus.subscribe(`ring:job-${part}`, () => {
        wake.wake();
      }),
    ];
    if (live.delta) subscriptions.push(this.listen(part, live.delta));
    const heard = live.progress ? new HeardProgress(part, this.bus, this.progress, live.progress) : null;
    if (heard) subscriptions.push(heard.subscription);
    const request = job.work.kind === 'llm_generation' ? job.work.request : null;
    let isOver = false;
    try {
      await resolvesWithin(this.clock, listenMs, Promise.all(subscriptions.map(({ ready }) => ready)));
      if (request) await this.requests.keep(part, request);
      const recorded = await this.record(job, part);
      if (recorded === 'known') await heard?.catchUp();
      const putBack = async () => {
        if (request) await this.requests.keep(part, request);
        heard?.prolong();
      };
      const outcome =
        typeof recorded === 'object' ? recorded : await this.outcome(job, part, { wake, signal, putBack });
      isOver = true;
      return outcome;
    } catch (error) {
      if (signal.aborted) await this.abandoned(job, part, signal.reason);
      throw error;
    } finally {
      for (const subscription of subscriptions) subscription.close();
      if (request) await this.requests.drop(part, request, isOver);
      if (isOver) heard?.drop();
      if (isOver) this.decisions.forget(jobKind, part); // this state is not read again, and sessions need the room
    }
  }

  override async takesAction(orgId: string, actionName: string): Promise<boolean> {
    const wanted: Wanted = { kind: 'action_execution', actionName };
    try {
      if (await this.presence.offers(orgId, wanted)) return true;
      await this.clock.sleep(backWithinMs);
      return await this.presence.offers(orgId, wanted);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      return true;
    }
  }

  override async cancel(orgId: string, deliveryId: string, reason: string): Promise<void> {
    const part = idPart(deliveryId);
    const now = this.clock.now();
    const actor = serviceActor(orgId, deliveryId, deliveryId);
    const { state, events } = await this.decisions.decide(jobDecider.cancelJob, part, actor, { orgId, reason, now });
    if (events.length === 0 || !state.opening || !state.lease) return;
    const signal: WorkSignal = { type: 'cancelled', job_id: state.opening.job_id, reason, requested_at: rfc3339(now) };
    workChannel.publish(this.bus, orgId, signal);
  }

  /** Gives the failure of a job for which there is no room; else whether it was recorded before. */
  private async record(job: WorkerJob, part: string): Promise<JobOutcome | 'new' | 'known'> {
    const { orgId } = job;
    const { state } = await this.decisions.load(jobKind, part);
    if (!state.opening) {
      const open = await this.readStore.count(
        { collection: collectionOf(openJobsProjection), scope: [orgId] },
        openJobsMax,
      );
      if (open >= openJobsMax && !(await this.retireUnwanted(orgId)))
        return {
          status: 'failed',
          errorType: 'worker_queue_full',
          message: `${openJobsMax} jobs wait for workers already`,
        };
    }
    const opening = openingOf(job, part, rfc3339(this.clock.now()));
    const parameters = job.work.kind === 'action_execution' ? job.work.parameters : null;
    const { state: recorded, events } = await this.decisions.decide(
      jobDecider.requestJob,
      part,
      actorOf(job),
      { opening, parameters },
      { eventId: () => uuidFrom(job.deliveryId, 'requested') },
    );
    if (recorded.opening?.org_id !== orgId) throw new Error(`${job.deliveryId} belongs to another organization`);
    if (!recorded.ended) workChannel.publish(this.bus, orgId, { type: 'offered' });
    return events.length > 0 ? 'new' : 'known';
  }

  /**
   * Retires jobs of turns that are over, left behind by a process that died before it could retire them. Gives whether
   * there were any.
   */
  private async retireUnwanted(orgId: string): Promise<boolean> {
    const { rows } = await this.readStore.query({
      collection: collectionOf(openJobsProjection),
      scope: [orgId],
      orderBy: { index: 'created', direction: 'asc' },
      limit: openJobsMax,
    });
    let retired = 0;
    for (const { key, doc } of rows) {
      const { session_id: sessionId, agent_turn_id: turnId } = doc;
      if (typeof sessionId !== 'string' || typeof turnId !== 'string') continue;
      const { state } = await this.decisions.load(sessionKind, sessionId);
      if (state.open.has(turnId)) continue;
      await this.cancel(orgId, `dlv_${key}`, 'turn_over');
      retired += 1;
    }
    return retired > 0;
  }

  /**
   * Bounded by the caller's signal; every look is cheap, and there are few: one for each notification, or one in two
   * seconds.
   */
  private async outcome(job: WorkerJob, part: string, { wake, signal, putBack }: Wait): Promise<JobOutcome> {
    const wanted = wantedOf(job);
    let [freeSince, putBackAt] = [this.clock.monotonic(), this.clock.monotonic()];
    for (;;) {
      signal.throwIfAborted();
      const { state } = await this.decisions.load(jobKind, part);
      if (state.ended) return this.read(part);
      const now = this.clock.monotonic();
      if (!isAvailable(state, this.clock.now())) freeSince = now;
      else if (now - freeSince >= unclaimedMs) {
        if (await this.presence.offers(job.orgId, wanted)) freeSince = now;
        else await this.giveUp(job, part);
        continue;
      }
      if (now - putBackAt >= putBackMs) {
        putBackAt = now;
        await putBack();
      }
      await wake.within(lookEveryMs, signal);
    }
  }

  private async giveUp(job: WorkerJob, part: string): Promise<void> {
    const now = this.clock.now();
    const what = job.work.kind === 'action_execution' ? job.work.actionName : `${job.work.provider}/${job.work.model}`;
    await this.decisions.decide(jobDecider.giveUpJob, part, actorOf(job), {
      errorType: 'worker_unavailable',
      message: `no worker that is online takes ${what}`,
      now,
    });
  }

  /** The event that ended it, large values put back. */
  private async read(part: string): Promise<JobOutcome> {
    const [last] = await this.decisions.read<JobEvent>(jobKind, part, { backwards: true, limit: 1 });
    switch (last?.type) {
      case 'JobReported': {
        const { status, result, error_type: errorType, error_message: message } = last.data;
        if (status === 'completed') return { status, result: result ?? {} };
        return status === 'cancelled'
          ? { status, reason: message ?? 'worker' }
          : { status, errorType: errorType ?? 'worker_error', message: message ?? 'the worker failed' };
      }
      case 'JobCancelled':
        return { status: 'cancelled', reason: last.data.reason };
      case 'JobGivenUp':
        return { status: 'failed', errorType: last.data.error_type, message: last.data.error_message };
      default:
        throw new Error(`job-${part} is over without an end`);
    }
  }

  /**
   * Ends the wait of this process. The job is retired when its turn is over or out of time; else it goes on, and a
   * later call finds it again.
   */
  private async abandoned(job: WorkerJob, part: string, reason: unknown): Promise<void> {
    if (!job.turn) return;
    const { state } = await this.decisions.load(sessionKind, job.turn.sessionId);
    const isOver = !state.open.has(job.turn.turnId);
    if (isOver || isOutOfTime(reason)) await this.cancel(job.orgId, `dlv_${part}`, isOver ? 'turn_over' : 'timeout');
  }

  /** Passes on what follows without a gap; after a gap nothing until the job is given to another worker. */
  private listen(part: string, onDelta: (delta: JobDelta) => void): BusSubscription {
    let [attempt, next, isWhole] = [0, 0, false];
    return deltaChannel.subscribe(this.bus, part, (piece) => {
      if (piece.attempt < attempt) return;
      if (piece.attempt > attempt) [attempt, next, isWhole] = [piece.attempt, piece.sequence, piece.sequence <= 1];
      if (!isWhole || piece.sequence < next) return;
      isWhole = piece.sequence === next;
      if (!isWhole) return;
      next += 1;
      onDelta(piece);
    });
  }
}

function wantedOf({ work }: WorkerJob): Wanted {
  return work.kind === 'action_execution'
    ? { kind: work.kind, actionName: work.actionName }
    : { kind: work.kind, provider: work.provider, model: work.model };
}

function actorOf({ orgId, actor, turn, deliveryId }: WorkerJob): Actor {
  return serviceActor(orgId, actor.principalId, turn?.turnId ?? deliveryId, actor.kind);
}

function openingOf(
  { orgId, deliveryId, origin, actor, work, turn }: WorkerJob,
  part: string,
  requestedAt: string,
): JobOpening {
  const named: Partial<JobOpening> =
    work.kind === 'action_execution'
      ? { action_name: work.actionName }
      : { provider: work.provider, model: work.model };
  const placed: Partial<JobOpening> = turn
    ? {
        session_id: turn.sessionId,
        agent_turn_id: turn.turnId,
        ...(turn.toolCallId === undefined ? {} : { tool_call_id: turn.toolCallId }),
      }
    : {};
  return {
    job_id: `job_${part}`,
    org_id: orgId,
    kind: work.kind,
    origin,
    delivery_id: deliveryId,
    actor: { principal_id: actor.principalId, kind: actor.kind },
    requested_at: requestedAt,
    ...named,
    ...placed,
  };
}
