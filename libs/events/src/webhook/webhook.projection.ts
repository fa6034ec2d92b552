import { acrossOrganizations, collection } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { WebhookEvent, WebhookRecord } from './webhook.events.js';
import { webhookKind, type WebhookState } from './webhook.state.js';

/** Web hooks for lists, by creation. */
export const webhooksProjection: StreamProjection<WebhookState, WebhookEvent> = {
  name: 'webhooks',
  version: 1,
  kind: webhookKind,
  rows({ state: { webhook, isDeleted }, revision }) {
    if (!webhook) return [];
    const row = { scope: [webhook.org_id], key: webhook.id, revision };
    if (isDeleted) return [webhookRows.row({ ...row, doc: null, index: {} })];
    return [webhookRows.row({ ...row, doc: webhook, index: { created: `${webhook.created_at} ${webhook.id}` } })];
  },
};
export const webhookRows = collection<WebhookRecord>(webhooksProjection);

/** What the process that delivers looks for: a hook that is active, with the revision that it has. */
export type ActiveWebhook = { org_id: string };

/** Active hooks of all organizations. */
export const activeWebhooksProjection: StreamProjection<WebhookState, WebhookEvent> = {
  name: 'active_webhooks',
  version: 1,
  kind: webhookKind,
  rowKey: acrossOrganizations,
  rows({ state: { webhook, isDeleted }, id, revision }) {
    if (!webhook) return [];
    const isActive = webhook.status === 'active' && !isDeleted;
    return [
      activeWebhookRows.row({
        ...acrossOrganizations({ id }),
        revision,
        doc: isActive ? { org_id: webhook.org_id } : null,
        index: isActive ? { id } : {},
      }),
    ];
  },
};
export const activeWebhookRows = collection<ActiveWebhook>(activeWebhooksProjection);
