/** Wire values of decision A8. */
export type PrincipalKind = 'human' | 'service' | 'worker' | 'agent' | 'system';

/** The base permissions (decisions A20, A22). Bit numbers in signed identities are positions in this list and are never reused. */
export const basePermissions = [
  'svc.resource.view',
  'svc.resource.use',
  'svc.resource.build',
  'svc.org.admin',
  'svc.billing.view',
  'svc.billing.manage',
  'svc.job.execute',
] as const;
export type BasePermission = (typeof basePermissions)[number];

export interface RoleAtRevision {
  roleId: string;
  revision: number;
}

/** Who asks: worked out once at the door, then passed on signed. The organization of every read and write comes from here only. */
export interface Identity {
  orgId: string;
  principalId: string;
  kind: PrincipalKind;
  /** `cred_...`, or null for the service's own acts (an agent's tool call, a timer). */
  apiKeyId: string | null;
  permissions: ReadonlySet<BasePermission>;
  roles: readonly RoleAtRevision[];
  /** The role that caps the key (decisions A3, A27), or null. */
  cap: RoleAtRevision | null;
  requestId: string;
  /** Caller's address as the door saw it, or null. */
  ip: string | null;
}

/** Adds what a permission implies (decision A22). */
export function impliedPermissions(granted: Iterable<string>): Set<BasePermission> {
  const all = new Set<BasePermission>();
  for (const permission of granted) {
    if ((basePermissions as readonly string[]).includes(permission)) all.add(permission as BasePermission);
  }
  if (all.has('svc.org.admin')) for (const implied of ['svc.resource.use', 'svc.resource.build'] as const) all.add(implied);
  if (all.has('svc.resource.use') || all.has('svc.resource.build')) all.add('svc.resource.view');
  return all;
}

/** Software acts for the organization's team, a person for themself (decisions A25, A26, A28). */
export function isSoftware(kind: PrincipalKind): boolean {
  return kind !== 'human';
}
