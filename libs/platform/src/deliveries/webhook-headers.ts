import { createHmac } from 'node:crypto';

/** One try of one delivery in the form of Standard Webhooks. */
export interface WebhookDelivery {
  /** `whsec_` and base64; each signs, the newest first. */
  secrets: readonly string[];
  /** The same on every try. */
  id: string;
  /** Whole seconds since 1970. */
  timestamp: number;
  body: Uint8Array;
}

/**
 * The headers of one try.
 *
 * Gives    for each secret `v1,` and the base64 of HMAC-SHA256 over `<id>.<timestamp>.<raw body>`.
 * Source   rule TE15.
 */
export function webhookHeaders({ secrets, id, timestamp, body }: WebhookDelivery): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
