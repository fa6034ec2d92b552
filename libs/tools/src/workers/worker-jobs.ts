import type { JsonObject, PrincipalKind } from '@aos/kernel';
import type { ReportProgress } from '@aos/sessions/published';
import type { JobOrigin } from './job/job.events.js';

/** Work for a worker of the organization. */
export interface WorkerJob {
  orgId: string;
  /** Names the job: the same delivery id is the same job, on every attempt and after every crash. */
  deliveryId: string;
  origin: JobOrigin;
  /** The principal that the job is done for. */
  actor: { principalId: string; kind: PrincipalKind };
  /** The work: an action by its name, or a call of a model that workers offer. */
  work:
    | { kind: 'action_execution'; actionName: string; parameters: JsonObject }
    | { kind: 'llm_generation'; provider: string; model: string; request: JsonObject };
  /** The turn it belongs to: once the turn is final, the job is given to no worker. */
  turn?: { sessionId: string; turnId: string; toolCallId?: string };
}

/** The outcome of a job, recorded once. `worker_unavailable` is the `errorType` of a job that no worker took. */
export type JobOutcome =
  | { status: 'completed'; result: JsonObject }
  | { status: 'failed'; errorType: string; message: string }
  | { status: 'cancelled'; reason: string };

/** One piece of a model's answer as its worker writes it; at most once, and only pieces that follow one another. */
export interface JobDelta {
  /** Which lease wrote it; a higher one starts anew. */
  attempt: number;
  sequence: number;
  delta: JsonObject;
}

/** Hears what a worker shows of a job before its outcome; all of it may be lost. */
export interface JobListeners {
  delta?: (delta: JobDelta) => void;
  progress?: ReportProgress;
}

/**
 * Work that connected workers carry out.
 *
 * Promises: a job is in the log before a worker is offered it; one worker holds it at a time, and when that one is
 * silent for the lease time it is offered again with the same job and delivery ids; its outcome is recorded once; a
 * restart loses no job.
 * Does not promise: that only one worker ever began it.
 */
export abstract class WorkerJobs {
  /**
   * Records the job if it is new, and waits for its outcome. It fails after a while when no worker takes it and no
   * online worker would.
   * Throws the signal's reason when that is aborted: the job of a turn that is over is cancelled then, any other goes
   * on and is met again by its delivery id.
   * Throws `StoreUnavailable` when the log cannot answer.
   */
  abstract run(job: WorkerJob, signal: AbortSignal, live?: JobListeners): Promise<JobOutcome>;
  /**
   * Whether a worker that would take the action is online; a worker that comes back is waited for a moment. A hint:
   * while the store is unavailable, the answer is true.
   */
  abstract takesAction(orgId: string, actionName: string): Promise<boolean>;
  /** Retires a job that has no outcome; its worker is told. Nothing happens to any other. */
  abstract cancel(orgId: string, deliveryId: string, reason: string): Promise<void>;
}
