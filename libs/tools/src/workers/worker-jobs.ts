import type { JsonObject, PrincipalKind } from '@aos/kernel';
import type { ReportProgress } from '@aos/sessions/published';
import type { JobOrigin } from './job/job.events.js';

/** Work for a worker of the organization. */
export interface WorkerJob {
  orgId: string;
  /** Names the job: the same delivery id is the same job, on every attempt and after every crash. */
  deliveryId: string;
  origin: JobOrigin;
  /** On whose behalf. */
  actor: { principalId: string; kind: PrincipalKind };
  /** What is to be done: an action by its name, or a call of a model that workers offer. */
  work:
    | { kind: 'action_execution'; actionName: string; parameters: JsonObject }
    | { kind: 'llm_generation'; provider: string; model: string; request: JsonObject };
  /** The turn it belongs to: once that is final, nobody is given the job any more. */
  turn?: { sessionId: string; turnId: string; toolCallId?: string };
}

/** What became of a job, recorded once. `worker_unavailable` is the `errorType` of a job that nobody took. */
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
 *           silent for the lease time it is
 * offered again with the same job and delivery ids; its outcome is recorded once; a restart loses no job.
 * Does not promise: that only one worker ever began it.
 */
export abstract class WorkerJobs {
  /**
   * Records the job if it is new, and waits for its outcome. When nobody takes it and no worker that is online would,
   * it fails after a while.
   * Throws the signal's reason when that is aborted: the job of a turn that is over is cancelled then, any other goes
   * on and is met again by its delivery id.
   * Throws `StoreUnavailable` when the log cannot answer.
   */
  abstract run(job: WorkerJob, signal: AbortSignal, live?: JobListeners): Promise<JobOutcome>;
  /**
   * Whether a worker that would take the action is online; a worker that comes back is waited for a moment. A hint:
   * while nobody can say, it is believed.
   */
  abstract takesAction(orgId: string, actionName: string): Promise<boolean>;
  /** Retires a job that has no outcome; its worker is told. Nothing happens to any other. */
  abstract cancel(orgId: string, deliveryId: string, reason: string): Promise<void>;
}
