import { upcastRecorded } from '@aos/kernel';
import type { AuditMapping } from '@aos/access/published';
import { memoryEvents, type MemoryEvent } from './memory.events.js';

/**
 * Audit entries of promotions and their undoing (rule TE17), without content. Source events say who wrote which entry
 * else.
 */
export const promotionAudit: AuditMapping = {
  prefix: 'memory-',
  facts(event) {
    const { type, data } = upcastRecorded(memoryEvents, event) as MemoryEvent;
    if (type === 'MemoryDeliveryNoted') return [];
    const { reason, entry } = data;
    if (reason !== 'promoted' && reason !== 'promotion_reverted') return [];
    return [
      {
        action: `memory_entry.${reason}`,
        resource: { type: 'memory_entry', id: entry.id, name: entry.key },
        changedFields: [`agents/${entry.agent_id}`],
      },
    ];
  },
};
