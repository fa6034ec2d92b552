import { hash32, invalidArgument, isSoftware, type Identity } from '@aos/kernel';
import type { SessionState } from '../session/session.state.js';
import type { SessionKeyEvent, SessionKeyState } from './session-key.state.js';

type Caller = Pick<Identity, 'principalId' | 'kind' | 'token'>;

/** Key that software shares; of a person's own only in sessions from before rule S47. */
export const sharedDefaultKey = 'default';
const ownDefaultPrefix = `${sharedDefaultKey}:`;

/**
 * The key that a caller means: a person's default session is its own, with the person in its key; software shares one.
 *
 * Takes    the key as it was sent, absent for the default.
 * Refuses  invalid_argument {argument: session_key, reason: reserved_session_key} for the default key of another
 *          principal.
 * Source   rules S3, S47, A38.
 */
export function meantKey(caller: Caller, sent: string | undefined): string {
  if (caller.token && 'endUser' in caller.token.reach) return endUserKey(caller.token.reach.endUser, sent);
  const own = isSoftware(caller.kind) ? sharedDefaultKey : `${ownDefaultPrefix}${caller.principalId}`;
  if (sent === undefined || sent === sharedDefaultKey || sent === own) return own;
  if (sent.startsWith(ownDefaultPrefix))
    throw invalidArgument('session_key', 'names the default session of another principal', {
      reason: 'reserved_session_key',
    });
  return sent;
}

/** Of an end user, each name is a key of its own: none meets another end user's, or can be taken beforehand. */
function endUserKey(endUser: string, sent: string | undefined): string {
  return `token:${hash32(JSON.stringify([endUser, sent ?? sharedDefaultKey]))}`;
}

/** Whether a meant key is that of a person's default session. */
export function isOwnDefault(key: string): boolean {
  return key.startsWith(ownDefaultPrefix);
}

/** Whether a session is a person's own: it owns the session, or opened it for the team. */
export function isOwn({ opening }: SessionState, { principalId }: Caller): boolean {
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
