import { defineEvents, event, type EventOf, type StreamKind } from '@aos/kernel';

/** How often the session under a key was deleted: the key's next session has this generation. */
export const sessionKeyEvents = defineEvents({ SessionKeyFreed: event<{ generation: number; session_id: string }>(1) });
export type SessionKeyEvent = EventOf<typeof sessionKeyEvents>;

export const sessionKeyKind: StreamKind<{ generation: number }, SessionKeyEvent> = {
  category: 'sessionkey',
  events: sessionKeyEvents,
  stateVersion: 1,
  initial: () => ({ generation: 0 }),
  evolve(state, { data }) {
    state.generation = Math.max(state.generation, data.generation);
    return state;
  },
};

/** Frees a key after its session was deleted; a repeat writes nothing. */
export function freeSessionKey(
  command: { generation: number; session_id: string },
  state: { generation: number },
): SessionKeyEvent[] {
  if (state.generation >= command.generation) return [];
  return [{ type: 'SessionKeyFreed', data: command }];
}
