import type { Clock } from '@aos/kernel';
import type { CallProgress } from '@aos/sessions/published';
import type { Claimed } from './job-claims.js';

export interface LeasedJob extends Pick<Claimed, 'attempt' | 'token' | 'isViewed'> {
  progress?: CallProgress;
}

/** The jobs that the worker of one connection holds. */
export class LeasedJobs {
  private readonly jobs = new Map<string, { job: LeasedJob; untilMs: number }>();

  /** Takes how long a lease lasts, and what is called when their number changed. */
  constructor(
    private readonly clock: Clock,
    private readonly leaseMs: number,
    private readonly counted: () => void,
  ) {}

  /** A job whose lease ran out is no longer the worker's, unless the next sign of life finds it free. */
  get size(): number {
    this.letGoLost();
    return this.jobs.size;
  }

  get(jobId: string): LeasedJob | undefined {
    return this.jobs.get(jobId)?.job;
  }

  /** A job that was given, or whose lease begins anew, also one from a connection before. */
  add(jobId: string, job: LeasedJob): LeasedJob {
    const isNew = !this.jobs.has(jobId);
    this.jobs.set(jobId, { job, untilMs: this.clock.monotonic() + this.leaseMs });
    if (isNew) this.counted();
    return job;
  }

  letGo(jobId: string): void {
    this.jobs.get(jobId)?.job.progress?.end();
    if (this.jobs.delete(jobId)) this.counted();
  }

  /** Nothing more is shown of how far they are. */
  endProgress(): void {
    for (const { job } of this.jobs.values()) job.progress?.end();
  }

  private letGoLost(): void {
    const nowMs = this.clock.monotonic();
    for (const [jobId, { untilMs }] of this.jobs) if (untilMs <= nowMs) this.letGo(jobId);
  }
}
