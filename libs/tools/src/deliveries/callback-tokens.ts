import { Inject, Injectable } from '@nestjs/common';
import { KeyRing, SealBroken, Sealer, Settings, publicUrlOf } from '@aos/platform';
import type { DeferredCall } from '@aos/sessions/published';

/** What a callback token stands for: one call, and what its record needs. */
export interface CallbackClaims extends DeferredCall {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** When the call was sent, RFC 3339. */
  readonly startedAt: string;
  readonly retryCount: number;
  readonly secretVersion: number;
}

const tokenLengthMax = 1_024;
const sealPrefix = 's1.';
/** The organization is known once it is open, and stands in what is sealed. */
const owner = { orgId: '', resource: 'delivery-callback' };

/** As it is sealed. */
type Sealed = [string, string, string, string, string, number, string, number, number];

/** Tokens by which an endpoint brings a call's result itself: nothing is looked up to know one (rule TE81). */
@Injectable()
export class CallbackTokens {
  private readonly sealer: Sealer;
  private readonly base: string;

  constructor(keys: KeyRing, @Inject(Settings) settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>) {
    this.sealer = new Sealer(keys, 'callbacks');
    this.base = publicUrlOf(settings);
  }

  url(deliveryId: string): string {
    return `${this.base}/v1/deliveries/${deliveryId}/result`;
  }

  token(claims: CallbackClaims): string {
    const sealed: Sealed = [
      claims.orgId,
      claims.sessionId,
      claims.turnId,
      claims.toolCallId,
      claims.deliveryId,
      claims.expiresAt,
      claims.startedAt,
      claims.retryCount,
      claims.secretVersion,
    ];
    return this.sealer.seal(JSON.stringify(sealed), owner).slice(sealPrefix.length);
  }

  /** Null for a text that this service did not make, that was changed, or whose master key is gone. */
  open(token: string): CallbackClaims | null {
    if (token.length > tokenLengthMax) return null;
    try {
      const [orgId, sessionId, turnId, toolCallId, deliveryId, expiresAt, startedAt, retryCount, secretVersion] =
        JSON.parse(this.sealer.open(sealPrefix + token, owner)) as Sealed;
      return { orgId, sessionId, turnId, toolCallId, deliveryId, expiresAt, startedAt, retryCount, secretVersion };
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }
}
