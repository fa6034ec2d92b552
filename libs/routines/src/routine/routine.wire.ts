import type { Schema } from '@aos/contract';
import { withoutNulls } from '@aos/kernel';
import { actingProviders } from './acting.decide.js';
import type { RosterEntry, RoutineRecord } from './routine.events.js';

/** The members of the contract's `Routine` that depend on the reader and on the runs. */
export type RoutineView = { readerId: string; occurrenceCount: number; lastFireAt: string | null };

/** The contract's `Routine`. */
export function routineWire(
  routine: RoutineRecord,
  { readerId, occurrenceCount, lastFireAt }: RoutineView,
): Schema<'Routine'> {
  const { owner, roster } = routine;
  const followers = roster.filter(({ relationship }) => relationship === 'follower');
  return {
    id: routine.id,
    org_id: routine.org_id,
    agent_id: routine.agent_id,
    owner_kind: owner.kind,
    managed_by: routine.managed_by,
    responsible: roster.filter(({ relationship }) => relationship === 'responsible').map(rosterWire),
    following: followers.some(({ principal_id: id }) => id === readerId),
    follower_count: followers.length,
    name: routine.name,
    instructions: routine.instructions,
    kind: 'invoke',
    trigger: routine.schedule ? 'schedule' : 'event',
    timezone: routine.timezone,
    status: routine.status,
    occurrence_count: occurrenceCount,
    per_occurrence_ceiling_milli: routine.per_occurrence_ceiling_milli,
    daily_ceiling_milli: routine.daily_ceiling_milli,
    act_as_user_providers: actingProviders(routine),
    created_at: routine.created_at,
    updated_at: routine.updated_at,
    ...withoutNulls({
      origin_session_id: routine.origin_session_id,
      owner_id: owner.id,
      schedule: routine.schedule,
      event: routine.event,
      pause_reason: routine.pause_reason,
      next_fire_at: routine.status === 'active' ? routine.next_fire_at : null,
      last_fire_at: lastFireAt,
      completed_at: routine.completed_at,
    }),
  };
}

/** The contract's `RoutinePrincipal`, without the name that its principal bears now. */
export function rosterWire(entry: RosterEntry): Schema<'RoutinePrincipal'> {
  return { ...entry };
}
