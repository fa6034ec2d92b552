import type { Schema } from '@aos/contract';
import type { BasePermission, PrincipalKind } from '@aos/kernel';
import { executeAll } from './grants.decide.js';

/** One line of the permission catalog, in the contract's shape (rules A17, A18). */
export type PermissionDefinition = Schema<'PermissionDefinition'>;

/** A wildcard execute permission and the exact ones it covers now. */
export type ActionPermissionGroup = Schema<'ActionPermissionGroup'>;

const everyone: PrincipalKind[] = ['human', 'service', 'worker', 'agent', 'system'];
const peopleAndClients: PrincipalKind[] = ['human', 'service', 'system'];

const base: Record<BasePermission, Omit<PermissionDefinition, 'id' | 'scope' | 'assignable'>> = {
  'svc.resource.view': {
    label: 'View',
    description: 'See the resources within reach.',
    category: 'resource',
    risk: 'low',
    user_kinds: everyone,
  },
  'svc.resource.use': {
    label: 'Use',
    description: 'Work with the resources within reach: sessions, turns, rows, memory. Implies view.',
    category: 'resource',
    risk: 'medium',
    user_kinds: everyone,
  },
  'svc.resource.build': {
    label: 'Build',
    description: 'Create and change configuration under eligible custody. Implies view, not use.',
    category: 'resource',
    risk: 'high',
    user_kinds: peopleAndClients,
  },
  'svc.org.admin': {
    label: 'Administer',
    description: 'Administer the organization and its team resources. Implies view, use and build.',
    category: 'org',
    risk: 'critical',
    user_kinds: peopleAndClients,
  },
  'svc.billing.view': {
    label: 'View billing',
    description: 'See usage and billing records.',
    category: 'billing',
    risk: 'low',
    user_kinds: peopleAndClients,
  },
  'svc.billing.manage': {
    label: 'Manage billing',
    description: 'Change billing settings.',
    category: 'billing',
    risk: 'high',
    user_kinds: peopleAndClients,
  },
  'svc.job.execute': {
    label: 'Execute jobs',
    description: 'Claim and finish machine jobs over the worker connection.',
    category: 'job',
    risk: 'medium',
    user_kinds: ['worker', 'service', 'system'],
  },
};

export function basePermissionDefinition(id: BasePermission): PermissionDefinition {
  return { id, scope: 'org', assignable: true, ...base[id] } as PermissionDefinition;
}

export const permissionCatalog: readonly PermissionDefinition[] = [
  ...(Object.keys(base) as BasePermission[]).map(basePermissionDefinition),
  executeDefinition(executeAll, 'Execute all actions', 'high'),
];

export function executeDefinition(
  id: string,
  label: string,
  risk: PermissionDefinition['risk'] = 'medium',
): PermissionDefinition {
  const description = id.endsWith('*')
    ? 'Execute every action it covers, now and later. Grants no connection.'
    : 'Execute this one action. Grants no connection.';
  return {
    id,
    label,
    description,
    scope: 'action',
    category: 'resource',
    risk,
    assignable: true,
    user_kinds: peopleAndClients,
  };
}

/** Ready-made bundles for role editors. */
export const permissionPresets: readonly Schema<'PermissionPreset'>[] = [
  {
    id: 'viewer',
    label: 'Viewer',
    description: 'Reads what is within reach.',
    scope: 'org',
    permissions: ['svc.resource.view'],
  },
  {
    id: 'operator',
    label: 'Operator',
    description: 'Runs sessions and actions, changes no configuration.',
    scope: 'org',
    permissions: ['svc.resource.use', executeAll],
  },
  {
    id: 'builder',
    label: 'Builder',
    description: 'Changes configuration and tries it out.',
    scope: 'org',
    permissions: ['svc.resource.use', 'svc.resource.build', executeAll],
  },
  {
    id: 'administrator',
    label: 'Administrator',
    description: 'Administers the organization.',
    scope: 'org',
    permissions: ['svc.org.admin', 'svc.billing.view', executeAll],
  },
  {
    id: 'job-runner',
    label: 'Job runner',
    description: 'A machine that executes jobs.',
    scope: 'org',
    permissions: ['svc.job.execute', 'svc.resource.view'],
  },
  {
    id: 'all-actions',
    label: 'All actions',
    description: 'Executes every action.',
    scope: 'action',
    permissions: [executeAll],
  },
];
