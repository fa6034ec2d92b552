import type { Schema } from '@aos/contract';
import { collection, type IndexValue, type ReadRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import { wordsOf } from '../row/row-tokens.state.js';
import type { MemoryEntry, MemoryEvent } from './memory.events.js';
import { memoryKind, type MemoryState } from './memory.state.js';

/** Entries of agents: scope organization and agent, one row for each key of a partition. */
export const memoriesProjection: StreamProjection<MemoryState, MemoryEvent> = {
  name: 'memories',
  version: 1,
  kind: memoryKind,
  rows({ state: { org_id: orgId, agent_id: agentId, entry }, id, revision }): ReadRow[] {
    const base = { scope: [orgId, agentId], key: id, revision };
    return [memoryRows.row({ ...base, doc: entry, index: entry ? indexOf(entry) : {} })];
  },
};

export const memoryRows = collection<MemoryEntry>(memoriesProjection);

function indexOf({
  id,
  user_id: userId,
  key,
  wire,
  created_at: createdAt,
  updated_at: updatedAt,
}: MemoryEntry): Record<string, IndexValue> {
  const { kind, importance, pinned, summary = '', content } = wire;
  const importanceText = String(importance).padStart(3, '0');
  return {
    partition: partitionIndex(userId),
    kind,
    created: `${createdAt} ${id}`,
    updated: `${updatedAt} ${id}`,
    words: wordsOf(`${key} ${summary} ${content}`),
    weight: `${String(100 - importance).padStart(3, '0')} ${createdAt} ${id}`,
    ...(pinned ? {} : { leaving: `${importanceText} ${createdAt} ${id}` }),
  };
}

/** Value of the `partition` index; the shared partition has a name of its own. */
export function partitionIndex(userId: string): string {
  return userId === '' ? 'shared' : personPartition(userId);
}

/** As `partitionIndex`, of a person; that of the empty id sorts before all of them and after the shared one. */
export function personPartition(userId: string): string {
  return `user:${userId}`;
}

/** An entry as the contract shows it. */
export function memoryWire({
  id,
  user_id,
  key,
  wire,
  version,
  created_at,
  updated_at,
}: MemoryEntry): Schema<'AgentMemoryEntry'> {
  return { key, user_id, ...structuredClone(wire), entry_id: id, version, created_at, updated_at };
}
