import { Injectable } from '@nestjs/common';
import { GenerationalCache, idPart, looksLikeId, type RoleAtRevision } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { systemRoleRecords, type SystemRoleName } from './system-roles.js';
import { OrganizationSalts } from '../organization/salts.js';
import type { RoleRecord } from './role.events.js';
import { roleKind } from './role.state.js';

const keptMax = 5_000;

export interface FoundRole {
  role: RoleRecord;
  revision: number;
}

/** Reads roles by id: built-in roles are derived, custom roles are folded from their streams. */
@Injectable()
export class RoleReader {
  private readonly system = new GenerationalCache<RoleRecord[]>(keptMax);
  private readonly atRevision = new GenerationalCache<readonly string[]>(keptMax);

  constructor(
    private readonly decisions: Decisions,
    private readonly salts: OrganizationSalts,
  ) {}

  /** The organization's built-in roles, in catalog order. */
  async systemRoles(orgId: string): Promise<readonly RoleRecord[]> {
    const known = this.system.get(orgId);
    if (known) return known;
    const { salt, createdAt } = await this.salts.origin(orgId);
    const records = systemRoleRecords(orgId, salt, createdAt);
    this.system.set(orgId, records);
    return records;
  }

  /** From the roles that are kept: each use would be a hash. */
  async systemRoleId(orgId: string, name: SystemRoleName): Promise<string> {
    const role = (await this.systemRoles(orgId)).find((each) => each.name === name);
    if (!role) throw new Error(`no built-in role ${name}`);
    return role.id;
  }

  /** A live role of this organization, or null. */
  async find(orgId: string, roleId: string): Promise<FoundRole | null> {
    if (!looksLikeId('role', roleId)) return null;
    const system = (await this.systemRoles(orgId)).find(({ id }) => id === roleId);
    if (system) return { role: system, revision: 0 };
    const { state, revision } = await this.decisions.load(roleKind, idPart(roleId));
    const { role, deleted } = state;
    if (!role) this.decisions.forget(roleKind, idPart(roleId));
    return role && !deleted && role.org_id === orgId ? { role, revision } : null;
  }

  /** A custom role at its newest event: at its deletion, where it has no permissions, once it is deleted. */
  async newest(roleId: string): Promise<RoleAtRevision> {
    const { revision } = await this.decisions.load(roleKind, idPart(roleId));
    return { roleId, revision };
  }

  /** Those of the ids that are live roles of this organization. */
  async liveIds(orgId: string, roleIds: Iterable<string>): Promise<string[]> {
    const live: string[] = [];
    for (const roleId of roleIds) if (await this.find(orgId, roleId)) live.push(roleId);
    return live;
  }

  /**
   * Permissions of a role at a revision, such as the one that an identity was worked out from.
   * Cached for good, as the past does not change. Empty for a role that is not this organization's.
   */
  async permissionsAt(orgId: string, { roleId, revision }: RoleAtRevision): Promise<readonly string[]> {
    const system = (await this.systemRoles(orgId)).find(({ id }) => id === roleId);
    if (system) return system.permissions;
    const name = `${orgId} ${roleId} ${revision}`;
    const known = this.atRevision.get(name);
    if (known) return known;
    const [event] = await this.decisions.read(roleKind, idPart(roleId), { from: revision, limit: 1 });
    const stands = event && event.type !== 'RoleDeleted' && event.data.role.org_id === orgId;
    const permissions = stands ? event.data.role.permissions : [];
    this.atRevision.set(name, permissions);
    return permissions;
  }
}
