import { Injectable } from '@nestjs/common';
import { looksLikeId, notFound, type Identity } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import type { WebhookRecord } from '../webhook/webhook.events.js';
import { webhookKind } from '../webhook/webhook.state.js';

/** Finds web hooks by id, fresh. */
@Injectable()
export class WebhookDirectory {
  constructor(private readonly decisions: Decisions) {}

  /** Refuses not_found for an id that is none of the caller's organization. */
  async get({ orgId }: Pick<Identity, 'orgId'>, webhookId: string): Promise<WebhookRecord> {
    if (!looksLikeId('hook', webhookId)) throw notFound('web hook');
    const { state } = await this.decisions.load(webhookKind, webhookId);
    if (state.webhook?.org_id !== orgId || state.isDeleted) throw notFound('web hook');
    return state.webhook;
  }
}
