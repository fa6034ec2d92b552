import type { Json, JsonObject } from '@aos/kernel';

/** Signals about an organization's jobs to the processes that have connections of workers. All of them may be lost. */
export type WorkSignal =
  { type: 'offered' } | { type: 'cancelled'; job_id: string; reason: string; requested_at: string };

/** One report of a worker: which lease wrote it, and how far it is. */
export interface JobProgress {
  attempt: number;
  progress: JsonObject;
}

/** That there is something to do, or nothing more to do. */
export const workChannel = (orgId: string): string => `workers:${orgId}`;
/** The pieces of a model's answer. */
export const deltaChannel = (jobPart: string): string => `job-deltas:${jobPart}`;
/** How far the worker is with an action. */
export const progressChannel = (jobPart: string): string => `job-progress:${jobPart}`;
/** Key of a model request, which is kept while a turn waits for the answer. */
export const requestKey = (jobPart: string): string => `job-request:${jobPart}`;
/** Connected workers, by process. */
export const presenceKey = (orgId: string): string => `workers-online:${orgId}`;

export function readSignal(message: Json): WorkSignal | null {
  const { type } = (message ?? {}) as JsonObject;
  return type === 'offered' || type === 'cancelled' ? (message as unknown as WorkSignal) : null;
}
