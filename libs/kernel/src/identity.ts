import type { BrowserToken } from './browser-token.js';

/** Wire values of rule A8. */
export type PrincipalKind = 'human' | 'service' | 'worker' | 'agent' | 'system';

/**
 * The base permissions (rules A20, A22). Bit numbers in signed identities are positions in this list and are never
 * reused.
 */
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

/**
 * Who asks: worked out once at the gateway, then passed on signed. The organization of every read and write comes from
 * here only.
 */
export interface Identity {
  orgId: string;
  principalId: string;
  kind: PrincipalKind;
  /** `cred_...`, or null for the service's own acts (an agent's tool call, a timer). */
  apiKeyId: string | null;
  permissions: ReadonlySet<BasePermission>;
  roles: readonly RoleAtRevision[];
  /** The role that caps the key (rules A3, A27), or null. */
  cap: RoleAtRevision | null;
  requestId: string;
  /** Caller's address as the gateway saw it, or null. */
  ip: string | null;
  /**
   * Of an agent in a turn: the principal that the turn acts for. What that principal does not see is out of the agent's
   * reach too (rule A33), so every judgement of reach looks at both. Absent: the identity stands for itself alone.
   */
  actsFor?: Viewer;
  /**
   * The request came with a browser token of the key: it may do less, and reaches less, than the key (rules A37, A38).
   */
  token?: BrowserToken;
}

/** What reach is judged by. It is no `Identity`: a query cannot be made with the principal of a turn alone. */
export type Viewer = Pick<Identity, 'orgId' | 'principalId' | 'kind' | 'permissions' | 'token'>;

/** An agent in a turn: what it does needs its own permissions, what it sees is seen by both. */
export type AgentInTurn = Identity & { readonly kind: 'agent'; readonly actsFor: Viewer };

/** All that must see a thing before the identity does: itself, and the principal that it acts for (rule A33). */
export function viewersOf({ orgId, principalId, kind, permissions, actsFor, token }: Identity): readonly Viewer[] {
  const self: Viewer = { orgId, principalId, kind, permissions, ...(token && { token }) };
  return actsFor ? [self, actsFor] : [self];
}

/** Whether a key may do all that it could when its stream was opened; null: it is there no more. */
export function keepsPermissions(opened: Identity, now: Pick<Identity, 'permissions'> | null): boolean {
  return now !== null && [...opened.permissions].every((permission) => now.permissions.has(permission));
}

/** Adds what a permission implies (rule A22). */
export function impliedPermissions(granted: Iterable<string>): Set<BasePermission> {
  const all = new Set<BasePermission>();
  for (const permission of granted) {
    if ((basePermissions as readonly string[]).includes(permission)) all.add(permission as BasePermission);
  }
  if (all.has('svc.org.admin'))
    for (const implied of ['svc.resource.use', 'svc.resource.build'] as const) all.add(implied);
  if (all.has('svc.resource.use') || all.has('svc.resource.build')) all.add('svc.resource.view');
  return all;
}

/** Software acts for the organization's team, a person for themself (rules A25, A26, A28). */
export function isSoftware(kind: PrincipalKind): boolean {
  return kind !== 'human';
}
