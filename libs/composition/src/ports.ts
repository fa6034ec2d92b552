import {
  Blobs,
  CommandGateway,
  Egress,
  EventLog,
  EventStore,
  Ids,
  Leases,
  LiveBus,
  ModelProvider,
  ReadStore,
  Snapshots,
} from '@aos/kernel';
import type { Ownership, RoutedCommands } from '@aos/platform';

/**
 * One adapter for each port, and how to close them all. A service of the fleet goes without those that nothing in it
 * asks for.
 */
export interface Ports {
  eventStore: EventStore;
  eventLog?: EventLog;
  readStore: ReadStore;
  snapshots: Snapshots;
  liveBus: LiveBus;
  leases: Leases;
  blobs: Blobs;
  ids: Ids;
  models?: ModelProvider;
  egress?: Egress;
  /** How commands reach other services; without it all handlers are in this process. */
  commandGateway?: (routed: RoutedCommands) => CommandGateway;
  /** Which sessions are this process' own among replicas; without it all. */
  ownership?: Ownership;
  /** Which streams this process' service writes: their projections run here. Without it all. */
  owns?: (category: string) => boolean;
  /** Moves some events of an older form of the log over to the present one; gives how many, 0 when none is left. */
  convertLog?: () => Promise<number>;
  close(): Promise<void>;
}
