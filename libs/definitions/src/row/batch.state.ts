import type { StreamKind } from '@aos/kernel';
import { batchEvents, type BatchEvent } from './batch.events.js';

export type BatchOutcome = 'committed' | 'released';

export interface BatchState {
  /** Null until the first event, which decides for ever. */
  readonly outcome: BatchOutcome | null;
}

/** Stream `tablebatch-<id>`: its first event decides over the rows that wait for it (ARCHITECTURE.md section 3). */
export const batchKind: StreamKind<BatchState, BatchEvent> = {
  category: 'tablebatch',
  events: batchEvents,
  stateVersion: 1,
  initial: () => ({ outcome: null }),
  evolve: (state, event) => ({
    outcome: state.outcome ?? (event.type === 'BatchCommitted' ? 'committed' : 'released'),
  }),
};
