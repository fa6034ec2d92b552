import type { Schema } from '@aos/contract';
import { withoutNulls } from '@aos/kernel';
import type { OccurrenceState } from './occurrence.state.js';

/** The contract's `RoutineOccurrence`. Runs cost no credits here: nothing prices them. */
export function occurrenceWire({ occurrence, ...state }: OccurrenceState): Schema<'RoutineOccurrence'> {
  if (!occurrence) throw new Error('an occurrence that was never recorded');
  return {
    id: occurrence.id,
    routine_id: occurrence.routine_id,
    routine_name: occurrence.routine_name,
    scheduled_at: occurrence.scheduled_at,
    intake_at: occurrence.intake_at,
    lateness_milliseconds: Math.max(0, Date.parse(occurrence.intake_at) - Date.parse(occurrence.scheduled_at)),
    trigger: occurrence.trigger,
    status: state.status,
    credits_spent_milli: 0,
    ...withoutNulls({
      session_id: state.sessionId,
      triggered_by: occurrence.triggered_by,
      source_event_id: occurrence.source_event_id,
      event_type: occurrence.event_type,
      outcome: state.outcome,
      error_code: state.errorCode,
      error_message: state.errorMessage,
      turn_id: state.turnId,
    }),
  };
}
