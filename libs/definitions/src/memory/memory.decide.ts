import { badRequest, canonicalJson } from '@aos/kernel';
import type { MemoryContent, MemoryEntry, MemoryEvent, MemoryReason } from './memory.events.js';
import { importanceDefault, memoryIssues, type DesiredMemory } from './memory.limits.js';
import { nextEntryId, type MemoryState } from './memory.state.js';

export interface MemoryCommand {
  orgId: string;
  agentId: string;
  userId: string;
  key: string;
  /** Id of the key's stream. */
  stream: string;
  reason: MemoryReason;
  actorId: string;
  deliveryId: string | null;
  /** RFC 3339. */
  at: string;
}

/** The content that a body stands for: what is left out has its default. */
export function contentOf({ content, summary, kind, metadata, importance, pinned }: DesiredMemory): MemoryContent {
  return {
    content,
    ...(summary === undefined || summary === '' ? {} : { summary }),
    kind: kind ?? 'fact',
    ...(metadata === undefined ? {} : { metadata: structuredClone(metadata) }),
    importance: importance ?? importanceDefault,
    pinned: pinned ?? false,
  };
}

/**
 * Writes an entry whole; nothing when this delivery was carried out. An entry with the same content stays as it is
 * (rule E15): only the delivery id is noted, so that a late repeat cannot undo later changes.
 *
 * Refuses  bad_request.
 * Source   rules L15, R36; contract, `SaveAgentMemoryEntryRequest`.
 */
export function saveEntry(command: MemoryCommand & { desired: DesiredMemory }, state: MemoryState): MemoryEvent[] {
  const { desired } = command;
  const issues = memoryIssues(command.key, desired);
  if (issues.length > 0) throw badRequest(issues);
  if (wasDelivered(command, state)) return [];
  const wire = contentOf(desired);
  const { orgId, agentId, userId, key, stream, reason, actorId, deliveryId, at } = command;
  const told = { reason, actor_id: actorId, delivery_id: deliveryId };
  const known = state.entry;
  if (!known) {
    const entry: MemoryEntry = {
      id: nextEntryId(stream, state.issued),
      org_id: orgId,
      agent_id: agentId,
      user_id: userId,
      key,
      wire,
      version: 1,
      created_at: at,
      updated_at: at,
    };
    return [{ type: 'MemoryEntryCreated', data: { entry, ...told } }];
  }
  if (canonicalJson(known.wire) === canonicalJson(wire)) return noted(command);
  return [
    {
      type: 'MemoryEntryUpdated',
      data: { entry: { ...known, wire, version: known.version + 1, updated_at: at }, ...told },
    },
  ];
}

/** Deletes an entry; when there is none, only the delivery id is noted. */
export function deleteEntry(command: MemoryCommand, state: MemoryState): MemoryEvent[] {
  if (wasDelivered(command, state)) return [];
  if (!state.entry) return noted(command);
  const { reason, actorId, deliveryId, at } = command;
  const { wire, ...rest } = state.entry;
  const entry = { ...rest, kind: wire.kind, version: rest.version + 1, updated_at: at };
  return [
    { type: 'MemoryEntryDeleted', data: { entry, reason, actor_id: actorId, delivery_id: deliveryId, deleted_at: at } },
  ];
}

function noted({ orgId, agentId, deliveryId }: MemoryCommand): MemoryEvent[] {
  return deliveryId === null
    ? []
    : [{ type: 'MemoryDeliveryNoted', data: { org_id: orgId, agent_id: agentId, delivery_id: deliveryId } }];
}

function wasDelivered({ deliveryId }: MemoryCommand, { deliveries }: MemoryState): boolean {
  return deliveryId !== null && deliveries.some(({ id }) => id === deliveryId);
}
