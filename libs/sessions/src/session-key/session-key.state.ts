import { defineEvents, event, type EventOf, type StreamKind } from '@aos/kernel';

/** How often the session under a key was deleted: the key's next session has this generation. */
export const sessionKeyEvents = defineEvents({ SessionKeyFreed: event<{ generation: number; session_id: string }>(1) });
export type SessionKeyEvent = EventOf<typeof sessionKeyEvents>;

export interface SessionKeyState {
  readonly generation: number;
}

export const sessionKeyKind: StreamKind<SessionKeyState, SessionKeyEvent> = {
  category: 'sessionkey',
  events: sessionKeyEvents,
  stateVersion: 1,
  initial: () => ({ generation: 0 }),
  evolve: ({ generation }, { data }) => ({ generation: Math.max(generation, data.generation) }),
};
