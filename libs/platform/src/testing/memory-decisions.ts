import { MemoryBlobs, MemoryLiveBus, MemoryReadStore, MemorySnapshots } from '@aos/adapters/memory';
import type { Clock, EventStore, Ids, LiveBus, Snapshots } from '@aos/kernel';
import { CountingIds } from '@aos/kernel/testing';
import { Decisions } from '../decisions/decisions.js';
import { Payloads } from '../decisions/payloads.js';
import { WriterProjections } from '../decisions/writer-projections.js';

/** What a spec has of its own; the rest is in memory and new. */
export interface MemoryDecisionsParts {
  store: EventStore;
  clock: Clock;
  bus?: LiveBus;
  ids?: Ids;
  snapshots?: Snapshots;
  /** Absent: no projection is registered. */
  writers?: WriterProjections;
}

/** A bus in memory whose trouble fails the spec. */
export function soundBus(clock: Clock): MemoryLiveBus {
  return new MemoryLiveBus({
    clock,
    onTrouble: (error) => {
      throw error;
    },
  });
}

/** The write path of one process over a log in memory. */
export function memoryDecisions({
  store,
  clock,
  bus = soundBus(clock),
  ids = new CountingIds(),
  snapshots = new MemorySnapshots(),
  writers = new WriterProjections(new MemoryReadStore()),
}: MemoryDecisionsParts): Decisions {
  return new Decisions(store, snapshots, new Payloads(new MemoryBlobs()), bus, writers, clock, ids);
}
