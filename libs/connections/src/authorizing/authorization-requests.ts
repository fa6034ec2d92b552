import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Ids } from '@aos/kernel';
import { Settings, publicUrlOf } from '@aos/platform';
import type { AuthorizationFlow } from '../connection/connection.events.js';
import { AuthorizationStates } from './authorization-states.js';

const randomBytes = 32;

/** The texts of a flow: where the browser is sent, PKCE, and the receipt. */
@Injectable()
export class AuthorizationRequests {
  /** Where providers send browsers back. */
  readonly redirectUri: string;

  constructor(
    private readonly ids: Ids,
    private readonly states: AuthorizationStates,
    @Inject(Settings) settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>,
  ) {
    this.redirectUri = `${publicUrlOf(settings)}/v1/oauth/callback`;
  }

  /** Of a flow whose browser came back. */
  receipt(): string {
    return this.secret();
  }

  /** What the record keeps of a receipt. */
  hashOf(receipt: string): string {
    return createHash('sha256').update(receipt).digest('hex');
  }

  /** The address at the provider that a flow begins at, with PKCE S256 always (rule TE26). */
  url(
    endpoint: string,
    flow: Pick<AuthorizationFlow, 'id' | 'provider'>,
    of: { orgId: string; connectionId: string },
  ): string {
    const { client_id: clientId, scopes, resource } = flow.provider;
    const verifier = this.secret();
    const url = new URL(endpoint);
    const parameters: Record<string, string | null> = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: this.redirectUri,
      scope: scopes.length > 0 ? scopes.join(' ') : null,
      state: this.states.text({ ...of, flowId: flow.id, verifier }),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource,
    };
    for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value);
    return url.href;
  }

  private secret(): string {
    return Buffer.from(this.ids.randomBytes(randomBytes)).toString('base64url');
  }
}
