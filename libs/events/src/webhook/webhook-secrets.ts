import { Injectable } from '@nestjs/common';
import { Ids } from '@aos/kernel';
import { SealBroken, Sealer, type SealedFor } from '@aos/platform';
import type { WebhookRecord, WebhookSigning } from './webhook.events.js';

const secretBytes = 32;

function sealOf(orgId: string, webhookId: string, version: number): SealedFor {
  return { orgId, resource: `webhook/${webhookId}/signing_secret/${version}` };
}

/** Secrets with which deliveries of web hooks are signed. They are stored sealed. */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly sealer: Sealer,
    private readonly ids: Ids,
  ) {}

  /** A new secret in the form of Standard Webhooks, which is plain base64 (rule TE121), sealed for its version. */
  made(orgId: string, webhookId: string, version: number): { secret: string; sealed: string } {
    const secret = `whsec_${Buffer.from(this.ids.randomBytes(secretBytes)).toString('base64')}`;
    return { secret, sealed: this.sealer.seal(secret, sealOf(orgId, webhookId, version)) };
  }

  /**
   * The secrets that sign now, the newest first. Throws `SealBroken` where the newest cannot be opened; the one before
   * it is left out then: a rotation repairs a hook whose master key is gone.
   */
  signing({ org_id: orgId, id, signing }: WebhookRecord, nowMs: number): string[] {
    const { previous } = signing;
    const newest = this.sealer.open(signing.sealed, sealOf(orgId, id, signing.version));
    if (!previous || Date.parse(previous.until) <= nowMs) return [newest];
    try {
      return [newest, this.sealer.open(previous.sealed, sealOf(orgId, id, previous.version))];
    } catch (error) {
      if (error instanceof SealBroken) return [newest];
      throw error;
    }
  }

  /**
   * The same secrets under the active master key; one that signs no more is left out. Gives the very object when
   * nothing is to be done; `unreadable` when one cannot be opened.
   */
  renewed({ org_id: orgId, id, signing }: WebhookRecord, nowMs: number): WebhookSigning | 'unreadable' {
    const { sealed, version } = signing;
    const previous = signing.previous && Date.parse(signing.previous.until) > nowMs ? signing.previous : null;
    if (![sealed, ...(previous ? [previous.sealed] : [])].some((one) => this.sealer.isStale(one))) return signing;
    try {
      return {
        version,
        sealed: this.sealer.renewed(sealed, sealOf(orgId, id, version)),
        previous: previous && {
          ...previous,
          sealed: this.sealer.renewed(previous.sealed, sealOf(orgId, id, previous.version)),
        },
      };
    } catch (error) {
      if (error instanceof SealBroken) return 'unreadable';
      throw error;
    }
  }
}
