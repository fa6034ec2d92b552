import { collection, dueRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { SessionEvent } from './session.events.js';
import { sessionKind, type SessionState } from './session.state.js';
import { openCalls } from './open-turns.state.js';

export const jobsHandler = 'session_jobs';

/** A session with calls that go on outside their turns. */
type JobRow = { org_id: string; session_id: string; delivery_ids: string[] };

/**
 * Of a session's calls that go on outside their turns: the next deadline, and across organizations a row that names
 * those that a process carries out, which recovery looks through. Sessions that never had such a call have no row.
 */
export const jobTimersProjection: StreamProjection<SessionState, SessionEvent> = {
  name: 'session_job_timers',
  version: 2,
  kind: sessionKind,
  on: new Set([
    'ToolJobStarted',
    'ToolJobDeferred',
    'ToolCallFinished',
    'TurnResumed',
    'TurnCompleted',
    'TurnFailed',
    'TurnCancelled',
    'SessionDeleted',
  ]),
  rows({ state, id, revision }) {
    if (!state.opening || !state.hasJobs) return [];
    const calls = state.status === 'deleted' ? [] : [...state.open.values()].flatMap(openCalls);
    const jobs = calls.flatMap(({ call, job }) =>
      job ? [{ id: call.delivery_id, at: Date.parse(job.deadline), isDeferred: job.deferred === true }] : [],
    );
    const at = jobs.length === 0 ? null : Math.min(...jobs.map((job) => job.at));
    const session = { org_id: state.opening.org_id, session_id: id };
    const carriedOut = jobs.filter(({ isDeferred }) => !isDeferred).map((job) => job.id);
    const doc = carriedOut.length === 0 ? null : { ...session, delivery_ids: carriedOut };
    return [
      dueRow({ stream: `session-${id}`, revision, name: 'jobs', at, handler: jobsHandler, details: session }),
      jobRows.row({ scope: ['*'], key: id, revision, doc, index: {} }),
    ];
  },
};

export const jobRows = collection<JobRow>(jobTimersProjection);
