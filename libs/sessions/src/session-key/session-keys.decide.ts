import type { Identity } from '@aos/kernel';
import type { SessionState } from '../session/session.state.js';
import type { SessionKeyEvent, SessionKeyState } from './session-key.state.js';

export { isOwnDefault, meantKey, sharedDefaultKey } from '@aos/kernel';

/** Whether a session is a person's own: it owns the session, or opened it for the team. */
export function isOwn({ opening }: SessionState, { principalId }: Pick<Identity, 'principalId'>): boolean {
  return opening?.owner.id === principalId || opening?.created_by === principalId;
}

/** Frees a key after its session was deleted; a repeat writes nothing. */
export function freeSessionKey(
  command: { generation: number; session_id: string },
  state: SessionKeyState,
): SessionKeyEvent[] {
  if (state.generation >= command.generation) return [];
  return [{ type: 'SessionKeyFreed', data: command }];
}
