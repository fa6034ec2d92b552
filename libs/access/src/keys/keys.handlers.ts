import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Refusal, badRequest, idPart, looksLikeId, notFound, rfc3339, type Identity } from '@aos/kernel';
import { actOf, newApiKey } from '@aos/platform';
import { apiKeyKind } from '../apikey/apikey.state.js';
import { grantsOf, intersection, listed } from '../catalog/grants.decide.js';
import type { SystemRoleName } from '../catalog/system-roles.js';
import { AccessDecisions } from '../identity/access-decisions.js';
import { Escalation } from '../identity/escalation.js';
import { Granted } from '../identity/granted.js';
import { Names } from '../names/names.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import { PrincipalReader, type FoundPrincipal } from '../principal/principal-reader.js';
import { RoleReader, type FoundRole } from '../role/role-reader.js';
import { checkedExpiry, revokeKey } from './keys.decide.js';
import { KeysWriter } from './keys.writer.js';
import { apiKeyView, type ApiKeyView } from './keys.wire.js';

export interface CreateKeyInput {
  name: string;
  principal_id?: string;
  scope_role_id?: string;
  allow_unassigned_principal?: boolean;
  role?: Extract<SystemRoleName, 'Owner' | 'Admin' | 'User' | 'Viewer'>;
  expires_at?: string;
  tags?: Record<string, string>;
}

export class CreateKey extends Command<ApiKeyView & { key: string }> {
  constructor(readonly who: Identity, readonly input: CreateKeyInput) { super(); }
}

export class RevokeKey extends Command<void> {
  constructor(readonly who: Identity, readonly keyId: string) { super(); }
}

const capDefault = 'Admin';

@CommandHandler(CreateKey)
export class CreateKeyHandler implements ICommandHandler<CreateKey> {
  constructor(
    private readonly keys: KeysWriter, private readonly reader: PrincipalReader, private readonly roleReader: RoleReader,
    private readonly granted: Granted, private readonly escalation: Escalation, private readonly clock: Clock,
  ) {}

  /**
   * Refuses not_found for a principal or role that is not there, bad_request for a scope without a principal, invalid_argument for a past
   * expiry, principal_has_no_roles (decision A4), permission_denied when the key could do what the caller cannot (S35), already_exists.
   */
  async execute({ who, input }: CreateKey): Promise<ApiKeyView & { key: string }> {
    const now = this.clock.now();
    const expiresAt = checkedExpiry(input.expires_at, now);
    const principalId = input.principal_id ?? systemPrincipalId(who.orgId);
    const ofOrganization = principalId === systemPrincipalId(who.orgId);
    if (ofOrganization && input.scope_role_id !== undefined) throw badRequest([{ path: '/scope_role_id', message: 'needs principal_id' }]);
    const principal = await this.reader.findFor(who, principalId);
    if (!principal) throw notFound('principal');
    const orgRole = ofOrganization ? (input.role ?? capDefault) : null;
    const capRoleId = orgRole === null ? input.scope_role_id : await this.roleReader.systemRoleId(who.orgId, orgRole);
    const cap = capRoleId === undefined ? null : await this.roleReader.find(who.orgId, capRoleId);
    if (capRoleId !== undefined && !cap) throw notFound('role');
    await this.checkReach(who, principal, cap, input.allow_unassigned_principal ?? false);
    const secret = newApiKey();
    const record = await this.keys.issue(actOf(who), {
      secret, name: input.name, principalId, scopeRoleId: ofOrganization ? null : input.scope_role_id ?? null, orgRole, expiresAt,
      tags: input.tags ?? {}, createdAt: rfc3339(now),
    });
    return { ...apiKeyView(record, null), key: secret };
  }

  private async checkReach(who: Identity, principal: FoundPrincipal, cap: FoundRole | null, allowUnassigned: boolean): Promise<void> {
    const { roles, permissions } = await this.granted.ofPrincipal(who.orgId, principal);
    if (roles.length === 0 && !allowUnassigned) {
      throw new Refusal('principal_has_no_roles', { principal_id: principal.principal.id }, 'the principal has no roles; allow_unassigned_principal issues the key all the same');
    }
    const own = grantsOf(permissions);
    await this.escalation.refuse(who, listed(cap ? intersection(own, grantsOf(cap.role.permissions)) : own));
  }
}

@CommandHandler(RevokeKey)
export class RevokeKeyHandler implements ICommandHandler<RevokeKey> {
  constructor(private readonly decisions: AccessDecisions, private readonly names: Names, private readonly clock: Clock) {}

  /** The key opens nothing from the next request on. Refuses not_found. */
  async execute({ who, keyId }: RevokeKey): Promise<void> {
    if (!looksLikeId('cred', keyId)) throw notFound('API key');
    const act = actOf(who);
    const command = { orgId: who.orgId, at: rfc3339(this.clock.now()) };
    const { state } = await this.decisions.run(apiKeyKind, idPart(keyId), act, (key) => revokeKey(command, key));
    if (state.key) await this.names.release(act, 'apikey', state.key.name, keyId);
  }
}
