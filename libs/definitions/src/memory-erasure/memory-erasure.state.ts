import { defineEvents, event, type EventOf, type StreamKind } from '@aos/kernel';

export const memoryErasureEvents = defineEvents({
  /** The erasure of a person's partition was asked for. */
  MemoryPartitionErased: event<{ org_id: string; agent_id: string; user_id: string; at: string }>(1),
});
export type MemoryErasureEvent = EventOf<typeof memoryErasureEvents>;

/** Stream `memoryerasure-<id>`: erasures of one partition, for auditors; it holds no content of entries. */
export const memoryErasureKind: StreamKind<{ readonly erasures: number }, MemoryErasureEvent> = {
  category: 'memoryerasure',
  events: memoryErasureEvents,
  stateVersion: 1,
  initial: () => ({ erasures: 0 }),
  evolve: ({ erasures }) => ({ erasures: erasures + 1 }),
};
