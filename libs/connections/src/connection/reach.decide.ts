import { Refusal, notFound, type Identity } from '@aos/kernel';
import type { ConnectionRecord } from './connection.events.js';

export type Caller = Pick<Identity, 'orgId' | 'principalId' | 'permissions'>;

/**
 * Whether a connection is within a caller's reach: one's own; the team's for a caller who may build, use or administer.
 * Administrators do not reach a person's (rule A30).
 */
export function isVisible({ org_id, owner }: ConnectionRecord, { orgId, principalId, permissions }: Caller): boolean {
  if (org_id !== orgId) return false;
  if (owner.kind === 'person') return owner.id === principalId;
  return (['svc.resource.build', 'svc.resource.use', 'svc.org.admin'] as const).some((each) => permissions.has(each));
}

/** Refuses permission_denied for the team's connections to a caller who is no administrator. */
export function requireAdministering(owner: ConnectionRecord['owner'], { permissions }: Caller): void {
  if (owner.kind === 'person' || permissions.has('svc.org.admin')) return;
  throw new Refusal(
    'permission_denied',
    { permission: 'svc.org.admin' },
    'only an administrator may change a connection of the team',
  );
}

/** The live connection of a state, for a caller who may change it. Refuses not_found; permission_denied. */
export function managed(connection: ConnectionRecord | null, caller: Caller): ConnectionRecord {
  if (!connection || connection.deleted_at !== null || !isVisible(connection, caller)) throw notFound('connection');
  requireAdministering(connection.owner, caller);
  return connection;
}
