import { Refusal } from '@aos/kernel';
import type { OrganizationEvent } from './organization.events.js';
import type { OrganizationState } from './organization.state.js';

export interface OwnerAtRevision {
  principalId: string;
  /** Revision of the `principal-` stream that the command rests on. */
  principalRevision: number;
}

/**
 * Takes an Owner out of the set, before the principal itself changes.
 *
 * Takes    the principal and the revision at which it is an Owner; the change itself must then follow that revision
 *          exactly.
 * Gives    OwnerLeft, also for one not in the set; nothing when this leaving is recorded, or when the set knows a later
 *          revision (the caller's is stale, so its change cannot be written).
 * Refuses  last_owner when nobody else is in the set.
 * Source   rule A16.
 */
export function leaveOwners(
  { principalId, principalRevision }: OwnerAtRevision,
  state: OrganizationState,
): OrganizationEvent[] {
  const entered = state.owners.get(principalId);
  if (entered !== undefined && entered > principalRevision) return [];
  if (state.owners.size - (entered === undefined ? 0 : 1) === 0)
    throw new Refusal('last_owner', { principal_id: principalId }, 'an organization keeps its last Owner');
  if (entered === undefined && (state.leavings.get(principalId) ?? -1) >= principalRevision) return [];
  return [{ type: 'OwnerLeft', data: { principal_id: principalId, principal_revision: principalRevision } }];
}

/**
 * Puts an Owner into the set, after the principal itself changed.
 *
 * Takes    the principal and a revision at which it is an Owner.
 * Gives    OwnerEntered; nothing when it is in the set at that revision or a later one, or left it at that revision or
 *          a later one.
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
 * Takes a key that acts as Owner out, before it is revoked: of two that are revoked at once, one meets the other's
 * leaving.
 *
 * Takes    the key, and another one that acts as Owner; null when there is none.
 * Gives    OwnerLeft; nothing when this leaving is recorded.
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
