import { Injectable } from '@nestjs/common';
import { impliedPermissions, type BasePermission, type Identity } from '@aos/kernel';
import { Granted, PrincipalReader, systemPrincipalId } from '@aos/access/published';
import type { RoutineRecord } from './routine.events.js';

/** The organization itself, for the service's own acts on routines. */
export function organizationIdentity(orgId: string, requestId: string): Identity {
  return {
    orgId, principalId: systemPrincipalId(orgId), kind: 'system', apiKeyId: null, permissions: impliedPermissions(['svc.resource.use']), roles: [], cap: null, requestId, ip: null,
  };
}

/** Whose turns a routine's runs are. */
@Injectable()
export class RunAs {
  constructor(private readonly principals: PrincipalReader, private readonly granted: Granted) {}

  /**
   * Takes    a routine and what the act belongs to.
   * Gives    its owner, or the team's author, with what they may see now and no more than they could when they made it; the organization itself when the
   *          author of a team's routine is gone; null when the person who owns it is.
   */
  async identity({ org_id: orgId, owner, run_as }: RoutineRecord, requestId: string): Promise<Identity | null> {
    const found = await this.principals.find(orgId, run_as.id);
    if (!found || found.status !== 'active') return owner.kind === 'person' ? null : organizationIdentity(orgId, requestId);
    const { permissions } = await this.granted.ofPrincipal(orgId, found);
    const allowed = new Set<BasePermission>([...impliedPermissions([...permissions, 'svc.resource.view'])].filter((one) => run_as.as_admin || one !== 'svc.org.admin'));
    return { orgId, principalId: run_as.id, kind: found.principal.kind, apiKeyId: null, permissions: allowed, roles: [], cap: null, requestId, ip: null };
  }
}
