import { join } from 'node:path';
import type { DynamicModule, Provider } from '@nestjs/common';
import { Blobs, EventLog, EventStore, Ids, Leases, LiveBus, ReadStore, Snapshots, type Clock } from '@aos/kernel';
import { MemoryBlobs, MemoryLeases, MemoryLiveBus, MemorySnapshots } from '@aos/adapters/memory';
import { SqliteEventLog, SqliteEventStore, SqliteReadStore, ViewsFile } from '@aos/adapters/sqlite';
import { SystemIds } from '@aos/adapters/system';
import { Decisions, Payloads, WriterProjections } from '@aos/platform';

class WorldModule {}

/** The embedded log and views, with the rest of the ports in memory, for a service that is served. */
export async function sqliteWorld(directory: string, clock: Clock): Promise<{ module: DynamicModule; close: () => Promise<void> }> {
  const eventStore = await SqliteEventStore.open({ directory, clock });
  const views = await ViewsFile.open({ file: join(directory, 'views.db'), clock });
  const eventLog = new SqliteEventLog(views);
  const ports: [abstract new (...parameters: never[]) => unknown, unknown][] = [
    [EventStore, eventStore], [ReadStore, new SqliteReadStore(views)], [EventLog, eventLog], [Snapshots, new MemorySnapshots()], [Blobs, new MemoryBlobs()],
    [Leases, new MemoryLeases(clock)], [LiveBus, new MemoryLiveBus({ clock, onTrouble: (error) => { throw error; } })], [Ids, new SystemIds()],
  ];
  const own = [Payloads, WriterProjections, Decisions];
  const providers: Provider[] = [...ports.map(([provide, useValue]): Provider => ({ provide, useValue })), ...own];
  return {
    module: { module: WorldModule, global: true, providers, exports: [...ports.map(([token]) => token), ...own] },
    close: async () => {
      await eventLog.close();
      await views.close();
      await eventStore.close();
    },
  };
}
