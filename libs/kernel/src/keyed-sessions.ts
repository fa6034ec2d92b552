import { isSoftware, type Identity } from './identity.js';
import { derivedId, hash32 } from './ids.js';
import { requireWholeCharacters } from './holds-half-character.js';
import { invalidArgument } from './refusal.js';

type Caller = Pick<Identity, 'principalId' | 'kind' | 'token'>;

/** Key that software shares; of a person's own only in sessions from before rule S47. */
export const sharedDefaultKey = 'default';
const ownDefaultPrefix = `${sharedDefaultKey}:`;

/**
 * The key that a caller means: a person's default session is its own, with the person in its key; software shares one.
 *
 * Takes    the key as it was sent, absent for the default.
 * Refuses  invalid_argument {argument: session_key, reason: reserved_session_key} for the default key of another
 *          principal, and {reason: half_character} for a key that is no Unicode text.
 * Source   rules L8, S3, S47, A38.
 */
export function meantKey(caller: Caller, sent: string | undefined): string {
  if (caller.token && 'endUser' in caller.token.reach) return endUserKey(caller.token.reach.endUser, sent);
  const own = isSoftware(caller.kind) ? sharedDefaultKey : `${ownDefaultPrefix}${caller.principalId}`;
  if (sent === undefined || sent === sharedDefaultKey || sent === own) return own;
  requireWholeCharacters('session_key', sent);
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

/** The session that a key means; the generation grows when the session under it is deleted (rule S5). */
export function sessionIdFor(salt: string, agentId: string, sessionKey: string, generation: number): string {
  return derivedId('ses', salt, [agentId, sessionKey, String(generation)]);
}
