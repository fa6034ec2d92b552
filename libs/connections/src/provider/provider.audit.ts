import { upcastRecorded } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { providerEvents, type ProviderEvent } from './provider.events.js';

/** The audit entries of providers (control S34). Records hold no secrets. */
export const providerAudit: AuditMapping = {
  prefix: 'provider-',
  facts(event): AuditFact[] {
    const { type, data } = upcastRecorded(providerEvents, event) as ProviderEvent;
    const { provider: after } = data;
    const resource = { type: 'provider', id: after.id, name: after.provider };
    return type === 'ProviderSaved'
      ? [{ action: 'provider.saved', resource, changedFields: data.changed_fields, after }]
      : [{ action: 'provider.deleted', resource, after: null }];
  },
};
