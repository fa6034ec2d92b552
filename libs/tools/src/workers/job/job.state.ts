import { unreachable, type StreamKind } from '@aos/kernel';
import { jobEvents, type JobEvent, type JobOpening, type JobStatus } from './job.events.js';

export interface JobLease {
  readonly attempt: number;
  readonly workerId: string;
  readonly workerInstanceId: string;
  readonly tokenHash: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface JobState {
  /** Null: there is no such job. */
  readonly opening: JobOpening | null;
  /** Leases given so far. */
  readonly attempts: number;
  /** The newest lease; null before the first and once it was given back. */
  readonly lease: JobLease | null;
  /** Set once; the event that set it is the last of the stream. */
  readonly ended: {
    readonly by: 'report' | 'cancel' | 'giving_up';
    readonly status: JobStatus;
    readonly tokenHash: string | null;
    readonly reason: string;
    readonly at: string;
  } | null;
}

function evolve(job: JobState, { type, data }: JobEvent): JobState {
  switch (type) {
    case 'JobRequested': {
      const { parameters: _kept, ...opening } = data;
      return { ...job, opening };
    }
    case 'JobLeased':
      return {
        ...job,
        attempts: data.attempt,
        lease: {
          attempt: data.attempt,
          workerId: data.worker_id,
          workerInstanceId: data.worker_instance_id,
          tokenHash: data.token_hash,
          expiresAt: Date.parse(data.expires_at),
        },
      };
    case 'JobLeaseRenewed':
      return { ...job, lease: job.lease && { ...job.lease, expiresAt: Date.parse(data.expires_at) } };
    case 'JobGivenBack':
      return { ...job, lease: null };
    case 'JobReported':
      return {
        ...job,
        ended: {
          by: 'report',
          status: data.status,
          tokenHash: job.lease?.tokenHash ?? null,
          reason: data.error_type ?? '',
          at: data.reported_at,
        },
      };
    case 'JobCancelled':
      return {
        ...job,
        ended: {
          by: 'cancel',
          status: 'cancelled',
          tokenHash: job.lease?.tokenHash ?? null,
          reason: data.reason,
          at: data.cancelled_at,
        },
      };
    case 'JobGivenUp':
      return {
        ...job,
        ended: { by: 'giving_up', status: 'failed', tokenHash: null, reason: data.error_type, at: data.given_up_at },
      };
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
