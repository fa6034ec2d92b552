import { Injectable } from '@nestjs/common';
import { Clock, Egress, EgressFailure } from '@aos/kernel';
import { SealBroken, webhookHeaders } from '@aos/platform';
import type { WebhookRecord } from '../webhook/webhook.events.js';
import { responseBytesMax, tryTimeoutMs } from '../webhook/webhook.limits.js';
import { WebhookSecrets } from '../webhook/webhook-secrets.js';

/** How a try ended. `status` is null where no answer came. */
export interface TryEnd {
  status: number | null;
  error: string | null;
  retryAfterMs: number | null;
}

/** Sends one signed request: no redirects, ten seconds, public addresses only (rules TE121, TE122, TE125). */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly egress: Egress,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  /** Never throws for what the endpoint does; `aborted` when the signal ended it. */
  async send(webhook: WebhookRecord, id: string, body: string, signal: AbortSignal): Promise<TryEnd> {
    const now = this.clock.now();
    const bytes = Buffer.from(body, 'utf8');
    try {
      const secrets = this.secrets.signing(webhook, now);
      const { status, headers } = await this.egress.send({
        url: webhook.url,
        orgId: webhook.org_id,
        method: 'POST',
        headers: webhookHeaders({ secrets, id, timestamp: Math.floor(now / 1000), body: bytes }),
        body: bytes,
        timeoutMs: tryTimeoutMs,
        responseBytesMax,
        signal,
      });
      return { status, error: null, retryAfterMs: retryAfterOf(headers['retry-after'], this.clock.now()) };
    } catch (error) {
      const none = { status: null, retryAfterMs: null };
      if (error instanceof EgressFailure) return { ...none, error: error.reason };
      if (error instanceof SealBroken) return { ...none, error: 'secret_unreadable' };
      throw error;
    }
  }
}

/** Whole seconds, or a date. Null for anything else. */
function retryAfterOf(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/** Whether the endpoint took it. A redirect is no success. */
export function wasTaken({ status }: TryEnd): boolean {
  return status !== null && status >= 200 && status < 300;
}
