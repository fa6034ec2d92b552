import { Refusal, type Identity } from '@aos/kernel';
import type { RoutineRecord } from './routine.events.js';

export type Caller = Pick<Identity, 'orgId' | 'principalId' | 'kind' | 'permissions'>;

/**
 * Whether a routine is within a caller's reach, once its agent is: a routine of the team, the caller's own, or one with
 * the caller on its roster; administrators reach all.
 */
export function isVisible({ org_id, owner, roster }: RoutineRecord, caller: Caller): boolean {
  if (org_id !== caller.orgId) return false;
  return (
    owner.kind === 'team' ||
    owner.id === caller.principalId ||
    caller.permissions.has('svc.org.admin') ||
    roster.some(({ principal_id: id }) => id === caller.principalId)
  );
}

/**
 * Whether a caller with the build permission may change it (contract, `RoutineManagedBy`).
 *
 * Refuses  permission_denied {permission} for a routine that named people manage when the caller is not its owner, one
 *          of its managers or an administrator.
 */
export function requireManaging({ owner, managed_by, roster }: RoutineRecord, caller: Caller): void {
  if (managed_by === 'team' || owner.id === caller.principalId || caller.permissions.has('svc.org.admin')) return;
  if (roster.some(({ principal_id: id, relationship }) => id === caller.principalId && relationship === 'manager'))
    return;
  throw new Refusal(
    'permission_denied',
    { permission: 'svc.org.admin' },
    'only its owner, its managers or an administrator may change this routine',
  );
}
