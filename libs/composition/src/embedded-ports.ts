import { join } from 'node:path';
import { StartFault, messageOf } from '@aos/kernel';
import type { Core } from '@aos/platform';
import type { Ports } from './ports.js';
import { SystemIds } from '@aos/adapters/system';

type EmbeddedPorts = Ports & Required<Pick<Ports, 'convertLog'>>;

/** Everything in one process on SQLite: the log in one file that can never be lost, everything else in one that can. */
export async function embeddedPorts(core: Core): Promise<EmbeddedPorts> {
  const { MemoryLeases, MemoryLiveBus } = await import('@aos/adapters/memory');
  const { FileBlobs, SqliteEventStore, SqliteReadStore, SqliteSnapshots, ViewsFile } =
    await import('@aos/adapters/sqlite');
  const { egress, models } = await import('./models-and-egress.js');
  const { settings, clock, log } = core;
  const eventStore = await SqliteEventStore.open({ directory: settings.dataDir, clock }).catch((error: unknown) => {
    if (error instanceof StartFault) throw error;
    throw new StartFault(`SVC_DATA_DIR: the log in ${settings.dataDir} cannot be opened: ${messageOf(error)}.`, {
      cause: error,
    });
  });
  const views = await ViewsFile.open({ file: join(settings.dataDir, 'views.db'), clock });
  const readStore = new SqliteReadStore(views);
  const snapshots = new SqliteSnapshots(views);
  // The data directory is held by this process alone, so at boot every lease is void: memory is enough.
  const leases = new MemoryLeases(clock);
  const liveBus = new MemoryLiveBus({
    clock,
    onTrouble: (error) => {
      log.warn('live bus', { error });
    },
  });
  return {
    eventStore,
    readStore,
    snapshots,
    leases,
    liveBus,
    blobs: new FileBlobs(join(settings.dataDir, 'blobs')),
    ids: new SystemIds(),
    models: models(core),
    egress: egress(core),
    convertLog: () => eventStore.convertSome(),
    async close() {
      await liveBus.close();
      await leases.close();
      await snapshots.close();
      await readStore.close();
      await views.close();
      await eventStore.close();
    },
  };
}
