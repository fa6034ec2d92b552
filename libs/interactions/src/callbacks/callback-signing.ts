import { createHmac } from 'node:crypto';
import type { SealedFor } from '@aos/platform';

const madeSecret = /^whsec_[A-Za-z0-9_-]{43}$/;

/** Takes 32 random bytes. */
export function newSigningSecret(bytes: Uint8Array): string {
  return `whsec_${Buffer.from(bytes).toString('base64url')}`;
}

/** What the sealed secret of an interaction is bound to. */
export function secretSeal(orgId: string, interactionId: string): SealedFor {
  return { orgId, resource: `interaction/${interactionId}/signing_secret/1` };
}

/** Decision I3: a secret in our form stands for 32 bytes, any other for its UTF-8. */
function keyOf(secret: string): Buffer {
  return madeSecret.test(secret) ? Buffer.from(secret.slice('whsec_'.length), 'base64url') : Buffer.from(secret, 'utf8');
}

export interface SignedDelivery {
  /** Spelling of the vendor token in header names, such as `svc`. */
  token: string;
  secret: string;
  secretVersion: number;
  deliveryId: string;
  eventType: string;
  /** Whole seconds since 1970. */
  timestamp: number;
  body: Uint8Array;
}

/**
 * The headers of one try.
 *
 * Gives    HMAC-SHA256 over `v1.<delivery id>.<timestamp>.<raw body>` in hex, and what a receiver needs to check it.
 * Source   decision I34; security S30.
 */
export function signedHeaders({ token, secret, secretVersion, deliveryId, eventType, timestamp, body }: SignedDelivery): Record<string, string> {
  const signature = createHmac('sha256', keyOf(secret)).update(`v1.${deliveryId}.${timestamp}.`).update(body).digest('hex');
  const prefix = `X-${token.slice(0, 1).toUpperCase()}${token.slice(1)}`;
  return {
    'Content-Type': 'application/json',
    'Idempotency-Key': deliveryId,
    [`${prefix}-Signature`]: `sha256=${signature}`,
    [`${prefix}-Signature-Version`]: 'v1',
    [`${prefix}-Timestamp`]: String(timestamp),
    [`${prefix}-Delivery-Id`]: deliveryId,
    [`${prefix}-Secret-Version`]: String(secretVersion),
    [`${prefix}-Event-Type`]: eventType,
  };
}
