import { Channel, type JsonObject } from '@aos/kernel';
import type { JobDelta } from './worker-jobs.js';

/** Signals about an organization's jobs to the processes that have connections of workers. All of them may be lost. */
export type WorkSignal =
  { type: 'offered' } | { type: 'cancelled'; job_id: string; reason: string; requested_at: string };

/** One report of a worker: which lease wrote it, and how far it is. */
export interface JobProgress {
  attempt: number;
  progress: JsonObject;
}

/** That there is something to do, or nothing more to do. */
export const workChannel = new Channel<WorkSignal>((orgId) => `workers:${orgId}`);
/** The pieces of a model's answer. */
export const deltaChannel = new Channel<JobDelta>((jobPart) => `job-deltas:${jobPart}`);
/** How far the worker is with an action. */
export const progressChannel = new Channel<JobProgress>((jobPart) => `job-progress:${jobPart}`);
/** Key of a model request, which is kept while a turn waits for the answer. */
export const requestKey = (jobPart: string): string => `job-request:${jobPart}`;
/** Key of the newest progress of a job. */
export const progressKey = (jobPart: string): string => `job-newest:${jobPart}`;
/** Connected workers, by process. */
export const presenceKey = (orgId: string): string => `workers-online:${orgId}`;

const known: ReadonlySet<string> = new Set(['offered', 'cancelled']);

/** Null for a signal that another version of this service sends. */
export function readSignal(signal: WorkSignal): WorkSignal | null {
  return known.has(signal.type) ? signal : null;
}
