import { Injectable } from '@nestjs/common';
import { impliedPermissions, type Identity } from '@aos/kernel';
import { Granted, PrincipalReader, organizationIdentity } from '@aos/access/published';
import type { RoutineRecord, RunAsRecord } from './routine.events.js';
import { permissionsOf } from './run-as.decide.js';

/** The source of a run's authority: the routine, or the run itself with the authority that it recorded. */
type Authority = Pick<RoutineRecord, 'org_id' | 'owner'> & { run_as: Omit<RunAsRecord, 'as_admin'> };

/** Works out the principal of a routine's runs, and the principal that its events must be visible to (rule A34). */
@Injectable()
export class RunAs {
  constructor(
    private readonly principals: PrincipalReader,
    private readonly granted: Granted,
  ) {}

  /**
   * Takes    a routine's authority and what the act belongs to.
   * Gives    its owner, or the team's last editor, with what that principal may now and never more than the key of the
   *          last change could; the organization itself, without administration, when the editor of a team's routine is
   *          gone; null when the person who owns it is.
   */
  async identity({ org_id: orgId, owner, run_as }: Authority, requestId: string): Promise<Identity | null> {
    const organization = organizationIdentity(orgId, requestId);
    const found = await this.principals.find(orgId, owner.id ?? run_as.id);
    if (found?.status !== 'active')
      return owner.kind === 'person'
        ? null
        : { ...organization, permissions: permissionsOf(run_as, organization.permissions) };
    const { principal } = found;
    const { permissions } = await this.granted.ofPrincipal(orgId, found);
    return {
      ...organization,
      principalId: principal.id,
      kind: principal.kind,
      permissions: permissionsOf(run_as, impliedPermissions(permissions)),
    };
  }

  /**
   * The principal that decides by its reach which events a routine receives: the owner; for a routine of a team, the
   * organization without administration.
   */
  listener(routine: Authority, requestId: string): Promise<Identity | null> {
    return routine.owner.kind === 'team'
      ? Promise.resolve(organizationIdentity(routine.org_id, requestId))
      : this.identity(routine, requestId);
  }
}
