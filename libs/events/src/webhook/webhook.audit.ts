import { upcastRecorded, type JsonObject } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { webhookEvents, type WebhookEvent, type WebhookRecord } from './webhook.events.js';

/** The audit entries of web hooks (control S34). A new master key changes nothing that an auditor looks for. */
export const webhookAudit: AuditMapping = {
  prefix: 'webhook-',
  facts(event): AuditFact[] {
    const { type, data } = upcastRecorded(webhookEvents, event) as WebhookEvent;
    const { webhook } = data;
    const resource = { type: 'webhook', id: webhook.id, name: null };
    const after = withoutSecrets(webhook);
    switch (type) {
      case 'WebhookCreated':
        return [{ action: 'webhook.created', resource, after }];
      case 'WebhookChanged':
        return [{ action: 'webhook.updated', resource, changedFields: data.changed_fields, after }];
      case 'WebhookRotated':
        return [{ action: 'webhook.secret_rotated', resource, changedFields: ['signing_secret'], after }];
      case 'WebhookDisabled':
        return [{ action: 'webhook.disabled', resource, changedFields: ['status'], after }];
      case 'WebhookEnabled':
        return [{ action: 'webhook.enabled', resource, changedFields: ['status'], after }];
      case 'WebhookRedelivered':
        return [{ action: 'webhook.redelivered', resource, after: data.redelivery }];
      case 'WebhookDeleted':
        return [{ action: 'webhook.deleted', resource, after: null }];
      case 'WebhookResealed':
        return [];
    }
  },
};

function withoutSecrets({ signing, ...record }: WebhookRecord): JsonObject {
  return { ...record, secret_version: signing.version };
}
