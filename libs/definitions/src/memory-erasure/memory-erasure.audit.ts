import { upcastRecorded } from '@aos/kernel';
import type { AuditMapping } from '@aos/access/published';
import { memoryErasureEvents, type MemoryErasureEvent } from './memory-erasure.state.js';

/** Audit entry of memory: a person's partition was erased (rule R46). Source events say who wrote which entry. */
export const memoryAudit: AuditMapping = {
  prefix: 'memoryerasure-',
  facts(event) {
    const { data } = upcastRecorded(memoryErasureEvents, event) as MemoryErasureEvent;
    return [
      {
        action: 'memory.erased',
        resource: { type: 'agent', id: data.agent_id, name: null },
        changedFields: [`memory/${data.user_id}`],
      },
    ];
  },
};
