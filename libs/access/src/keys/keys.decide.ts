import { invalidArgument, notFound, rfc3339 } from '@aos/kernel';
import type { ApiKeyEvent, ApiKeyRecord } from '../apikey/apikey.events.js';
import type { ApiKeyState } from '../apikey/apikey.state.js';

/** Issues a key; no event when it exists. */
export function issueKey({ key }: { key: ApiKeyRecord }, state: ApiKeyState): ApiKeyEvent[] {
  return state.key ? [] : [{ type: 'KeyIssued', data: { key } }];
}

/** Revokes a key. Refuses not_found for a key that does not exist, is of another organization, or is revoked. */
export function revokeKey({ orgId, at }: { orgId: string; at: string }, { key, revoked }: ApiKeyState): ApiKeyEvent[] {
  if (!key || revoked || key.org_id !== orgId) throw notFound('API key');
  return [{ type: 'KeyRevoked', data: { at } }];
}

/**
 * The expiry in the service's time format. Refuses invalid_argument for a time that is not in the future; `now` in
 * milliseconds since 1970.
 */
export function checkedExpiry(expiresAt: string | undefined, now: number): string | null {
  if (expiresAt === undefined) return null;
  const at = Date.parse(expiresAt);
  if (!(at > now)) throw invalidArgument('expires_at', 'must lie in the future');
  return rfc3339(at);
}
