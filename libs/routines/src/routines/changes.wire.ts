import type { Schema } from '@aos/contract';
import type { Json, JsonObject } from '@aos/kernel';
import type { RoutineEvent } from '../routine/routine.events.js';

const actions: Readonly<Record<RoutineEvent['type'], string>> = {
  RoutineCreated: 'created',
  RoutineChanged: 'updated',
  RoutinePaused: 'paused',
  RoutineResumed: 'resumed',
  RoutineCancelled: 'cancelled',
  RosterChanged: 'roster_changed',
  RoutineFired: 'fired',
};

/** The contract's `RoutineChange`. What was refused is not recorded: every row is a success. */
export function changeWire(
  event: RoutineEvent & { id: string; meta: Record<string, string> },
  actorName: string | null,
): Schema<'RoutineChange'> {
  const wire: Schema<'RoutineChange'> = {
    id: `evt_${event.id}`,
    action: actions[event.type],
    status: 'success',
    created_at: event.meta.recorded_at ?? '',
    changes: changesOf(event),
  };
  if (event.meta.principal_id) wire.principal_id = event.meta.principal_id;
  if (actorName !== null) wire.actor_name = actorName;
  return wire;
}

function changesOf({ type, data }: RoutineEvent): JsonObject {
  switch (type) {
    case 'RoutineChanged': {
      const record: Readonly<Record<string, Json | undefined>> = data.routine;
      return Object.fromEntries(data.changed_fields.map((field) => [field, record[field] ?? null]));
    }
    case 'RosterChanged':
      return { added: data.added, removed: data.removed };
    case 'RoutinePaused':
      return {
        status: data.routine.status,
        ...(data.routine.pause_reason !== null && { pause_reason: data.routine.pause_reason }),
      };
    case 'RoutineFired':
      return { due_at: data.due_at };
    default:
      return { status: data.routine.status };
  }
}
