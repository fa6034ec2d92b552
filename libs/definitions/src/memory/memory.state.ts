import { base32Number, derivedId, unreachable, type StreamKind } from '@aos/kernel';
import {
  memoryEvents,
  type MemoryChangeEvent,
  type MemoryContent,
  type MemoryEntry,
  type MemoryEvent,
} from './memory.events.js';

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
  readonly deliveries: readonly Delivery[];
  /** The last promotion that was not undone; absent: there is none. */
  readonly promotion?: Promotion;
}

interface Delivery {
  readonly id: string;
  readonly created: boolean;
  readonly idle?: true;
}

/** An entry that came from a person's partition (rule TE17). */
export interface Promotion {
  readonly by: string;
  /** The entry as it was promoted: with another id or version it was changed since. */
  readonly entry_id: string;
  readonly version: number;
  /** What stood there before; null: nothing did. */
  readonly replaced: MemoryContent | null;
}

export const memoryKind: StreamKind<MemoryState, MemoryEvent> = {
  category: 'memory',
  events: memoryEvents,
  stateVersion: 2,
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
      return promoted(
        { ...state, org_id, agent_id, issued: state.issued + 1, entry: event.data.entry, deliveries },
        event,
      );
    case 'MemoryEntryUpdated':
      return promoted({ ...state, entry: event.data.entry, deliveries }, event);
    case 'MemoryEntryDeleted':
      return promoted({ ...state, entry: null, deliveries }, event);
    default:
      return unreachable(event);
  }
}

/** The state with the promotion that an event records, or without the one that it undoes. */
function promoted(state: MemoryState, { type, data }: MemoryChangeEvent): MemoryState {
  if (data.reason === 'promotion_reverted') {
    const { promotion: _undone, ...rest } = state;
    return rest;
  }
  if (type === 'MemoryEntryDeleted' || data.reason !== 'promoted') return state;
  const { entry, actor_id: by, replaced = null } = data;
  return { ...state, promotion: { by, entry_id: entry.id, version: entry.version, replaced } };
}

/** The stream id of a key; it cannot be worked out without the organization's salt. */
export function memoryStreamId(salt: string, agentId: string, userId: string, key: string): string {
  return derivedId('mem', salt, [agentId, userId, key]);
}

export function nextEntryId(stream: string, issued: number): string {
  return issued === 0 ? stream : `${stream}${base32Number(issued, generationLength)}`;
}
