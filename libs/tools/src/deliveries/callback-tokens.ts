import { Inject, Injectable } from '@nestjs/common';
import { KeyRing, SealedText, Settings, publicUrlOf } from '@aos/platform';
import type { DeferredCall } from '@aos/sessions/published';
import type { SentSecrets } from './sent-secrets.decide.js';

/** What a callback token stands for: one call, and what its record needs. */
export interface CallbackClaims extends DeferredCall {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** When the call was sent, RFC 3339. */
  readonly startedAt: string;
  readonly retryCount: number;
  readonly secretVersion: number;
  /** Null without an account. */
  readonly sent: SentSecrets | null;
}

const tokenLengthMax = 6_400;

/** As it is sealed; tokens that were made before have no `sent`. */
type Sealed = [string, string, string, string, string, number, string, number, number, SentSecrets | null];

/** Tokens by which an endpoint brings a call's result itself: nothing is looked up to know one (rule TE81). */
@Injectable()
export class CallbackTokens {
  private readonly sealed: SealedText<Sealed>;
  private readonly base: string;

  constructor(keys: KeyRing, @Inject(Settings) settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>) {
    this.sealed = new SealedText(keys, 'callbacks', { resource: 'delivery-callback', lengthMax: tokenLengthMax });
    this.base = publicUrlOf(settings);
  }

  url(deliveryId: string): string {
    return `${this.base}/v1/deliveries/${deliveryId}/result`;
  }

  token(claims: CallbackClaims): string {
    return this.sealed.seal([
      claims.orgId,
      claims.sessionId,
      claims.turnId,
      claims.toolCallId,
      claims.deliveryId,
      claims.expiresAt,
      claims.startedAt,
      claims.retryCount,
      claims.secretVersion,
      claims.sent,
    ]);
  }

  /** Null for a text that this service did not make, that was changed, or whose master key is gone. */
  open(token: string): CallbackClaims | null {
    const sealed = this.sealed.open(token);
    if (!sealed) return null;
    const [orgId, sessionId, turnId, toolCallId, deliveryId, expiresAt, startedAt, retryCount, ...rest] = sealed;
    const [secretVersion, sent = null] = rest;
    return { orgId, sessionId, turnId, toolCallId, deliveryId, expiresAt, startedAt, retryCount, secretVersion, sent };
  }
}
