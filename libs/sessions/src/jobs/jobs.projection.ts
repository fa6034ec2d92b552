import { dueRow, type StreamProjection } from '@aos/platform';
import type { SessionEvent } from '../session/session.events.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { openCalls } from '../turns/jobs.decide.js';

export const jobsHandler = 'session_jobs';

/** The next deadline among a session's calls that go on outside their turns. Sessions that never had such a call have no row. */
export const jobTimersProjection: StreamProjection<SessionState, SessionEvent> = {
  name: 'session_job_timers',
  version: 1,
  kind: sessionKind,
  on: new Set(['ToolJobStarted', 'ToolCallFinished', 'TurnResumed', 'TurnCompleted', 'TurnFailed', 'TurnCancelled']),
  rows({ state, id, revision }) {
    if (!state.opening || !state.hasJobs) return [];
    const deadlines = [...state.open.values()].flatMap((open) => openCalls(open).flatMap(({ job }) => (job ? [Date.parse(job.deadline)] : [])));
    const details = { org_id: state.opening.org_id, session_id: id };
    return [dueRow({ stream: `session-${id}`, revision, name: 'jobs', at: deadlines.length === 0 ? null : Math.min(...deadlines), handler: jobsHandler, details })];
  },
};
