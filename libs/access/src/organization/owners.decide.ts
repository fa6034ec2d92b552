import { Refusal, looksLikeId } from '@aos/kernel';
import type { OrganizationEvent } from './organization.events.js';
import type { OrganizationState } from './organization.state.js';

export interface OwnerAtRevision {
  principalId: string;
  /** Revision of the `principal-` stream that the command rests on. */
  principalRevision: number;
}

/**
 * Takes    an Owner out of the set, before the principal itself changes.
 *
 * Takes    the principal and the revision at which it is an Owner; the change itself must then follow that revision
 *          exactly.
 * Gives    OwnerLeft, also for a principal that is not in the set; no event when this leaving is recorded, or when the
 *          set knows a later revision (the caller's is stale, so its change cannot be written).
 * Refuses  last_owner when the set has no other principal. Workers are none: only sets from before hold them.
 * Source   rules A16, A32.
 */
export function leaveOwners(
  { principalId, principalRevision }: OwnerAtRevision,
  state: OrganizationState,
): OrganizationEvent[] {
  const entered = state.owners.get(principalId);
  if (entered !== undefined && entered > principalRevision) return [];
  const others = [...state.owners.keys()].filter((id) => id !== principalId && !looksLikeId('wrk', id));
  if (others.length === 0)
    throw new Refusal('last_owner', { principal_id: principalId }, 'an organization keeps its last Owner');
  if (entered === undefined && (state.leavings.get(principalId) ?? -1) >= principalRevision) return [];
  return [{ type: 'OwnerLeft', data: { principal_id: principalId, principal_revision: principalRevision } }];
}

/**
 * Puts an Owner into the set, after the principal itself changed.
 *
 * Takes    the principal and a revision at which it is an Owner.
 * Gives    OwnerEntered; no event when the principal is in the set, or left it at that revision or a later one.
 */
export function enterOwners(
  { principalId, principalRevision }: OwnerAtRevision,
  state: OrganizationState,
): OrganizationEvent[] {
  if ((state.leavings.get(principalId) ?? -1) >= principalRevision) return [];
  if (state.owners.has(principalId)) return [];
  return [{ type: 'OwnerEntered', data: { principal_id: principalId, principal_revision: principalRevision } }];
}

/**
 * Takes    a key that acts as Owner out, before it is revoked. Of two such keys revoked at the same time, the second
 *          finds the leaving of the first.
 *
 * Takes    the key, and another one that acts as Owner; null when there is none.
 * Gives    OwnerLeft; no event when this leaving is recorded.
 * Refuses  last_owner when there is no other, or the other has left.
 * Source   rules A16, A31.
 */
export function leaveOwnerKeys(
  { keyId, otherId }: { keyId: string; otherId: string | null },
  { leavings }: OrganizationState,
): OrganizationEvent[] {
  if (otherId === null || leavings.has(otherId))
    throw new Refusal('last_owner', {}, 'an organization keeps its last key that acts as Owner');
  return leavings.has(keyId) ? [] : [{ type: 'OwnerLeft', data: { principal_id: keyId, principal_revision: 0 } }];
}
