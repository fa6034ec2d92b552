import { Injectable } from '@nestjs/common';
import { SealBroken } from '@aos/platform';
import type { ConnectionRecord } from '../connection/connection.events.js';
import { ProviderDirectory } from '../provider/provider-directory.js';
import type { ProviderRecord } from '../provider/provider.events.js';
import { ConnectionSecrets } from '../secret/connection-secrets.js';
import { TokenEndpoint, scopeOf, type OAuthClient } from './token-endpoint.js';
import type { TokenAnswer } from './token-answer.decide.js';

/** What a try rests on: stored tokens are kept only while it is in place. */
export type RestsOn = { version: number } | { attempt: number };
/** `lost`: nothing is stored that the issuer takes. */
export type RefreshAnswer = { answer: TokenAnswer; from: RestsOn } | { lost: string } | { failed: string };

/** Asks for another access token with what is stored of a connection. */
@Injectable()
export class RefreshRequests {
  constructor(
    private readonly secrets: ConnectionSecrets,
    private readonly providers: ProviderDirectory,
    private readonly endpoint: TokenEndpoint,
  ) {}

  async ask(connection: ConnectionRecord): Promise<RefreshAnswer> {
    try {
      return connection.kind === 'oauth2_client_credentials'
        ? await this.byCredentials(connection)
        : await this.byRefreshToken(connection);
    } catch (error) {
      if (error instanceof SealBroken) return { failed: 'secret_unreadable' };
      throw error;
    }
  }

  /** The client of a provider; null while its secret is not the one that its record names. Throws `SealBroken`. */
  async clientOf(provider: ProviderRecord): Promise<OAuthClient | null> {
    const stored = await this.secrets.openedWithFacts(provider.org_id, provider.secret_id);
    const secret = stored?.version === provider.secret_version ? stored.values.secret : undefined;
    if (secret === undefined) return null;
    const { client_id: id, token_endpoint: tokenEndpoint, issuer } = provider;
    return { id, secret, tokenEndpoint, issuer };
  }

  private async byCredentials(connection: ConnectionRecord): Promise<RefreshAnswer> {
    const { org_id: orgId, id, client_id: clientId, token_endpoint: tokenEndpoint } = connection;
    const stored = await this.secrets.openedWithFacts(orgId, id);
    const secret = stored?.values.secret;
    if (!stored || secret === undefined || clientId === null || tokenEndpoint === null) return { lost: 'no_secret' };
    const client = { id: clientId, secret, tokenEndpoint, issuer: null };
    const answer = await this.endpoint.ask(orgId, client, { grant_type: 'client_credentials', ...scopeOf(connection) });
    return { answer, from: { version: stored.version } };
  }

  private async byRefreshToken(connection: ConnectionRecord): Promise<RefreshAnswer> {
    const { org_id: orgId, id, provider: name, oauth } = connection;
    const provider = name === null ? null : await this.providers.find(orgId, name);
    if (!provider || provider.version !== oauth?.provider_version) return { failed: 'provider_changed' };
    const client = await this.clientOf(provider);
    if (!client) return { failed: 'provider_secret' };
    const stored = await this.secrets.openedWithFacts(orgId, id);
    const refreshToken = stored?.values.refresh_token;
    if (!stored?.token || refreshToken === undefined) return { lost: 'no_refresh_token' };
    const answer = await this.endpoint.ask(orgId, client, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      resource: oauth.resource,
    });
    return { answer, from: { attempt: stored.token.attempt } };
  }
}
