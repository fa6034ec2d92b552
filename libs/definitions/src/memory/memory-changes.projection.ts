import type { JsonObject, ReadRow } from '@aos/kernel';
import type { MemoryEvent } from './memory.events.js';

/** The change feed of an agent's memory: scope organization and agent, keyed by place in the log; without content. */
export const changesCollection = 'memory_changes@1';

const operations = { MemoryEntryCreated: 'created', MemoryEntryUpdated: 'updated', MemoryEntryDeleted: 'deleted' } as const;

/** The row of one recorded event. */
export function changeRow(event: MemoryEvent, { id, position, recordedAt }: { id: string; position: string; recordedAt: string }): ReadRow {
  const { entry, reason, actor_id: actorId } = event.data;
  const doc: JsonObject = {
    id: `mch_${id.replaceAll('-', '')}`, agent_id: entry.agent_id, user_id: entry.user_id, memory_entry_id: entry.id, memory_key: entry.key,
    operation: operations[event.type], version: entry.version, reason, actor_id: actorId, created_at: recordedAt,
  };
  return { collection: changesCollection, scope: [entry.org_id, entry.agent_id], key: position, revision: 1, doc, index: { at: recordedAt } };
}
