import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import {
  Clock,
  Ids,
  Refusal,
  idPart,
  notFound,
  rfc3339,
  saltedHash,
  type Identity,
  type TokenReach,
  type TokenVerb,
} from '@aos/kernel';
import { BrowserTokens, CallerCommand, Decisions, Settings, actorOf } from '@aos/platform';
import { OrganizationSalts } from '../organization/salts.js';
import { AgentPrincipals } from '../principal/agent-principals.js';
import type { TokenRecord } from '../token/token.events.js';
import { tokenDecider } from '../token.decider.js';
import { askedReach, checkOrigins } from './tokens.decide.js';

export class CreateToken extends CallerCommand<RequestBody<'createToken'>, Reply<'createToken'>> {}

@CommandHandler(CreateToken)
export class CreateTokenHandler implements ICommandHandler<CreateToken> {
  constructor(
    // no key, principal or role changes: no process has to forget whom it knows
    private readonly decisions: Decisions,
    private readonly agents: AgentPrincipals,
    private readonly salts: OrganizationSalts,
    private readonly tokens: BrowserTokens,
    private readonly ids: Ids,
    private readonly clock: Clock,
    @Inject(Settings) private readonly settings: Pick<Settings, 'corsOrigins'>,
  ) {}

  /**
   * Records the token, then shows it. Sessions are not looked at: what the key does not reach when the token is used,
   * the token does not reach.
   *
   * Refuses  permission_denied for a caller that is a token itself; bad_request for a reach that is none, or two;
   *          invalid_argument for an origin that the service does not let in; not_found for an agent out of reach.
   * Source   rules A37, A38; ADR 27.
   */
  async execute({ who, input }: CreateToken): Promise<Reply<'createToken'>> {
    const { apiKeyId: keyId } = who;
    if (who.token || keyId === null)
      throw new Refusal('permission_denied', { permission: 'svc.resource.use' }, 'only a key issues tokens');
    const asked = askedReach(input);
    checkOrigins(input.origins, this.settings.corsOrigins);
    const reach = await this.reach(who, asked);
    const now = this.clock.now();
    const id = `tok_${this.ids.ulid()}`;
    const verbs = new Set<TokenVerb>(input.verbs);
    const expiresAt = now + input.ttl_seconds * 1000;
    const origins = input.origins ? [...new Set(input.origins)] : null;
    const token: TokenRecord = {
      id,
      org_id: who.orgId,
      principal_id: who.principalId,
      api_key_id: keyId,
      verbs: [...verbs],
      session_ids: 'sessionIds' in reach ? [...reach.sessionIds] : null,
      agent_id: 'agentId' in reach ? reach.agentId : null,
      end_user: 'endUser' in reach ? reach.endUser : null,
      origins,
      expires_at: rfc3339(expiresAt),
      created_at: rfc3339(now),
    };
    const text = this.tokens.seal({ id, orgId: who.orgId, keyId, verbs, expiresAt, reach, origins });
    await this.decisions.decide(tokenDecider.issueToken, idPart(id), actorOf(who), { token }, { isNew: true });
    return { token: text, expires_at: token.expires_at };
  }

  /** With the end user as a hash of the principal too: two principals' end users of one name are two. */
  private async reach(who: Identity, asked: ReturnType<typeof askedReach>): Promise<TokenReach> {
    if ('sessionIds' in asked) return asked;
    const { agentId, endUser } = asked;
    if (!(await this.agents.reaches(who, agentId))) throw notFound('agent');
    const salt = await this.salts.of(who.orgId);
    return { agentId, endUser: saltedHash(salt, ['end_user', who.principalId, endUser]) };
  }
}
