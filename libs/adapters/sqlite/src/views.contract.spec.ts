import { readStoreContract, snapshotsContract } from '@aos/kernel/contracts';
import { ManualClock } from '@aos/kernel/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteReadStore } from './sqlite-read-store.js';
import { SqliteSnapshots } from './sqlite-snapshots.js';
import { ViewsFile } from './views-file.js';

async function openViews() {
  const directory = mkdtempSync(join(tmpdir(), 'aos-views-'));
  const clock = new ManualClock();
  const ticking = setInterval(() => {
    clock.advance(50);
  }, 5);
  const views = await ViewsFile.open({ file: join(directory, 'views.db'), clock });
  return {
    views,
    close: async () => {
      await views.close();
      clearInterval(ticking);
      rmSync(directory, { recursive: true });
    },
  };
}

readStoreContract('sqlite', async () => {
  const { views, close } = await openViews();
  return { store: new SqliteReadStore(views), close };
});

snapshotsContract('sqlite', async () => {
  const { views, close } = await openViews();
  return { snapshots: new SqliteSnapshots(views), close };
});
