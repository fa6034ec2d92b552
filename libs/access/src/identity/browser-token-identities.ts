import { Inject, Injectable } from '@nestjs/common';
import { Clock, type Identity } from '@aos/kernel';
import { BrowserTokens, IdentitySource, Settings, bearerToken, type Credentials, type Soon } from '@aos/platform';
import { ApiKeyIdentitySource } from './api-key-identity-source.js';

/**
 * Who asks, by an API key or by a browser token of one. A token gives the identity of its key as it is at that moment,
 * with what the token narrows: nothing of it is kept, and it ends with the key.
 *
 * Source  rules A37, A39; ADR 27.
 */
@Injectable()
export class BrowserTokenIdentities extends IdentitySource {
  constructor(
    private readonly keys: ApiKeyIdentitySource,
    private readonly tokens: BrowserTokens,
    private readonly clock: Clock,
    @Inject(Settings) private readonly settings: Pick<Settings, 'corsOrigins'>,
  ) {
    super();
  }

  override identify(credentials: Credentials): Soon<Identity | null> {
    const text = bearerToken(credentials.authorization);
    return text === null ? this.keys.identify(credentials) : this.ofToken(text, credentials);
  }

  private async ofToken(text: string, { ip, requestId }: Credentials): Promise<Identity | null> {
    const claims = this.tokens.open(text);
    if (!claims || claims.expiresAt <= this.clock.now()) return null;
    const key = await this.keys.used(claims.keyId);
    if (key?.who.orgId !== claims.orgId) return null;
    const { id, verbs, reach } = claims;
    const expiresAt = Math.min(claims.expiresAt, key.expiresAt ?? Number.POSITIVE_INFINITY);
    return { ...key.who, ip, requestId, token: { id, verbs, expiresAt, reach, origins: this.origins(claims.origins) } };
  }

  /** The token's own, of those that the service still lets in. */
  private origins(own: readonly string[] | null): readonly string[] {
    const { corsOrigins } = this.settings;
    return own ? own.filter((origin) => corsOrigins.includes(origin)) : corsOrigins;
  }
}
