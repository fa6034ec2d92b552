import type { RoutineEvent } from '../routine/routine.events.js';
import type { RoutineState } from '../routine/routine.state.js';

/** A due time that came, whose run is recorded. */
export interface Firing {
  /** Where the timer stood. */
  standing: string;
  armedAt: string;
  /** The due time that runs. */
  dueAt: string;
  nextAt: string | null;
  now: string;
}

/**
 * Moves a routine's timer on.
 *
 * Gives    `RoutineFired`, with the routine's end when no time is left (`at`, `ends_at`, `max_occurrences`); nothing
 *          when the timer stands elsewhere by now: another process was first, or the routine was paused or changed.
 * Source   contract, `RoutineSchedule`; ARCHITECTURE.md section 5.
 */
export function fireRoutine(
  { standing, armedAt, dueAt, nextAt, now }: Firing,
  { routine }: RoutineState,
): RoutineEvent[] {
  if (routine?.status !== 'active' || routine.next_fire_at !== standing || routine.armed_at !== armedAt) return [];
  const { max_occurrences: max } = routine.schedule ?? {};
  const isLast = nextAt === null || (max !== undefined && routine.fired_count + 1 >= max);
  return [
    {
      type: 'RoutineFired',
      data: { due_at: dueAt, next_fire_at: isLast ? null : nextAt, completed_at: isLast ? now : null },
    },
  ];
}
