import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { idPart, notFound, type Identity } from '@aos/kernel';
import { apiKeyKind } from '../apikey/apikey.state.js';
import { listed } from '../catalog/grants.decide.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { Granted } from '../identity/granted.js';
import { organizationKind } from '../organization/organization.state.js';
import { PrincipalQueries } from '../principals/principals.queries.js';

/** The caller's key and principal, and what the caller may do now (rule A35). */
@Injectable()
export class MeQueries {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly granted: Granted,
    private readonly principals: PrincipalQueries,
  ) {}

  /**
   * Refuses  not_found for an identity without a key; identities of HTTP requests always have one.
   */
  async read(who: Identity): Promise<Schema<'Me'>> {
    const { state } = await this.decisions.load(apiKeyKind, idPart(who.apiKeyId ?? ''));
    const { key } = state;
    if (!key) throw notFound('API key');
    const { organization } = (await this.decisions.load(organizationKind, idPart(who.orgId))).state;
    return {
      principal: await this.principals.get(who, who.principalId),
      api_key: { id: key.id, name: key.name, expires_at: key.expires_at },
      organization: { id: who.orgId, name: organization?.name ?? '' },
      permissions: listed(await this.granted.of(who)).sort(),
    };
  }
}
