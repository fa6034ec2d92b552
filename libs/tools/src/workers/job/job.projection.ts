import { collectionOf, inOrganization, type JsonObject } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { JobEvent } from './job.events.js';
import { jobKind, type JobState } from './job.state.js';

/**
 * One row for each job without an outcome: what claims look through, oldest first. `available`: when it may be given to
 * a worker, in milliseconds since 1970.
 */
export const openJobsProjection: StreamProjection<JobState, JobEvent> = {
  name: 'open_jobs',
  version: 1,
  kind: jobKind,
  rowKey: inOrganization,
  rows({ state, id, revision }) {
    const { opening, lease, ended } = state;
    if (!opening) return [];
    const lies = inOrganization({ id, orgId: opening.org_id });
    const row = { collection: collectionOf(openJobsProjection), ...lies, revision };
    if (ended) return [{ ...row, doc: null, index: {} }];
    const doc: JsonObject = { job_id: opening.job_id, kind: opening.kind };
    for (const member of ['action_name', 'provider', 'model', 'session_id', 'agent_turn_id'] as const) {
      const value = opening[member];
      if (value !== undefined) doc[member] = value;
    }
    return [{ ...row, doc, index: { created: `${opening.requested_at} ${id}`, available: lease?.expiresAt ?? 0 } }];
  },
};
