import { upcastRecorded } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { bindingEvents, type BindingEvent } from './binding.events.js';

/** The audit entries of messaging bindings (control S34). */
export const bindingAudit: AuditMapping = {
  prefix: 'channel-',
  facts(event): AuditFact[] {
    const { type, data } = upcastRecorded(bindingEvents, event) as BindingEvent;
    const { binding } = data;
    const resource = { type: 'messaging_binding', id: binding.id, name: binding.provider };
    return type === 'BindingSaved'
      ? [{ action: 'messaging_binding.saved', resource, after: binding }]
      : [{ action: 'messaging_binding.deleted', resource, after: null }];
  },
};
