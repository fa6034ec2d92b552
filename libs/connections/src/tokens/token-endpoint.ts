import { Injectable } from '@nestjs/common';
import { Clock, Egress, EgressFailure, rfc3339 } from '@aos/kernel';
import type { ConnectionRecord } from '../connection/connection.events.js';
import { tokenAnswer, type GrantedTokens, type TokenAnswer } from './token-answer.decide.js';

const timeoutMs = 10_000;
const answerBytesMax = 64 * 1024;

/** An OAuth client, with its secret in the clear: for this process only. */
export interface OAuthClient {
  id: string;
  secret: string;
  tokenEndpoint: string;
  /** Null where none is known. */
  issuer: string | null;
}

/** Asks token endpoints: client secret, code and refresh token go nowhere else (rule TE21). */
@Injectable()
export class TokenEndpoint {
  constructor(
    private readonly egress: Egress,
    private readonly clock: Clock,
  ) {}

  /** Takes the parameters of the grant; those that are null are left out. */
  async ask(orgId: string, client: OAuthClient, parameters: Record<string, string | null>): Promise<TokenAnswer> {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value !== null) form.append(name, value);
    const credentials = `${formEncoded(client.id)}:${formEncoded(client.secret)}`;
    try {
      const { status, body } = await this.egress.send({
        orgId,
        url: client.tokenEndpoint,
        method: 'POST',
        headers: {
          accept: 'application/json',
          authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: Buffer.from(form.toString()),
        timeoutMs,
        responseBytesMax: answerBytesMax,
      });
      return tokenAnswer(status, Buffer.from(body).toString('utf8'), client.issuer);
    } catch (error) {
      if (error instanceof EgressFailure) return { failed: error.reason };
      throw error;
    }
  }

  /** When a token ends that was given now; null when it does not say. */
  endOf({ expiresIn }: GrantedTokens): string | null {
    return expiresIn === null ? null : rfc3339(this.clock.now() + expiresIn * 1000);
  }
}

/** As RFC 6749 section 2.3.1 has it. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** The parameters that name what tokens are for. */
export function scopeOf({ oauth }: ConnectionRecord): { scope: string | null; resource: string | null } {
  const scopes = oauth?.scopes ?? [];
  return { scope: scopes.length > 0 ? scopes.join(' ') : null, resource: oauth?.resource ?? null };
}
