import type { Schema } from '@aos/client';

export type Worker = Schema<'Worker'>;

/** Jobs that it holds, of those it takes at a time. */
export function jobsText({ jobs, concurrency_limit: limit }: Worker): string {
  return limit === null ? String(jobs) : `${jobs} / ${limit}`;
}
