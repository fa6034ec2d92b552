import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, Ids, Refusal, invalidArgument, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { ReturnOrigins } from '@aos/access/published';
import { connectionDecider } from '../connection.decider.js';
import type { AuthorizationFlow, AuthorizedAt } from '../connection/connection.events.js';
import { flowMs, refreshMs } from '../connection/connection.limits.js';
import { connectionWire } from '../connection/connection.wire.js';
import { MendedConnections } from '../connections/mended-connections.js';
import { ProviderDirectory } from '../provider/provider-directory.js';
import type { ProviderRecord } from '../provider/provider.events.js';
import { demandsIss } from '../provider/provider.wire.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { AuthorizeConnection, CompleteAuthorization } from './authorizing.commands.js';
import { requireCodeKind } from './authorizing.decide.js';
import { CodeExchange } from './code-exchange.js';

/** The part of a provider's record that an account is authorized with (rule TE21). */
function authorizedAt(provider: ProviderRecord): AuthorizedAt {
  const { version, issuer, client_id, token_endpoint, hosts, scopes, resource } = provider;
  return {
    version,
    issuer,
    client_id,
    token_endpoint,
    hosts: [...hosts],
    scopes: [...scopes],
    resource,
    iss_demanded: demandsIss(provider),
  };
}

/** Begins a flow of the authorization code kind (rule TE26). */
@CommandHandler(AuthorizeConnection)
export class AuthorizeConnectionHandler implements ICommandHandler<AuthorizeConnection> {
  constructor(
    private readonly decisions: Decisions,
    private readonly mended: MendedConnections,
    private readonly providers: ProviderDirectory,
    private readonly origins: ReturnOrigins,
    private readonly requests: AuthorizationRequests,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses  not_found; permission_denied; upgrade_pending; conflict {reason: kind, provider}; invalid_argument
   *          {argument: return_to} for an origin that the organization does not return to.
   */
  async execute({
    who,
    input: { connection_id: id, body },
  }: AuthorizeConnection): Promise<Reply<'authorizeConnection'>> {
    const connection = await this.mended.managed(who, id);
    requireCodeKind(connection);
    const returnTo = await this.returnTo(who, body.return_to);
    const provider = await this.providers.find(who.orgId, connection.provider ?? '');
    if (!provider) throw new Refusal('conflict', { reason: 'provider' }, 'its provider was deleted');
    const flow: AuthorizationFlow = {
      id: `flow_${this.ids.ulid()}`,
      begun_by: who.principalId,
      return_to: returnTo,
      expires_at: rfc3339(this.clock.now() + flowMs),
      status: 'open',
      receipt_hash: null,
      attempt: 0,
      provider: authorizedAt(provider),
    };
    await this.decisions.decide(connectionDecider.beginAuthorization, id, actorOf(who), { flow, caller: who });
    const of = { orgId: who.orgId, connectionId: id };
    return {
      authorization_url: this.requests.url(provider.authorization_endpoint, flow, of),
      expires_at: flow.expires_at,
    };
  }

  private async returnTo({ orgId }: Identity, text: string): Promise<string> {
    const url = URL.canParse(text) ? new URL(text) : null;
    const isPlain = url !== null && url.username === '' && url.password === '' && url.hash === '';
    if (!isPlain || !(await this.origins.of(orgId)).includes(url.origin))
      throw invalidArgument('return_to', 'must lie on a return origin of the organization, without user or fragment');
    return url.href;
  }
}

/** Fetches the tokens of a flow whose browser came back (rule TE26). */
@CommandHandler(CompleteAuthorization)
export class CompleteAuthorizationHandler implements ICommandHandler<CompleteAuthorization> {
  constructor(
    private readonly decisions: Decisions,
    private readonly mended: MendedConnections,
    private readonly requests: AuthorizationRequests,
    private readonly exchange: CodeExchange,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; permission_denied; conflict {reason: kind, receipt, provider}; upgrade_pending. */
  async execute({
    who,
    input: { connection_id: id, body },
  }: CompleteAuthorization): Promise<Reply<'completeConnectionAuthorization'>> {
    await this.mended.managed(who, id);
    const now = this.clock.now();
    const receiptHash = this.requests.hashOf(body.receipt);
    const command = { receiptHash, caller: who, now: rfc3339(now), until: rfc3339(now + refreshMs) };
    const { state } = await this.decisions.decide(connectionDecider.redeemCode, id, actorOf(who), command);
    const refused = await this.exchange.redeemed(state, actorOf(who), this.requests.redirectUri);
    if (refused !== null)
      throw new Refusal('conflict', { reason: 'provider', error: refused }, 'the provider gave no tokens; begin again');
    return connectionWire(await this.mended.visible(who, id));
  }
}
