import { Refusal, canonicalJson, notFound } from '@aos/kernel';
import type { MemoryCommand } from './memory.decide.js';
import type { MemoryContent, MemoryEntry, MemoryEvent } from './memory.events.js';
import { nextEntryId, type MemoryState } from './memory.state.js';

/**
 * Copies the content of a person's entry into the shared one of the same key.
 *
 * Takes    the command for the shared partition, and the content that the person's entry has.
 * Gives    one event with what stood there before; none when the shared entry has that content.
 * Refuses  already_exists {resource_id} when there is a shared entry, without `replace`.
 * Source   rules TE17, E15.
 */
export function promoteEntry(
  command: MemoryCommand & { wire: MemoryContent; replace: boolean },
  { entry: known, issued }: MemoryState,
): MemoryEvent[] {
  const { orgId, agentId, userId, key, stream, wire, at, replace } = command;
  const written = { reason: 'promoted' as const, actor_id: command.actorId, delivery_id: null };
  if (!known) {
    const entry: MemoryEntry = {
      id: nextEntryId(stream, issued),
      org_id: orgId,
      agent_id: agentId,
      user_id: userId,
      key,
      wire,
      version: 1,
      created_at: at,
      updated_at: at,
    };
    return [{ type: 'MemoryEntryCreated', data: { entry, ...written, replaced: null } }];
  }
  if (!replace)
    throw new Refusal('already_exists', { resource_id: known.id }, 'the shared partition has this key: send replace');
  if (canonicalJson(known.wire) === canonicalJson(wire)) return [];
  const entry = { ...known, wire, version: known.version + 1, updated_at: at };
  return [{ type: 'MemoryEntryUpdated', data: { entry, ...written, replaced: known.wire } }];
}

/**
 * Undoes a promotion: what stood there before comes back; without that the shared entry goes.
 *
 * Refuses  not_found to all but the person that promoted it, and once it is undone; conflict {reason: changed} when the
 *          entry was changed since.
 * Source   rule TE17.
 */
export function revertPromotion(command: MemoryCommand, { entry, promotion }: MemoryState): MemoryEvent[] {
  if (promotion?.by !== command.actorId) throw notFound('promotion');
  if (entry?.id !== promotion.entry_id || entry.version !== promotion.version)
    throw new Refusal('conflict', { reason: 'changed' }, 'the shared entry was changed since it was promoted');
  const written = { reason: 'promotion_reverted' as const, actor_id: command.actorId, delivery_id: null };
  const version = entry.version + 1;
  if (promotion.replaced)
    return [
      {
        type: 'MemoryEntryUpdated',
        data: { entry: { ...entry, wire: promotion.replaced, version, updated_at: command.at }, ...written },
      },
    ];
  const { wire, ...rest } = entry;
  const left = { ...rest, kind: wire.kind, version, updated_at: command.at };
  return [{ type: 'MemoryEntryDeleted', data: { entry: left, ...written, deleted_at: command.at } }];
}
