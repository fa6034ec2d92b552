import type { EventFamily, JsonObject, PublicEvent, Publisher } from '@aos/kernel';
import { memoryEvents, type MemoryChangeEvent } from './memory.events.js';

const operations = {
  MemoryEntryCreated: 'created',
  MemoryEntryUpdated: 'updated',
  MemoryEntryDeleted: 'deleted',
} as const;

const family: EventFamily = {
  prefix: 'memory',
  displayName: 'Agent memory',
  description: 'Entries of agent memory, without their content.',
  types: Object.values(operations).map((verb) => ({
    name: `memory.entry.${verb}`,
    description: `A memory entry was ${verb}.`,
    sourceKind: 'agent_memory',
    schema: 'MemoryEntryEvent',
    routing: ['agent_id', 'user_id', 'memory_entry_id', 'memory_key', 'version'],
  })),
};

/**
 * Changes of an agent's memory, without content (rule E12); those of a person's partition are published to that person
 * alone (rule R46).
 */
export const memoryPublisher: Publisher = {
  prefix: 'memory-',
  events: memoryEvents,
  publishes: new Set(Object.keys(operations)),
  family,
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
