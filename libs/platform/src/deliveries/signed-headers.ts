import { createHmac } from 'node:crypto';

const madeSecret = /^whsec_[A-Za-z0-9_-]{43}$/;

/** Rule I3: a secret in our form stands for 32 bytes, any other for its UTF-8. */
function keyOf(secret: string): Buffer {
  return madeSecret.test(secret)
    ? Buffer.from(secret.slice('whsec_'.length), 'base64url')
    : Buffer.from(secret, 'utf8');
}

export interface SignedDelivery {
  /** Spelling of the vendor token in header names, such as `svc`. */
  token: string;
  secret: string;
  secretVersion: number;
  deliveryId: string;
  /** Of events only (rule R23). */
  eventType?: string;
  /** `application/json` when absent. */
  contentType?: string;
  /** Whole seconds since 1970. */
  timestamp: number;
  body: Uint8Array;
}

/**
 * The headers of one try.
 *
 * Gives    HMAC-SHA256 over `v1.<delivery id>.<timestamp>.<raw body>` in hex, and what a receiver needs to check it.
 * Source   rules I34, R23; controls S30, S31.
 */
export function signedHeaders(delivery: SignedDelivery): Record<string, string> {
  const {
    token,
    secret,
    secretVersion,
    deliveryId,
    eventType,
    contentType = 'application/json',
    timestamp,
    body,
  } = delivery;
  const signature = createHmac('sha256', keyOf(secret))
    .update(`v1.${deliveryId}.${timestamp}.`)
    .update(body)
    .digest('hex');
  const prefix = headerPrefix(token);
  return {
    'Content-Type': contentType,
    'Idempotency-Key': deliveryId,
    [`${prefix}-Signature`]: `sha256=${signature}`,
    [`${prefix}-Signature-Version`]: 'v1',
    [`${prefix}-Timestamp`]: String(timestamp),
    [`${prefix}-Delivery-Id`]: deliveryId,
    [`${prefix}-Secret-Version`]: String(secretVersion),
    ...(eventType === undefined ? {} : { [`${prefix}-Event-Type`]: eventType }),
  };
}

/** Beginning of the deployment's own headers. Takes the vendor token, `svc`. */
export function headerPrefix(token: string): string {
  return `X-${token.slice(0, 1).toUpperCase()}${token.slice(1)}`;
}
