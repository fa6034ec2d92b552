import { defineEvents, event, type BasePermission, type EventOf, type PrincipalKind } from '@aos/kernel';

export type OccurrenceTrigger = 'schedule' | 'manual' | 'event';
export type OccurrenceStatus = 'pending' | 'admitted' | 'completed' | 'failed' | 'skipped' | 'missed';

/** One run of a routine as it was taken up: it needs nothing of the routine any more. */
export type OccurrenceRecord = {
  id: string;
  org_id: string;
  routine_id: string;
  routine_name: string;
  agent_id: string;
  owner_id: string | null;
  trigger: OccurrenceTrigger;
  /** Principal that asked for a manual run. */
  triggered_by: string | null;
  scheduled_at: string;
  intake_at: string;
  source_event_id: string | null;
  event_type: string | null;
  /** Why it was not begun: `skipped` and `missed` are final from the start. */
  status: 'pending' | 'skipped' | 'missed';
  error_code: string | null;
  error_message: string | null;
  instructions: string;
  /** The event as JSON text. */
  input: string | null;
  /** The conversation it goes on in; null: the routine's own session. */
  session_id: string | null;
  /**
   * The routine's own `run_as` when the run was taken up: a later change of the routine gives its instructions no other
   * authority (rule A34).
   */
  run_as: { id: string; kind: PrincipalKind; permissions?: BasePermission[] };
  /** The routines of the runs that led to this one, oldest first. */
  chain: string[];
};

/**
 * All events of a run; one stream `occurrence-<id>`. The id follows from the routine and the cause of the run.
 */
export const occurrenceEvents = defineEvents({
  OccurrenceRecorded: event<{ occurrence: OccurrenceRecord }>(1),
  OccurrenceAdmitted: event<{ session_id: string; turn_id: string; at: string }>(1),
  OccurrenceDropped: event<{ status: 'failed' | 'skipped'; error_code: string; error_message: string; at: string }>(1),
  OccurrenceFinished: event<{
    status: 'completed' | 'failed';
    outcome: string;
    error_code: string | null;
    error_message: string | null;
    at: string;
  }>(1),
});

export type OccurrenceEvent = EventOf<typeof occurrenceEvents>;
