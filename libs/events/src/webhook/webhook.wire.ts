import type { Schema } from '@aos/contract';
import type { WebhookRecord } from './webhook.events.js';

/** The contract's `Webhook`: no secret and no position of the feed. */
export function webhookWire(record: WebhookRecord): Schema<'Webhook'> {
  const { id, org_id, url, event_types, source_kinds, description, status, disabled } = record;
  return {
    id,
    org_id,
    url,
    event_types: [...event_types],
    ...(source_kinds && { source_kinds: [...source_kinds] }),
    ...(description !== null && { description }),
    status,
    disabled: disabled && { ...disabled },
    created_by: record.created_by,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}
