import type { StreamKind } from '@aos/kernel';
import { connectionEvents, type ConnectionEvent, type ConnectionRecord } from './connection.events.js';

export interface ConnectionState {
  /** Null before the first event. */
  readonly connection: ConnectionRecord | null;
}

export const connectionKind: StreamKind<ConnectionState, ConnectionEvent> = {
  category: 'connection',
  events: connectionEvents,
  stateVersion: 1,
  snapshotEvery: 100,
  initial: () => ({ connection: null }),
  evolve: (_state, event) => ({ connection: event.data.connection }),
};
