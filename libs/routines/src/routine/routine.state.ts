import { unreachable, type StreamKind } from '@aos/kernel';
import { routineEvents, type RoutineEvent, type RoutineRecord } from './routine.events.js';

export interface RoutineState {
  /** Null before the first event. */
  readonly routine: RoutineRecord | null;
}

export const routineKind: StreamKind<RoutineState, RoutineEvent> = {
  category: 'routine',
  events: routineEvents,
  stateVersion: 1,
  snapshotEvery: 100,
  initial: () => ({ routine: null }),
  evolve(state, event) {
    switch (event.type) {
      case 'RoutineCreated':
      case 'RoutineChanged':
      case 'RoutinePaused':
      case 'RoutineResumed':
      case 'RoutineCancelled':
      case 'RosterChanged':
        return { routine: event.data.routine };
      case 'RoutineFired':
        return { routine: state.routine && afterFiring(state.routine, event.data) };
      default:
        return unreachable(event);
    }
  },
};

function afterFiring(
  routine: RoutineRecord,
  fired: { due_at: string; next_fire_at: string | null; completed_at: string | null },
): RoutineRecord {
  const { due_at, next_fire_at, completed_at } = fired;
  return {
    ...routine,
    next_fire_at,
    completed_at,
    last_fire_at: due_at,
    fired_count: routine.fired_count + 1,
    status: completed_at === null ? routine.status : 'completed',
  };
}

/** Whether events are looked at for it. */
export function listens(routine: RoutineRecord): boolean {
  return routine.status === 'active' && routine.event !== null;
}
