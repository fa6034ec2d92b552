import { collectionOf, dueRow, type JsonObject } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { RoutineEvent } from './routine.events.js';
import { listens, routineKind, type RoutineState } from './routine.state.js';

export const firingHandler = 'routine_fire';

/** Routines for lists, and those that listen to events. The record itself is read fresh. */
export const routinesProjection: StreamProjection<RoutineState, RoutineEvent> = {
  name: 'routines',
  version: 1,
  kind: routineKind,
  on: new Set(['RoutineCreated', 'RoutineChanged', 'RoutinePaused', 'RoutineResumed', 'RoutineCancelled']),
  rows({ state: { routine }, revision }) {
    if (!routine) return [];
    const doc: JsonObject = { agent_id: routine.agent_id };
    const index: Record<string, string> = {
      created: `${routine.created_at} ${routine.id}`,
      agent: routine.agent_id,
      owner: routine.owner.id ?? '',
      standing: routine.status === 'cancelled' ? 'no' : 'yes',
    };
    if (routine.origin_session_id !== null) index.session = routine.origin_session_id;
    if (listens(routine)) index.listens = 'yes';
    return [
      { collection: collectionOf(routinesProjection), scope: [routine.org_id], key: routine.id, revision, doc, index },
    ];
  },
};

/** When a routine's next run is due. */
export const firingProjection: StreamProjection<RoutineState, RoutineEvent> = {
  name: 'routine_timers',
  version: 1,
  kind: routineKind,
  rows({ state: { routine }, id, revision }) {
    if (!routine) return [];
    const at = routine.status === 'active' && routine.next_fire_at !== null ? Date.parse(routine.next_fire_at) : null;
    return [
      dueRow({
        stream: `routine-${id}`,
        revision,
        name: 'fire',
        at,
        handler: firingHandler,
        details: { org_id: routine.org_id, routine_id: routine.id },
      }),
    ];
  },
};
