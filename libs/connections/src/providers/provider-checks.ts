import { Injectable } from '@nestjs/common';
import type { RequestBody } from '@aos/contract';
import { invalidArgument } from '@aos/kernel';
import { HostChecks } from '../connections/host-checks.js';
import { IssuerMetadata } from './issuer-metadata.js';
import type { ProviderFields } from './providers.decide.js';

const challengeMethod = 'S256';

/** Checks what a provider is saved with, and asks the issuer about itself. */
@Injectable()
export class ProviderChecks {
  constructor(
    private readonly hosts: HostChecks,
    private readonly metadata: IssuerMetadata,
  ) {}

  /**
   * The fields of a body; whether answers have `iss` is taken from the issuer's metadata too.
   *
   * Refuses  invalid_argument {argument} for an address that may not be called, and for an issuer without S256.
   * Source   rule TE26.
   */
  async fields(orgId: string, body: RequestBody<'saveProvider'>): Promise<ProviderFields> {
    const { client_id, authorization_endpoint, token_endpoint, issuer, scopes = [], resource = null } = body;
    const { iss_required = false } = body;
    this.hosts.requireAddress('authorization_endpoint', authorization_endpoint);
    this.hosts.requireAddress('token_endpoint', token_endpoint);
    this.hosts.requireAddress('issuer', issuer);
    const hosts = this.hosts.normal('oauth2_authorization_code', body.hosts) ?? [];
    const facts = await this.metadata.of(orgId, issuer);
    if (facts?.challengeMethods?.includes(challengeMethod) === false)
      throw invalidArgument('issuer', 'its metadata exclude PKCE with S256', { reason: 'pkce' });
    return {
      client_id,
      authorization_endpoint,
      token_endpoint,
      issuer,
      scopes: [...scopes],
      hosts,
      resource,
      iss_required,
      iss_promised: facts?.sendsIss ?? false,
    };
  }
}
