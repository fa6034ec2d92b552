import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { idPart, notFound, type Identity } from '@aos/kernel';
import { apiKeyKind } from '../apikey/apikey.state.js';
import { listed } from '../catalog/grants.decide.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { Granted } from '../identity/granted.js';
import { organizationKind } from '../organization/organization.state.js';
import { GetPrincipal } from '../principals/principals.queries.js';
import type { PrincipalView } from '../principal/principal.wire.js';

/** The caller's key and principal, and what the caller may do now (rule A35). */
export interface MeView {
  principal: PrincipalView;
  api_key: { id: string; name: string; expires_at: string | null };
  organization: { id: string; name: string };
  permissions: string[];
}

export class GetMe extends Query<MeView> {
  constructor(readonly who: Identity) {
    super();
  }
}

@QueryHandler(GetMe)
export class GetMeHandler implements IQueryHandler<GetMe> {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly granted: Granted,
    private readonly queries: QueryBus,
  ) {}

  /**
   * Refuses  not_found for an identity without a key; identities of HTTP requests always have one.
   */
  async execute({ who }: GetMe): Promise<MeView> {
    const { state } = await this.decisions.load(apiKeyKind, idPart(who.apiKeyId ?? ''));
    const { key } = state;
    if (!key) throw notFound('API key');
    const { organization } = (await this.decisions.load(organizationKind, idPart(who.orgId))).state;
    return {
      principal: await this.queries.execute(new GetPrincipal(who, who.principalId)),
      api_key: { id: key.id, name: key.name, expires_at: key.expires_at },
      organization: { id: who.orgId, name: organization?.name ?? '' },
      permissions: listed(await this.granted.of(who)).sort(),
    };
  }
}
