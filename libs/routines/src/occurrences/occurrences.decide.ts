import type { OccurrenceEvent, OccurrenceRecord } from '../occurrence/occurrence.events.js';
import type { OccurrenceState } from '../occurrence/occurrence.state.js';

/** Takes a run up; nothing when its cause was met before. */
export function recordOccurrence(occurrence: OccurrenceRecord, state: OccurrenceState): OccurrenceEvent[] {
  return state.occurrence ? [] : [{ type: 'OccurrenceRecorded', data: { occurrence } }];
}

/** Its turn is queued. Nothing when that was said, or the turn's end came first. */
export function admitOccurrence(
  admitted: { session_id: string; turn_id: string; at: string },
  state: OccurrenceState,
): OccurrenceEvent[] {
  return state.occurrence && state.status === 'pending' ? [{ type: 'OccurrenceAdmitted', data: admitted }] : [];
}

/** It cannot start any more. Nothing once it has. */
export function dropOccurrence(
  dropped: { status: 'failed' | 'skipped'; error_code: string; error_message: string; at: string },
  state: OccurrenceState,
): OccurrenceEvent[] {
  return state.occurrence && state.status === 'pending' ? [{ type: 'OccurrenceDropped', data: dropped }] : [];
}

/** How its turn ended. */
export interface TurnEnd {
  session_id: string;
  turn_id: string;
  status: 'completed' | 'failed' | 'cancelled';
  error_type: string | null;
  error_message: string | null;
  at: string;
}

/**
 * Ends with its turn, also when the word of its start was lost in a crash; a cancelled turn is a failed run. Nothing
 * when it has ended.
 */
export function finishOccurrence(end: TurnEnd, state: OccurrenceState): OccurrenceEvent[] {
  if (!state.occurrence || (state.status !== 'pending' && state.status !== 'admitted')) return [];
  const { session_id, turn_id, status, error_type, error_message, at } = end;
  const events: OccurrenceEvent[] =
    state.status === 'pending' ? [{ type: 'OccurrenceAdmitted', data: { session_id, turn_id, at } }] : [];
  const code = status === 'cancelled' ? 'cancelled' : error_type;
  events.push({
    type: 'OccurrenceFinished',
    data: {
      status: status === 'completed' ? 'completed' : 'failed',
      outcome: status,
      error_code: status === 'completed' ? null : code,
      error_message,
      at,
    },
  });
  return events;
}
