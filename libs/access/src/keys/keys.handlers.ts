import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import { Clock, Refusal, badRequest, idPart, looksLikeId, notFound, rfc3339, type Identity } from '@aos/kernel';
import { CallerCommand, actorOf, newApiKey } from '@aos/platform';
import type { ApiKeyRecord } from '../apikey/apikey.events.js';
import { apiKeyDecider } from '../apikey.decider.js';
import { apiKeyKind } from '../apikey/apikey.state.js';
import { grantsOf, intersection, listed } from '../catalog/grants.decide.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { Escalation } from '../identity/escalation.js';
import { ActingOwners } from '../identity/acting-owners.js';
import { Granted } from '../identity/granted.js';
import { Names } from '../names/names.js';
import { organizationDecider } from '../organization.decider.js';
import { organizationKind } from '../organization/organization.state.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import { PrincipalReader, type FoundPrincipal } from '../principal/principal-reader.js';
import { RoleReader, type FoundRole } from '../role/role-reader.js';
import { checkedExpiry } from './keys.decide.js';
import { KeysWriter } from './keys-writer.js';
import { apiKeyView } from '../apikey/apikey.wire.js';

export class CreateKey extends CallerCommand<RequestBody<'createAPIKey'>, Reply<'createAPIKey'>> {}
export class RevokeKey extends CallerCommand<{ api_key_id: string }, void> {}

const capDefault = 'Admin';
/** Attempts to leave the Owners, each repeated because another Owner's key was revoked at the same time. */
const leavingsMax = 16;

@CommandHandler(CreateKey)
export class CreateKeyHandler implements ICommandHandler<CreateKey> {
  constructor(
    private readonly keys: KeysWriter,
    private readonly reader: PrincipalReader,
    private readonly roleReader: RoleReader,
    private readonly granted: Granted,
    private readonly escalation: Escalation,
    private readonly owners: ActingOwners,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses  not_found for a principal or role that does not exist; bad_request for a scope without a principal;
   *          invalid_argument for a past expiry; principal_has_no_roles (rule A4); permission_denied when the key could
   *          do more than the caller (control S35), is for another person and the caller is no Owner (rule A31), or is
   *          for an agent out of the caller's reach, which a key that acts as it would reach (rule A30);
   *          already_exists.
   */
  async execute({ who, input }: CreateKey): Promise<Reply<'createAPIKey'>> {
    const now = this.clock.now();
    const expiresAt = checkedExpiry(input.expires_at, now);
    const principalId = input.principal_id ?? systemPrincipalId(who.orgId);
    const ofOrganization = principalId === systemPrincipalId(who.orgId);
    if (ofOrganization && input.scope_role_id !== undefined)
      throw badRequest([{ path: '/scope_role_id', message: 'needs principal_id' }]);
    const principal = await this.reader.findFor(who, principalId);
    if (!principal) throw notFound('principal');
    const isOwn = principalId === who.principalId;
    if (principal.principal.kind === 'human' && !isOwn)
      await this.owners.require(who, 'keys for a person are issued by that person or an Owner');
    if (principal.principal.kind === 'agent' && !(await this.reader.reachesAgent(who, principalId)))
      throw new Refusal(
        'permission_denied',
        { principal_id: principalId },
        'keys for an agent that not all reach are issued by its owner or a member',
      );
    const orgRole = ofOrganization ? (input.role ?? capDefault) : null;
    const capRoleId = orgRole === null ? input.scope_role_id : await this.roleReader.systemRoleId(who.orgId, orgRole);
    const cap = capRoleId === undefined ? null : await this.roleReader.find(who.orgId, capRoleId);
    if (capRoleId !== undefined && !cap) throw notFound('role');
    await this.checkReach(who, principal, cap, input.allow_unassigned_principal ?? false);
    const secret = newApiKey();
    const record = await this.keys.issue(actorOf(who), {
      secret,
      name: input.name,
      principalId,
      scopeRoleId: ofOrganization ? null : (input.scope_role_id ?? null),
      orgRole,
      expiresAt,
      tags: input.tags ?? {},
      createdAt: rfc3339(now),
    });
    return { ...apiKeyView(record, null), key: secret };
  }

  private async checkReach(
    who: Identity,
    principal: FoundPrincipal,
    cap: FoundRole | null,
    allowUnassigned: boolean,
  ): Promise<void> {
    const { roles, permissions } = await this.granted.ofPrincipal(who.orgId, principal);
    if (roles.length === 0 && !allowUnassigned) {
      throw new Refusal(
        'principal_has_no_roles',
        { principal_id: principal.principal.id },
        'the principal has no roles; allow_unassigned_principal issues the key all the same',
      );
    }
    const own = grantsOf(permissions);
    await this.escalation.refuse(who, listed(cap ? intersection(own, grantsOf(cap.role.permissions)) : own));
  }
}

@CommandHandler(RevokeKey)
export class RevokeKeyHandler implements ICommandHandler<RevokeKey> {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly names: Names,
    private readonly owners: ActingOwners,
    private readonly clock: Clock,
  ) {}

  /**
   * Revokes the key from the next request on. Refuses not_found; permission_denied for an Owner's key when the caller
   * is no Owner; last_owner for the last key that acts as Owner (rule A31).
   */
  async execute({ who, input: { api_key_id: keyId } }: RevokeKey): Promise<void> {
    if (!looksLikeId('cred', keyId)) throw notFound('API key');
    const actor = actorOf(who);
    const command = { orgId: who.orgId, at: rfc3339(this.clock.now()) };
    const { state: found } = await this.decisions.load(apiKeyKind, idPart(keyId));
    if (found.key?.org_id === who.orgId && !found.revoked) await this.leave(who, found.key);
    const { state } = await this.decisions.decide(apiKeyDecider.revokeKey, idPart(keyId), actor, command);
    if (state.key) await this.names.release(actor, 'apikey', state.key.name, keyId);
  }

  /**
   * Takes    a key that acts as Owner out of the Owners before it is revoked. Refuses a caller that is no Owner, and
   *          the last such key.
   */
  private async leave(who: Identity, key: ApiKeyRecord): Promise<void> {
    if (!(await this.owners.isOwners(key))) return;
    await this.owners.require(who, 'keys of an Owner are revoked by an Owner');
    if (key.expires_at !== null && Date.parse(key.expires_at) <= this.clock.now()) return;
    if (!(await this.owners.opens(key))) return;
    for (let attempt = 1; ; attempt += 1) {
      const { leavings } = (await this.decisions.load(organizationKind, idPart(who.orgId))).state;
      const gone = new Set(leavings.keys());
      const otherId = await this.owners.otherKey(who.orgId, (id) => id === key.id || gone.has(id));
      try {
        const command = { keyId: key.id, otherId };
        await this.decisions.decide(organizationDecider.leaveOwnerKeys, idPart(who.orgId), actorOf(who), command);
        return;
      } catch (error) {
        // the other key left meanwhile: there may be a third
        if (!(error instanceof Refusal) || otherId === null || attempt === leavingsMax) throw error;
      }
    }
  }
}
