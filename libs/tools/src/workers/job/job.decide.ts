import { rfc3339, type JsonObject } from '@aos/kernel';
import type { JobEvent, JobOpening, JobStatus } from './job.events.js';
import type { JobState } from './job.state.js';

/**
 * The status of a lease token. `over`: the job has an outcome; `lost`: another worker was given the job, or no lease
 * has this token.
 */
export type LeaseStatus = 'held' | 'over' | 'lost';

/** Times in milliseconds; `now` since 1970. */
export interface LeaseTime {
  now: number;
  leaseMs: number;
}

export interface Holder {
  workerId: string;
  tokenHash: string;
}

/** Records a job; nothing when it is there already: the same delivery id is the same job. */
export function requestJob(
  { opening, parameters }: { opening: JobOpening; parameters: JsonObject | null },
  job: JobState,
): JobEvent[] {
  return job.opening ? [] : [{ type: 'JobRequested', data: { ...opening, parameters } }];
}

/**
 * Whether a worker may take the job: it has no lease, or its owner was silent for the lease time. `now`: milliseconds
 * since 1970.
 */
export function isAvailable(job: JobState, now: number): boolean {
  return job.opening !== null && job.ended === null && (job.lease === null || job.lease.expiresAt <= now);
}

/**
 * Gives a job to a worker.
 *
 * Takes    the hash of a new token, and the time in milliseconds since 1970.
 * Gives    the next lease; nothing when another worker has the lease, or the job is over.
 * Source   rule X4 (60 s unless the deployment says otherwise).
 */
export function leaseJob(
  { now, leaseMs, workerInstanceId, workerId, tokenHash }: Holder & LeaseTime & { workerInstanceId: string },
  job: JobState,
): JobEvent[] {
  if (!isAvailable(job, now)) return [];
  return [
    {
      type: 'JobLeased',
      data: {
        attempt: job.attempts + 1,
        worker_id: workerId,
        worker_instance_id: workerInstanceId,
        token_hash: tokenHash,
        leased_at: rfc3339(now),
        expires_at: rfc3339(now + leaseMs),
      },
    },
  ];
}

/** The fence: a lease counts until the job is given to another worker, also past its time. */
export function leaseStatusOf({ workerId, tokenHash }: Holder, job: JobState): LeaseStatus {
  const isHolder = job.lease?.tokenHash === tokenHash && job.lease.workerId === workerId;
  if (!isHolder) return 'lost';
  return job.ended ? 'over' : 'held';
}

/** Renews a worker's lease; nothing when it is lost or the job is over. */
export function renewLease(command: Holder & LeaseTime, job: JobState): JobEvent[] {
  const { now, leaseMs } = command;
  if (leaseStatusOf(command, job) !== 'held' || !job.lease) return [];
  return [{ type: 'JobLeaseRenewed', data: { attempt: job.lease.attempt, expires_at: rfc3339(now + leaseMs) } }];
}

/** The worker never learnt of its lease: the job is free at once. */
export function giveBackJob(command: Holder & { now: number }, job: JobState): JobEvent[] {
  if (leaseStatusOf(command, job) !== 'held' || !job.lease) return [];
  return [{ type: 'JobGivenBack', data: { attempt: job.lease.attempt, given_back_at: rfc3339(command.now) } }];
}

export interface Report {
  status: JobStatus;
  result: JsonObject | null;
  errorType: string | null;
  errorMessage: string | null;
}

/** Records a worker's result of a job, once; nothing when the job is over or was given to another worker. */
export function reportJob(command: Holder & { report: Report; now: number }, job: JobState): JobEvent[] {
  if (leaseStatusOf(command, job) !== 'held' || !job.lease) return [];
  const { status, result, errorType, errorMessage } = command.report;
  return [
    {
      type: 'JobReported',
      data: {
        attempt: job.lease.attempt,
        status,
        result: status === 'completed' ? (result ?? {}) : null,
        error_type: status === 'failed' ? (errorType ?? 'worker_error') : null,
        error_message: status === 'completed' ? null : errorMessage,
        reported_at: rfc3339(command.now),
      },
    },
  ];
}

/** Ends a job that is not wanted any more; nothing when it is over, or another organization's. */
export function cancelJob(
  { orgId, reason, now }: { orgId: string; reason: string; now: number },
  job: JobState,
): JobEvent[] {
  return job.opening?.org_id !== orgId || job.ended
    ? []
    : [{ type: 'JobCancelled', data: { reason, cancelled_at: rfc3339(now) } }];
}

/** Ends a job that no worker took; nothing when a worker has its lease after all. */
export function giveUpJob(
  { errorType, message, now }: { errorType: string; message: string; now: number },
  job: JobState,
): JobEvent[] {
  return isAvailable(job, now)
    ? [{ type: 'JobGivenUp', data: { error_type: errorType, error_message: message, given_up_at: rfc3339(now) } }]
    : [];
}
