import { basePermissions, derivedId } from '@aos/kernel';
import { executeAll } from '../catalog/grants.decide.js';
import type { RoleRecord } from './role.events.js';

/** Names and permissions of the built-in roles (rule A14), in the order lists show them. */
export const systemRoles = {
  Owner: { description: 'Everything in the organization.', permissions: [...basePermissions, executeAll] },
  Admin: {
    description: 'Administers the organization.',
    permissions: ['svc.org.admin', 'svc.billing.view', executeAll],
  },
  User: {
    description: 'Uses and builds, and executes actions.',
    permissions: ['svc.resource.use', 'svc.resource.build', executeAll],
  },
  Viewer: { description: 'Reads.', permissions: ['svc.resource.view'] },
  Worker: { description: 'Executes jobs.', permissions: ['svc.job.execute', 'svc.resource.view'] },
  Agent: { description: 'What an agent may do by itself.', permissions: ['svc.resource.view', 'svc.resource.use'] },
} as const;
export type SystemRoleName = keyof typeof systemRoles;
export const systemRoleNames = Object.keys(systemRoles) as SystemRoleName[];

/** Id of a built-in role in an organization: it never changes, and differs between organizations. */
export function systemRoleId(salt: string, name: SystemRoleName): string {
  return derivedId('role', salt, ['system', name]);
}

/** Built-in roles are derived and never stored, so they cannot be changed. */
export function systemRoleRecords(orgId: string, salt: string, createdAt: string): RoleRecord[] {
  return systemRoleNames.map((name) => ({
    id: systemRoleId(salt, name),
    org_id: orgId,
    name,
    description: systemRoles[name].description,
    permissions: [...systemRoles[name].permissions],
    system_defined: true,
    tags: {},
    created_at: createdAt,
    updated_at: createdAt,
  }));
}
