import { Injectable } from '@nestjs/common';
import type { Identity, RoleAtRevision } from '@aos/kernel';
import { grantsOf, intersection, type Grants } from '../catalog/grants.decide.js';
import { canHold, counting } from '../catalog/holding.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import type { GrantedPrincipal } from '../principal/principal-reader.js';
import { RoleReader } from '../role/role-reader.js';

export interface ResolvedRoles {
  roles: RoleAtRevision[];
  permissions: string[];
}

/** Works out from roles what a principal or a caller may do. */
@Injectable()
export class Granted {
  constructor(private readonly roleReader: RoleReader) {}

  /**
   * The live roles of a principal, and those of their permissions that count for its kind now. An agent without a role
   * is an Agent (rule A32), the organization principal is an Owner (rule A3).
   */
  async ofPrincipal(orgId: string, found: GrantedPrincipal): Promise<ResolvedRoles> {
    const { roles, permissions } = await this.ofRoles(orgId, await this.roleIdsOf(orgId, found));
    return { roles, permissions: counting(found.principal.kind, permissions) };
  }

  private async roleIdsOf(orgId: string, { principal, grants }: GrantedPrincipal): Promise<string[]> {
    if (principal.id === systemPrincipalId(orgId)) return [await this.roleReader.systemRoleId(orgId, 'Owner')];
    if (principal.kind === 'agent' && grants.length === 0) return [await this.roleReader.systemRoleId(orgId, 'Agent')];
    return grants.map(({ role_id }) => role_id);
  }

  private async ofRoles(orgId: string, roleIds: readonly string[]): Promise<ResolvedRoles> {
    const roles: RoleAtRevision[] = [];
    const permissions: string[] = [];
    for (const roleId of roleIds) {
      const found = await this.roleReader.find(orgId, roleId);
      if (!found) continue; // deleted: it grants nothing any more
      roles.push({ roleId, revision: found.revision });
      permissions.push(...found.role.permissions);
    }
    return { roles, permissions };
  }

  /**
   * All permissions of an identity, execute permissions included, at the revisions of roles that the identity names.
   */
  async of(who: Identity): Promise<Grants> {
    const { base, execute } = await this.toHandOut(who);
    return {
      base: new Set([...base].filter((permission) => who.permissions.has(permission))),
      execute: counting(who.kind, execute),
    };
  }

  /**
   * The permissions that an identity may give to others. They include ones that its own kind cannot hold: an Owner may
   * hand out permissions of machines.
   */
  async toHandOut(who: Identity): Promise<Grants> {
    const permissions: string[] = [];
    for (const role of who.roles) permissions.push(...(await this.roleReader.permissionsAt(who.orgId, role)));
    const own = grantsOf(permissions);
    const capped = who.cap ? intersection(own, grantsOf(await this.roleReader.permissionsAt(who.orgId, who.cap))) : own;
    return {
      base: new Set(
        [...capped.base].filter((permission) => who.permissions.has(permission) || !canHold(who.kind, permission)),
      ),
      execute: capped.execute,
    };
  }
}
