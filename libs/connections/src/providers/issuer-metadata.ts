import { Injectable } from '@nestjs/common';
import { Egress, EgressFailure, jsonObjectIn, type JsonObject } from '@aos/kernel';

const timeoutMs = 5_000;
const metadataBytesMax = 256 * 1024;

/** What an issuer says of itself; null: it says nothing of it. */
export interface IssuerFacts {
  /** Methods of PKCE; null when the metadata do not list any. */
  challengeMethods: readonly string[] | null;
  /** Whether its answers have `iss` (RFC 9207). */
  sendsIss: boolean;
}

/** Metadata of authorization servers (RFC 8414, OpenID Connect Discovery), read where a provider is saved. */
@Injectable()
export class IssuerMetadata {
  constructor(private readonly egress: Egress) {}

  /** Null for an issuer that publishes none under its own name, or cannot be reached. */
  async of(orgId: string, issuer: string): Promise<IssuerFacts | null> {
    for (const url of addressesOf(issuer)) {
      const document = await this.document(orgId, url);
      if (document?.issuer !== issuer) continue;
      const methods = document.code_challenge_methods_supported;
      return {
        challengeMethods: Array.isArray(methods) ? methods.filter((each) => typeof each === 'string') : null,
        sendsIss: document.authorization_response_iss_parameter_supported === true,
      };
    }
    return null;
  }

  private async document(orgId: string, url: string): Promise<JsonObject | null> {
    try {
      const { status, body } = await this.egress.send({
        orgId,
        url,
        method: 'GET',
        headers: { accept: 'application/json' },
        timeoutMs,
        responseBytesMax: metadataBytesMax,
      });
      return status === 200 ? jsonObjectIn(Buffer.from(body).toString('utf8')) : null;
    } catch (error) {
      if (error instanceof EgressFailure) return null; // an issuer may publish nothing
      throw error;
    }
  }
}

function addressesOf(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}
