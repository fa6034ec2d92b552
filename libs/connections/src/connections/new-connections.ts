import { Injectable } from '@nestjs/common';
import { invalidArgument } from '@aos/kernel';
import type { ConnectionOAuth } from '../connection/connection.events.js';
import { ProviderDirectory } from '../provider/provider-directory.js';
import { fieldsOf, type ConnectionFields, type NewConnection } from './fields.decide.js';
import { HostChecks } from './host-checks.js';

/** The fields of a new connection; those of the OAuth kinds come from its provider where it names none. */
@Injectable()
export class NewConnections {
  constructor(
    private readonly hosts: HostChecks,
    private readonly providers: ProviderDirectory,
  ) {}

  /**
   * Refuses invalid_argument as `fieldsOf`; {argument: provider} for a kind that a provider authorizes without the
   * provider's record; {argument: token_endpoint} for one that may not be called.
   */
  async of(orgId: string, body: NewConnection): Promise<ConnectionFields & { oauth: ConnectionOAuth | null }> {
    const { kind } = body;
    const hosts = kind === 'oauth2_authorization_code' ? null : this.hosts.normal(kind, body.hosts);
    if (kind !== 'oauth2_client_credentials' && kind !== 'oauth2_authorization_code')
      return { ...fieldsOf(kind, body, hosts), oauth: null };
    const provider = body.provider === undefined ? null : await this.providers.find(orgId, body.provider);
    if (kind === 'oauth2_authorization_code' && !provider)
      throw invalidArgument('provider', 'no such provider is saved', { reason: 'unknown_provider' });
    if (kind === 'oauth2_client_credentials' && body.token_endpoint !== undefined)
      this.hosts.requireAddress('token_endpoint', body.token_endpoint);
    const byDefault = { hosts: provider?.hosts ?? [], header: null, format: null, username: null, url: null };
    const { client_id = null, token_endpoint = null } = provider ?? {};
    const fields = fieldsOf(kind, body, hosts, { ...byDefault, client_id, token_endpoint });
    const oauth: ConnectionOAuth = {
      scopes: [...(provider?.scopes ?? [])],
      resource: provider?.resource ?? null,
      issuer: null,
      provider_version: null,
      attempt: 0,
      valid_from: 0,
      refresh: null,
      flow: null,
    };
    return { ...fields, oauth };
  }
}
