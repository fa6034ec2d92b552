import type { Schema } from '@aos/client';

export type Permission = Schema<'PermissionDefinition'>;
export type Role = Schema<'Role'>;

/** What one permission brings with it. */
const implies: Record<string, readonly string[]> = {
  'svc.org.admin': ['svc.resource.view', 'svc.resource.use', 'svc.resource.build'],
  'svc.resource.use': ['svc.resource.view'],
  'svc.resource.build': ['svc.resource.view'],
};

export type Holding = 'held' | 'implied' | 'no';

/** Whether permissions hold one: by its own name, by another that implies or covers it, or not. */
export function holding(held: readonly string[], wanted: string): Holding {
  if (held.includes(wanted)) return 'held';
  const isImplied = held.some(
    (one) => (implies[one] ?? []).includes(wanted) || (one.endsWith('.*') && wanted.startsWith(one.slice(0, -1))),
  );
  return isImplied ? 'implied' : 'no';
}

export interface PermissionGroup {
  title: string;
  permissions: readonly Permission[];
}

const titles: Record<string, string> = {
  resource: 'Resources',
  org: 'Organization',
  job: 'Jobs',
  billing: 'Billing',
  platform: 'Platform',
};

/** Permissions by category, then those to execute actions: all and families first. */
export function groupsOf(permissions: readonly Permission[]): PermissionGroup[] {
  const isAction = ({ scope }: Permission): boolean => scope === 'action';
  const plain = Object.entries(titles).map(([category, title]) => ({
    title,
    permissions: permissions.filter((one) => !isAction(one) && one.category === category),
  }));
  const actions = permissions.filter(isAction);
  const isFamily = ({ id }: Permission): boolean => id.endsWith('.*');
  return [
    ...plain,
    { title: 'Execute actions', permissions: actions.filter(isFamily) },
    { title: 'Execute single actions', permissions: actions.filter((one) => !isFamily(one)) },
  ].filter(({ permissions: all }) => all.length > 0);
}
