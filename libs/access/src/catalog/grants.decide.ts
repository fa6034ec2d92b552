import { basePermissions, impliedPermissions, type BasePermission } from '@aos/kernel';

/**
 * What a principal may do: base permissions with what they imply, and the execute permissions it holds, wildcards
 * included.
 */
export interface Grants {
  base: ReadonlySet<BasePermission>;
  execute: readonly string[];
}

export const executeAll = 'actions.execute.*';
const executePrefix = 'actions.execute.';
const segment = '[a-z0-9][a-z0-9_-]*';
const executeForm = new RegExp(`^actions\\.execute\\.(\\*|${segment}\\.\\*|${segment}(\\.${segment})+)$`);
const permissionCharactersMax = 256;

/** True for a base permission and for any permission of the execute form (rule A19). */
export function isKnownPermission(permission: string): boolean {
  if ((basePermissions as readonly string[]).includes(permission)) return true;
  return permission.length <= permissionCharactersMax && executeForm.test(permission);
}

/** The exact execute permission of an action name; a name without a dot belongs to `custom` (rule A19). */
export function executePermissionOf(actionName: string): string {
  return executePrefix + (actionName.includes('.') ? actionName : `custom.${actionName}`);
}

/** Sum of the permissions of several roles. */
export function grantsOf(permissions: Iterable<string>): Grants {
  const all = [...permissions];
  return {
    base: impliedPermissions(all),
    execute: [...new Set(all.filter((permission) => permission.startsWith(executePrefix)))],
  };
}

/** True when one held execute permission covers the wanted one, itself exact or a wildcard. */
export function coversExecute(held: readonly string[], wanted: string): boolean {
  return held.some((permission) => {
    if (permission === wanted || permission === executeAll) return true;
    return permission.endsWith('.*') && wanted.startsWith(permission.slice(0, -1));
  });
}

/** True when the grants hold the permission, directly or by implication or wildcard. */
export function covers(grants: Grants, permission: string): boolean {
  if (permission.startsWith(executePrefix)) return coversExecute(grants.execute, permission);
  return (grants.base as ReadonlySet<string>).has(permission);
}

/** The permissions that both hold: a key never does more than its cap and its principal (rules A3, A27). */
export function intersection(one: Grants, other: Grants): Grants {
  const base = new Set([...one.base].filter((permission) => other.base.has(permission)));
  const execute = [
    ...one.execute.filter((permission) => coversExecute(other.execute, permission)),
    ...other.execute.filter((permission) => coversExecute(one.execute, permission)),
  ];
  return { base, execute: [...new Set(execute)] };
}

/**
 * All permissions that the grants name, execute permissions included: the ones that handing out these grants would
 * give.
 */
export function listed(grants: Grants): string[] {
  return [...grants.base, ...grants.execute];
}

/** The first permission that the caller would hand out without holding it; null when there is none (control S35). */
export function lacking(held: Grants, handedOut: Iterable<string>): string | null {
  for (const permission of handedOut) if (!covers(held, permission)) return permission;
  return null;
}
