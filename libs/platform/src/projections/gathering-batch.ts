import type { EventStore, SubscribeOptions } from '@aos/kernel';

/**
 * How many events a reader takes at once that makes rows which gather; absent: as many as any other.
 *
 * In one process a commit gathers for half a second, and a full batch says that its reader is behind: its rows, and all
 * that gathered before them, are written at once then. A busy process makes thousands of events meanwhile (ADR 52).
 */
export function gatheringBatch({ soleWriter }: Pick<EventStore, 'soleWriter'>): Pick<SubscribeOptions, 'batchMax'> {
  return soleWriter ? { batchMax: 4096 } : {};
}
