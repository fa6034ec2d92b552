import { base32Number, derivedId, unreachable, type StreamKind } from '@aos/kernel';
import { memoryEvents, type MemoryEntry, type MemoryEvent } from './memory.events.js';

/** Deliveries that a stream remembers. */
const deliveriesMax = 64;
const generationLength = 6;

/**
 * Stream `memory-<id>`: one key in one partition of one agent. An entry that comes after a deleted one is another
 * entry.
 */
export interface MemoryState {
  readonly org_id: string;
  readonly agent_id: string;
  /** Entry ids given out by this stream. */
  readonly issued: number;
  readonly entry: MemoryEntry | null;
  /**
   * Commands with a delivery id that were carried out, and whether they made the entry; `idle`: they changed nothing.
   */
  readonly deliveries: readonly { readonly id: string; readonly created: boolean; readonly idle?: true }[];
}

export const memoryKind: StreamKind<MemoryState, MemoryEvent> = {
  category: 'memory',
  events: memoryEvents,
  stateVersion: 1,
  snapshotEvery: 100,
  initial: () => ({ org_id: '', agent_id: '', issued: 0, entry: null, deliveries: [] }),
  evolve,
};

function evolve(state: MemoryState, event: MemoryEvent): MemoryState {
  const { delivery_id: id } = event.data;
  if (event.type === 'MemoryDeliveryNoted') {
    const { org_id, agent_id, delivery_id } = event.data;
    return {
      ...state,
      org_id,
      agent_id,
      deliveries: [...state.deliveries, { id: delivery_id, created: false, idle: true as const }].slice(-deliveriesMax),
    };
  }
  const created = event.type === 'MemoryEntryCreated';
  const deliveries = id === null ? state.deliveries : [...state.deliveries, { id, created }].slice(-deliveriesMax);
  const { org_id, agent_id } = event.data.entry;
  switch (event.type) {
    case 'MemoryEntryCreated':
      return { org_id, agent_id, issued: state.issued + 1, entry: event.data.entry, deliveries };
    case 'MemoryEntryUpdated':
      return { ...state, entry: event.data.entry, deliveries };
    case 'MemoryEntryDeleted':
      return { ...state, entry: null, deliveries };
    default:
      return unreachable(event);
  }
}

/** The stream id of a key; it cannot be worked out without the organization's salt. */
export function memoryStreamId(salt: string, agentId: string, userId: string, key: string): string {
  return derivedId('mem', salt, [agentId, userId, key]);
}

export function nextEntryId(stream: string, issued: number): string {
  return issued === 0 ? stream : `${stream}${base32Number(issued, generationLength)}`;
}
