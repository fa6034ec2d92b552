import { type BasePermission, type PrincipalKind, Refusal, basePermissions, invalidArgument } from '@aos/kernel';
import { basePermissionDefinition, executeDefinition } from './permissions.js';

/** Whether principals of a kind can hold a permission (`user_kinds` and `assignable` of the catalog). */
export function canHold(kind: PrincipalKind, permission: string): boolean {
  const isBase = (basePermissions as readonly string[]).includes(permission);
  const { assignable, user_kinds: kinds } = isBase
    ? basePermissionDefinition(permission as BasePermission)
    : executeDefinition(permission, permission);
  return assignable && kinds.includes(kind);
}

/**
 * The permissions that count for a principal of a kind. A system role, a role changed later or an older assignment may
 * name others (rule A32).
 */
export function counting(kind: PrincipalKind, permissions: readonly string[]): string[] {
  return permissions.filter((permission) => canHold(kind, permission));
}

/**
 * The refusal of assigning a role with a permission that the principal's kind cannot hold; null when the role may be
 * assigned. Every kind may hold a system role.
 */
export function unholdable(
  kind: PrincipalKind,
  role: { system_defined: boolean; permissions: readonly string[] },
): Refusal | null {
  const permission = role.system_defined ? undefined : role.permissions.find((one) => !canHold(kind, one));
  return permission === undefined
    ? null
    : invalidArgument('role_id', `a principal of kind ${kind} cannot hold ${permission}`, { permission });
}
