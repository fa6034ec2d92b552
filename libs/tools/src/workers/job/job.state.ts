import { unreachable, type StreamKind } from '@aos/kernel';
import { jobEvents, type JobEvent, type JobOpening, type JobStatus } from './job.events.js';

export interface JobLease {
  attempt: number;
  workerId: string;
  workerInstanceId: string;
  tokenHash: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export interface JobState {
  /** Null: there is no such job. */
  opening: JobOpening | null;
  /** Leases given so far. */
  attempts: number;
  /** The newest lease; null before the first and once it was given back. */
  lease: JobLease | null;
  /** Set once; the event that set it is the last of the stream. */
  ended: {
    by: 'report' | 'cancel' | 'giving_up';
    status: JobStatus;
    tokenHash: string | null;
    reason: string;
    at: string;
  } | null;
}

function evolve(job: JobState, { type, data }: JobEvent): JobState {
  switch (type) {
    case 'JobRequested': {
      const { parameters: _kept, ...opening } = data;
      job.opening = opening;
      return job;
    }
    case 'JobLeased':
      job.attempts = data.attempt;
      job.lease = {
        attempt: data.attempt,
        workerId: data.worker_id,
        workerInstanceId: data.worker_instance_id,
        tokenHash: data.token_hash,
        expiresAt: Date.parse(data.expires_at),
      };
      return job;
    case 'JobLeaseRenewed':
      if (job.lease) job.lease.expiresAt = Date.parse(data.expires_at);
      return job;
    case 'JobGivenBack':
      job.lease = null;
      return job;
    case 'JobReported':
      job.ended = {
        by: 'report',
        status: data.status,
        tokenHash: job.lease?.tokenHash ?? null,
        reason: data.error_type ?? '',
        at: data.reported_at,
      };
      return job;
    case 'JobCancelled':
      job.ended = {
        by: 'cancel',
        status: 'cancelled',
        tokenHash: job.lease?.tokenHash ?? null,
        reason: data.reason,
        at: data.cancelled_at,
      };
      return job;
    case 'JobGivenUp':
      job.ended = { by: 'giving_up', status: 'failed', tokenHash: null, reason: data.error_type, at: data.given_up_at };
      return job;
    default:
      return unreachable(type);
  }
}

export const jobKind: StreamKind<JobState, JobEvent> = {
  category: 'job',
  events: jobEvents,
  initial: () => ({ opening: null, attempts: 0, lease: null, ended: null }),
  evolve,
  stateVersion: 1,
  notifies: true,
};
