import { join } from 'node:path';
import type { DynamicModule, Provider } from '@nestjs/common';
import {
  Blobs,
  Clock,
  CommandGateway,
  Egress,
  EgressFailure,
  EventLog,
  EventStore,
  Ids,
  Leases,
  LiveBus,
  ReadStore,
  Snapshots,
  type OpenedResponse,
} from '@aos/kernel';
import { MemoryBlobs, MemoryEventLog, MemoryLeases, MemoryLiveBus, MemorySnapshots } from '@aos/adapters/memory';
import { SqliteEventStore, SqliteReadStore, ViewsFile } from '@aos/adapters/sqlite';
import { SystemIds } from '@aos/adapters/system';
import {
  RoutedCommands,
  Decisions,
  DueTimers,
  Lags,
  LocalCommandGateway,
  Payloads,
  OwnProjections,
  OwnStreams,
  Projectors,
  WriterProjections,
} from '@aos/platform';

class WorldModule {}

/** Nothing leaves. */
class NoEgress extends Egress {
  override open(): Promise<OpenedResponse> {
    return Promise.reject(new EgressFailure('unreachable', false, 'nothing leaves this test'));
  }

  override sendMail(): Promise<never> {
    return Promise.reject(new EgressFailure('unreachable', false, 'nothing leaves this test'));
  }

  override refusal(): string | null {
    return null;
  }
}

/** The embedded event store and views, with the rest of the ports in memory, for a service that is served. */
export async function sqliteWorld(
  directory: string,
  clock: Clock,
): Promise<{ module: DynamicModule; close: () => Promise<void> }> {
  const eventStore = await SqliteEventStore.open({ directory, clock });
  const views = await ViewsFile.open({ file: join(directory, 'views.db'), clock });
  const eventLog = new MemoryEventLog(clock);
  const ports: [abstract new (...parameters: never[]) => unknown, unknown][] = [
    [EventStore, eventStore],
    [ReadStore, new SqliteReadStore(views)],
    [EventLog, eventLog],
    [Snapshots, new MemorySnapshots()],
    [Blobs, new MemoryBlobs()],
    [Leases, new MemoryLeases(clock)],
    [
      LiveBus,
      new MemoryLiveBus({
        clock,
        onTrouble: (error) => {
          throw error;
        },
      }),
    ],
    [Ids, new SystemIds()],
    [Egress, new NoEgress()],
  ];
  const own = [Payloads, WriterProjections, Decisions, DueTimers, Lags, RoutedCommands];
  const projectors: Provider = {
    provide: Projectors,
    useFactory: (
      store: EventStore,
      rows: ReadStore,
      decisions: Decisions,
      writers: WriterProjections,
      leases: Leases,
      time: Clock,
      ids: Ids,
    ) =>
      new Projectors(new OwnProjections(writers, decisions, new OwnStreams()), store, rows, leases, time, ids, {
        leaseSeconds: 15,
      }),
    inject: [EventStore, ReadStore, Decisions, WriterProjections, Leases, Clock, Ids],
  };
  const gateway: Provider = { provide: CommandGateway, useClass: LocalCommandGateway };
  const providers: Provider[] = [
    ...ports.map(([provide, useValue]): Provider => ({ provide, useValue })),
    ...own,
    projectors,
    gateway,
  ];
  return {
    module: {
      module: WorldModule,
      global: true,
      providers,
      exports: [...ports.map(([token]) => token), ...own, Projectors, CommandGateway],
    },
    close: async () => {
      await eventLog.close();
      await views.close();
      await eventStore.close();
    },
  };
}
