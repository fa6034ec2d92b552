import type { CallProgress } from '@aos/sessions/published';
import type { Claimed } from './job-claims.js';

export interface LeasedJob extends Pick<Claimed, 'attempt' | 'token' | 'isViewed'> {
  progress?: CallProgress;
}

/** The jobs that the worker of one connection holds. */
export class LeasedJobs {
  private readonly jobs = new Map<string, LeasedJob>();

  /** Takes what is called when their number changed. */
  constructor(private readonly counted: () => void) {}

  get size(): number {
    return this.jobs.size;
  }

  get(jobId: string): LeasedJob | undefined {
    return this.jobs.get(jobId);
  }

  add(jobId: string, job: LeasedJob): void {
    this.jobs.set(jobId, job);
    this.counted();
  }

  letGo(jobId: string): void {
    this.jobs.get(jobId)?.progress?.end();
    if (this.jobs.delete(jobId)) this.counted();
  }

  /** Nothing more is shown of how far they are. */
  endProgress(): void {
    for (const { progress } of this.jobs.values()) progress?.end();
  }
}
