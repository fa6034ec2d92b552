import { upcastRecorded } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { interactionEvents, type InteractionEvent } from './interaction.events.js';

/** How interactions ended, for auditors (control S34). */
export const interactionAudit: AuditMapping = {
  prefix: 'interaction-',
  facts(event): AuditFact[] {
    const { type } = upcastRecorded(interactionEvents, event) as InteractionEvent;
    const resource = { type: 'interaction', id: event.stream.slice('interaction-'.length), name: null };
    switch (type) {
      case 'InteractionCompleted':
        return [{ action: 'interaction.completed', resource, changedFields: ['status'] }];
      case 'InteractionCancelled':
        return [{ action: 'interaction.cancelled', resource, changedFields: ['status'] }];
      case 'InteractionExpired':
        return [{ action: 'interaction.expired', resource, changedFields: ['status'] }];
      case 'InteractionHidden':
        return [{ action: 'interaction.deleted', resource, after: null }];
      default:
        return [];
    }
  },
};
