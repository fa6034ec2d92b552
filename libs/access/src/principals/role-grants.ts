import { Injectable } from '@nestjs/common';
import { Refusal, badRequest, notFound, type Identity, type PrincipalKind } from '@aos/kernel';
import { lacking } from '../catalog/grants.decide.js';
import { unholdable } from '../catalog/holding.js';
import { Escalation } from '../identity/escalation.js';
import { assignmentId } from '../principal/principal.ids.js';
import type { RoleGrant } from '../principal/principal.events.js';
import { rolesPerPrincipalMax } from '../principal/principal.limits.js';
import { RoleReader } from '../role/role-reader.js';
import type { RoleRecord } from '../role/role.events.js';

/** The roles that a caller wants a principal to have. */
@Injectable()
export class RoleGrants {
  constructor(
    private readonly roleReader: RoleReader,
    private readonly escalation: Escalation,
  ) {}

  /**
   * Roles that the caller may not give to a principal of this kind (control S35, rule A32), each with its refusal.
   *
   * Refuses  not_found for a role that is not live; bad_request for more than 100 roles.
   */
  async withheld(who: Identity, kind: PrincipalKind, roleIds: readonly string[]): Promise<Map<string, Refusal>> {
    const roles = await this.roles(who.orgId, roleIds);
    const held = await this.escalation.held(who);
    const withheld = new Map<string, Refusal>();
    for (const role of roles) {
      const lacks = lacking(held, role.permissions);
      const refusal =
        lacks === null
          ? unholdable(kind, role)
          : new Refusal('permission_denied', { permission: lacks }, `you cannot grant ${lacks}`);
      if (refusal) withheld.set(role.id, refusal);
    }
    return withheld;
  }

  grantsFor(who: Identity, principalId: string, roleIds: readonly string[], at: string): RoleGrant[] {
    return roleIds.map((roleId) => ({
      assignment_id: assignmentId(principalId, roleId),
      role_id: roleId,
      granted_by: who.principalId,
      granted_at: at,
    }));
  }

  private async roles(orgId: string, roleIds: readonly string[]): Promise<RoleRecord[]> {
    if (roleIds.length > rolesPerPrincipalMax)
      throw badRequest([{ path: '/role_ids', message: `at most ${rolesPerPrincipalMax} roles` }]);
    const roles: RoleRecord[] = [];
    for (const roleId of roleIds) {
      const found = await this.roleReader.find(orgId, roleId);
      if (!found) throw notFound('role');
      roles.push(found.role);
    }
    return roles;
  }
}
