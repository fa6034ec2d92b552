import { eventStoreContract } from '@aos/kernel/contracts';
import { ManualClock } from '@aos/kernel/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteEventStore } from './sqlite-event-store.js';

eventStoreContract('sqlite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'aos-log-'));
  const clock = new ManualClock();
  const ticking = setInterval(() => {
    clock.advance(100);
  }, 2);
  const onFatal = (error: Error) => {
    throw error;
  };
  let store = await SqliteEventStore.open({ directory, clock, onFatal });
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await SqliteEventStore.open({ directory, clock, onFatal });
      return store;
    },
    close: async () => {
      await store.close();
      clearInterval(ticking);
      rmSync(directory, { recursive: true });
    },
  };
});
