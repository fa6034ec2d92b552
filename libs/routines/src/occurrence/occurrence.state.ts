import { hash32, unreachable, type StreamKind } from '@aos/kernel';
import {
  occurrenceEvents,
  type OccurrenceEvent,
  type OccurrenceRecord,
  type OccurrenceStatus,
} from './occurrence.events.js';

export interface OccurrenceState {
  /** Null before the first event. */
  readonly occurrence: OccurrenceRecord | null;
  readonly status: OccurrenceStatus;
  readonly sessionId: string | null;
  readonly turnId: string | null;
  readonly outcome: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

export const occurrenceKind: StreamKind<OccurrenceState, OccurrenceEvent> = {
  category: 'occurrence',
  events: occurrenceEvents,
  stateVersion: 1,
  initial: () => ({
    occurrence: null,
    status: 'pending',
    sessionId: null,
    turnId: null,
    outcome: null,
    errorCode: null,
    errorMessage: null,
  }),
  evolve(state, event) {
    switch (event.type) {
      case 'OccurrenceRecorded': {
        const { occurrence } = event.data;
        return {
          ...state,
          occurrence,
          status: occurrence.status,
          errorCode: occurrence.error_code,
          errorMessage: occurrence.error_message,
        };
      }
      case 'OccurrenceAdmitted':
        return { ...state, status: 'admitted', sessionId: event.data.session_id, turnId: event.data.turn_id };
      case 'OccurrenceDropped':
        return {
          ...state,
          status: event.data.status,
          errorCode: event.data.error_code,
          errorMessage: event.data.error_message,
        };
      case 'OccurrenceFinished':
        return {
          ...state,
          status: event.data.status,
          outcome: event.data.outcome,
          errorCode: event.data.error_code,
          errorMessage: event.data.error_message,
        };
      default:
        return unreachable(event);
    }
  },
};

/**
 * The id of a run, from its routine and cause: the same cause of the same routine is one run, however often it is read.
 */
export function occurrenceId(
  orgId: string,
  routineId: string,
  cause: { event: string } | { due: string } | { manual: string },
): string {
  const [kind = '', name = ''] = Object.entries(cause)[0] ?? [];
  return `occ_${hash32([orgId, routineId, kind, name].map((part) => `${Buffer.byteLength(part)}:${part}`).join(';'))}`;
}
