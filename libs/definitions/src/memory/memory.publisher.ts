import type { JsonObject, PublicEvent, Publisher } from '@aos/kernel';
import { memoryEvents, type MemoryChangeEvent } from './memory.events.js';

const operations = {
  MemoryEntryCreated: 'created',
  MemoryEntryUpdated: 'updated',
  MemoryEntryDeleted: 'deleted',
} as const;

/**
 * Changes of an agent's memory, without content (rule E12); those of a person's partition are published to that person
 * alone (rule R46).
 */
export const memoryPublisher: Publisher = {
  prefix: 'memory-',
  events: memoryEvents,
  publishes: new Set(Object.keys(operations)),
  publish: ({ type, data }) => [changeEvent({ type, data } as MemoryChangeEvent)],
};

function changeEvent(change: MemoryChangeEvent): PublicEvent {
  const { entry, reason, actor_id: actorId } = change.data;
  const operation = operations[change.type];
  const kind = change.type === 'MemoryEntryDeleted' ? change.data.entry.kind : change.data.entry.wire.kind;
  const named = {
    agent_id: entry.agent_id,
    user_id: entry.user_id,
    memory_entry_id: entry.id,
    memory_key: entry.key,
    version: entry.version,
  };
  const event: JsonObject = { ...named, operation, reason, kind, actor_id: actorId };
  return {
    event_type: `memory.entry.${operation}`,
    source_kind: 'agent_memory',
    source_id: entry.id,
    event,
    routing: { ...named },
    occurred_at: entry.updated_at,
    reach: { agent_id: entry.agent_id, ...(entry.user_id !== '' && { only: entry.user_id }) },
  };
}
