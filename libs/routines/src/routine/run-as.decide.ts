import { basePermissions, type BasePermission, type Identity } from '@aos/kernel';
import type { RoutineRecord, RunAsRecord } from './routine.events.js';

type Editor = Pick<Identity, 'principalId' | 'kind' | 'permissions'>;

const withoutAdministration: readonly BasePermission[] = basePermissions.filter(
  (permission) => permission !== 'svc.org.admin',
);

/**
 * Authority of a routine after this caller decided what it does: an owner stays the principal, the caller's key is the
 * cap (rule A34).
 */
export function runAsOf(owner: RoutineRecord['owner'], { principalId, kind, permissions }: Editor): RunAsRecord {
  const principal = owner.id === null ? { id: principalId, kind } : { id: owner.id, kind: 'human' as const };
  return { ...principal, permissions: [...permissions].sort(), as_admin: false };
}

/**
 * The permissions of a run: those its principal holds now, within the cap. An old record has a cap without
 * administration (rules A34, A36).
 */
export function permissionsOf(
  { permissions: cap }: Pick<RunAsRecord, 'permissions'>,
  held: ReadonlySet<BasePermission>,
): Set<BasePermission> {
  return new Set((cap ?? withoutAdministration).filter((permission) => held.has(permission)));
}
