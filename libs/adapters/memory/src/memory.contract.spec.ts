import { RevisionConflict, StoreUnavailable } from '@aos/kernel';
import {
  blobsContract,
  eventLogContract,
  eventStoreContract,
  leasesContract,
  liveBusContract,
  membersContract,
  readStoreContract,
  snapshotsContract,
} from '@aos/kernel/contracts';
import { eventually, ManualClock } from '@aos/kernel/testing';
import { MemoryEventLog } from './memory-event-log.js';
import { MemoryEventStore } from './memory-event-store.js';
import { MemoryLiveBus } from './memory-live-bus.js';
import { MemoryReadStore } from './memory-read-store.js';
import { MemoryBlobs } from './memory-blobs.js';
import { MemoryLeases } from './memory-leases.js';
import { MemoryMembers } from './memory-members.js';
import { MemorySnapshots } from './memory-snapshots.js';

/** A manual clock that goes by itself while the suite runs. */
function going() {
  const clock = new ManualClock();
  const ticking = setInterval(() => {
    clock.advance(10);
  }, 5);
  return {
    clock,
    close: async () => {
      clearInterval(ticking);
    },
  };
}

eventStoreContract('memory', async () => {
  const { clock, close } = going();
  const ticking = setInterval(() => {
    clock.advance(100);
  }, 2);
  const store = new MemoryEventStore({ clock });
  return {
    store,
    close: async () => {
      await store.close();
      clearInterval(ticking);
      await close();
    },
  };
});
readStoreContract('memory', async () => ({ store: new MemoryReadStore(), close: async () => undefined }));
snapshotsContract('memory', async () => ({ snapshots: new MemorySnapshots(), close: async () => undefined }));
blobsContract('memory', async () => ({ blobs: new MemoryBlobs(), close: async () => undefined }));
eventLogContract('memory', async () => {
  const { clock, close } = going();
  const log = new MemoryEventLog(clock);
  return {
    log,
    close: async () => {
      await log.close();
      await close();
    },
  };
});
leasesContract('memory', async () => {
  const { clock, close } = going();
  return { leases: new MemoryLeases(clock), close };
});
membersContract('memory', async () => {
  const { clock, close } = going();
  return { members: new MemoryMembers(clock), close };
});
liveBusContract('memory', async () => {
  const { clock, close } = going();
  const bus = new MemoryLiveBus({ clock, onTrouble: () => undefined });
  return { bus, peer: bus, close };
});

const event = (id: string) => ({ id, type: 'ThingHappened', data: {}, meta: {} });

describe('faults of the log in memory', () => {
  test('one before the append loses it; one after it hides that it was written', async () => {
    const store = new MemoryEventStore({ clock: new ManualClock() });
    store.faults = {
      beforeAppend: () => {
        throw new StoreUnavailable('lost');
      },
    };
    await expect(store.append('thing-1', 'none', [event('a')])).rejects.toThrow('lost');
    expect(await store.heads(['thing-1'])).toEqual(['none']);
    store.faults = {
      afterAppend: async () => {
        throw new StoreUnavailable('unknown');
      },
    };
    await expect(store.append('thing-1', 'none', [event('a')])).rejects.toThrow('unknown');
    store.faults = {};
    expect((await store.append('thing-1', 'none', [event('a')])).revision).toBe(0);
    await expect(store.append('thing-1', 'none', [event('b')])).rejects.toBeInstanceOf(RevisionConflict);
  });
});

test('what a bus handler throws is told', async () => {
  const troubles: unknown[] = [];
  const bus = new MemoryLiveBus({
    clock: new ManualClock(),
    onTrouble: (error) => {
      troubles.push(error);
    },
  });
  bus.subscribe('a', () => {
    throw new Error('the handler broke');
  });
  bus.publish('a', 1);
  await eventually('the trouble', () => troubles.length === 1);
});
