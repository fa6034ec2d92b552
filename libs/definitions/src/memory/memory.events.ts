import { defineEvents, event, type EventOf, type JsonObject } from '@aos/kernel';

export type MemoryKind = 'fact' | 'preference' | 'episode' | 'summary';
/** Cause of a change (contract, `AgentMemoryChangeReason`). */
export type MemoryReason = 'remembered' | 'api' | 'soft_cap' | 'promoted' | 'promotion_reverted';

/** Content of an entry as its writer gave it; a write replaces it whole. */
export type MemoryContent = {
  content: string;
  summary?: string;
  kind: MemoryKind;
  metadata?: JsonObject;
  importance: number;
  pinned: boolean;
};

/** One remembered item of an agent. */
export type MemoryEntry = {
  /** `mem_...`. */
  id: string;
  org_id: string;
  agent_id: string;
  /** The person that the entry's partition belongs to; empty: the shared partition. */
  user_id: string;
  key: string;
  wire: MemoryContent;
  /** Starts at 1 and grows with each change. */
  version: number;
  created_at: string;
  updated_at: string;
};

export type MemoryWritten = {
  entry: MemoryEntry;
  reason: MemoryReason;
  actor_id: string;
  delivery_id: string | null;
  /** Of a promotion: what stood there before; null: nothing did. */
  replaced?: MemoryContent | null;
};

export const memoryEvents = defineEvents({
  MemoryEntryCreated: event<MemoryWritten>(1),
  MemoryEntryUpdated: event<MemoryWritten>(1),
  /** A command that changed nothing: its repeat must change nothing either, even when the entry differs by then. */
  MemoryDeliveryNoted: event<{ org_id: string; agent_id: string; delivery_id: string }>(1),
  /** The entry without what was in it. */
  MemoryEntryDeleted: event<
    Omit<MemoryWritten, 'entry' | 'replaced'> & {
      entry: Omit<MemoryEntry, 'wire'> & { kind: MemoryKind };
      deleted_at: string;
    }
  >(1),
});
export type MemoryEvent = EventOf<typeof memoryEvents>;
/** Events that are published: an entry was created, changed or deleted. */
export type MemoryChangeEvent = Exclude<MemoryEvent, { type: 'MemoryDeliveryNoted' }>;
