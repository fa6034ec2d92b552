import { Refusal, badRequest, notFound } from '@aos/kernel';
import { isKnownPermission } from '../catalog/grants.decide.js';
import type { RoleEvent, RoleRecord } from '../role/role.events.js';
import { permissionsPerRoleMax } from '../role/role.limits.js';
import type { RoleState } from '../role/role.state.js';

/** Refuses unknown_permission {permission} (rule A23), and bad_request for more than 500. */
export function checkPermissions(permissions: readonly string[]): void {
  if (permissions.length > permissionsPerRoleMax)
    throw badRequest([{ path: '/permissions', message: `at most ${permissionsPerRoleMax} permissions` }]);
  const unknown = permissions.find((permission) => !isKnownPermission(permission));
  if (unknown !== undefined)
    throw new Refusal('unknown_permission', { permission: unknown }, `no such permission: ${unknown}`);
}

/** Creates a custom role; no event when it exists. */
export function createRole({ role }: { role: RoleRecord }, state: RoleState): RoleEvent[] {
  return state.role ? [] : [{ type: 'RoleCreated', data: { role } }];
}

export interface ChangeRole {
  orgId: string;
  at: string;
  description?: string;
  permissions?: readonly string[];
  tags?: Record<string, string>;
  /**
   * Gives    the first permission among those newly handed out that the caller lacks, or null.
   */
  lacking: (added: readonly string[]) => string | null;
}

/**
 * Changes a custom role.
 *
 * Gives    RoleChanged with the whole role; no event when the role is as asked.
 * Refuses  not_found; permission_denied {permission} when a permission is added that the caller lacks (control S35).
 */
export function changeRole(command: ChangeRole, state: RoleState): RoleEvent[] {
  const before = standing(command.orgId, state);
  if (command.permissions) {
    const added = command.permissions.filter((permission) => !before.permissions.includes(permission));
    const lacks = command.lacking(added);
    if (lacks !== null) throw new Refusal('permission_denied', { permission: lacks }, `you cannot grant ${lacks}`);
  }
  const asked: Partial<RoleRecord> = {
    ...(command.description !== undefined && { description: command.description }),
    ...(command.permissions !== undefined && { permissions: [...command.permissions] }),
    ...(command.tags !== undefined && { tags: command.tags }),
  };
  const fields = Object.keys(asked) as (keyof RoleRecord)[];
  const changed = fields.filter((field) => JSON.stringify(asked[field]) !== JSON.stringify(before[field]));
  if (changed.length === 0) return [];
  return [
    { type: 'RoleChanged', data: { role: { ...before, ...asked, updated_at: command.at }, changed_fields: changed } },
  ];
}

/** Deletes a custom role. Refuses not_found. */
export function deleteRole({ orgId, at }: { orgId: string; at: string }, state: RoleState): RoleEvent[] {
  return [{ type: 'RoleDeleted', data: { role: { ...standing(orgId, state), updated_at: at } } }];
}

function standing(orgId: string, { role, deleted }: RoleState): RoleRecord {
  if (!role || deleted || role.org_id !== orgId) throw notFound('role');
  return role;
}
