import { impliedPermissions, type Identity, type Viewer } from '@aos/kernel';
import { systemPrincipalId, type ActivePrincipals } from '@aos/access/published';
import type { OutcomeRecord, SessionOpening, TurnInputFacts } from '../session/session.events.js';

/**
 * The principal that a turn acts for, as it is now and with no more than was recorded with the turn (rules A33, A34);
 * null when it is disabled or gone. Its kind is read here too: an older nudge did not record its sender's kind, and its
 * turn says `service`.
 */
export async function actingPrincipal(
  principals: ActivePrincipals,
  orgId: string,
  { principal_id: id, principal_permissions: most }: Pick<TurnInputFacts, 'principal_id' | 'principal_permissions'>,
): Promise<Viewer | null> {
  const viewer = await principals.find(orgId, id);
  if (!viewer || !most) return viewer;
  return { ...viewer, permissions: new Set([...viewer.permissions].filter((permission) => most.includes(permission))) };
}

/**
 * The permissions of a capped key, to be recorded with the work it starts (rule A27); none for a key that may do all
 * that its principal may.
 */
export function cappedPermissions({ cap, permissions }: Pick<Identity, 'cap' | 'permissions'>): {
  permissions?: string[];
} {
  return cap ? { permissions: [...permissions].sort() } : {};
}

/**
 * Who the turn of an outcome acts for: the session's owner, or the organization itself, without administration (rule
 * A33).
 */
export function outcomePrincipal({
  org_id: orgId,
  owner,
}: Pick<SessionOpening, 'org_id' | 'owner'>): Pick<
  OutcomeRecord,
  'principal_id' | 'principal_kind' | 'principal_permissions'
> {
  if (owner.kind === 'person' && owner.id !== null) return { principal_id: owner.id, principal_kind: 'human' };
  return {
    principal_id: systemPrincipalId(orgId),
    principal_kind: 'system',
    principal_permissions: [...impliedPermissions(['svc.resource.use'])].sort(),
  };
}
