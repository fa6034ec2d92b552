import { Injectable } from '@nestjs/common';
import { Clock, ReadStore, Refusal, idPart, type CollectionPage, type Identity, type QueryCursor } from '@aos/kernel';
import type { ApiKeyRecord } from '../apikey/apikey.events.js';
import { apiKeyKind, isLive } from '../apikey/apikey.state.js';
import { keyRows } from '../apikey/apikey.projection.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import { canBeOwner } from '../principal/principal.state.js';
import { PrincipalReader } from '../principal/principal-reader.js';
import { RoleReader } from '../role/role-reader.js';
import { AccessDecisions } from '../changes/access-decisions.js';

const rowsAtOnce = 200;

/** Finds out which callers and keys act with the role Owner (rule A31). */
@Injectable()
export class ActingOwners {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly roleReader: RoleReader,
    private readonly principals: PrincipalReader,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses  permission_denied {role} for a caller that does not act as Owner: its roles lack Owner, or its key has a
   *          lower cap.
   */
  async require({ orgId, roles, cap }: Identity, message: string): Promise<void> {
    const ownerRoleId = await this.roleReader.systemRoleId(orgId, 'Owner');
    const isOwner = roles.some(({ roleId }) => roleId === ownerRoleId) && (cap === null || cap.roleId === ownerRoleId);
    if (!isOwner) throw new Refusal('permission_denied', { role: 'Owner' }, message);
  }

  /**
   * Whether a key belongs to an Owner: to a principal that has the role and can be one, however the key is capped, or
   * to the organization principal with that role.
   */
  async isOwners({ org_id: orgId, org_role: orgRole, principal_id: principalId }: ApiKeyRecord): Promise<boolean> {
    if (principalId === systemPrincipalId(orgId)) return orgRole === 'Owner';
    const found = await this.principals.find(orgId, principalId);
    if (!found || !canBeOwner(found.principal.kind)) return false;
    const ownerRoleId = await this.roleReader.systemRoleId(orgId, 'Owner');
    return found.grants.some(({ role_id: roleId }) => roleId === ownerRoleId);
  }

  /** Whether a key acts as Owner now: its principal is active and its cap does not take the role away. */
  async opens(key: ApiKeyRecord): Promise<boolean> {
    if (!(await this.isOwners(key))) return false;
    if (key.scope_role_id !== null && key.scope_role_id !== (await this.roleReader.systemRoleId(key.org_id, 'Owner')))
      return false;
    return (await this.principals.find(key.org_id, key.principal_id))?.status === 'active';
  }

  /**
   * Another live key that acts as Owner and is not passed over; null when there is none. The list's rows name the
   * candidates, each key's own stream decides.
   */
  async otherKey(orgId: string, passedOver: (keyId: string) => boolean): Promise<string | null> {
    let after: QueryCursor | null = null;
    do {
      const page: CollectionPage<ApiKeyRecord> = await keyRows.query(this.readStore, {
        scope: [orgId],
        orderBy: { index: 'created', direction: 'asc' },
        limit: rowsAtOnce,
        ...(after ? { after } : {}),
      });
      for (const { key: keyId } of page.rows) if (!passedOver(keyId) && (await this.isLiveOwners(keyId))) return keyId;
      after = page.next;
    } while (after);
    return null;
  }

  private async isLiveOwners(keyId: string): Promise<boolean> {
    const { state } = await this.decisions.load(apiKeyKind, idPart(keyId));
    return state.key !== null && isLive(state, this.clock.now()) && this.opens(state.key);
  }
}
