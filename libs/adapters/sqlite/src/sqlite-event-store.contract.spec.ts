import { eventStoreContract } from '@aos/kernel/contracts';
import { ManualClock } from '@aos/kernel/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteEventStore } from './sqlite-event-store.js';
import type { LogFormat } from './writer-messages.js';

const open = (directory: string, clock: ManualClock, newFormat: LogFormat) =>
  SqliteEventStore.open({
    directory,
    clock,
    newFormat,
    onFatal: (error) => {
      throw error;
    },
  });

/** Leaves events of format 1 in streams of their own. */
async function writeFormat1(directory: string, clock: ManualClock): Promise<void> {
  const store = await open(directory, clock, 1);
  const event = () => ({ id: randomUUID(), type: 'ThingHappened', data: {}, meta: { schema_version: '1' } });
  await Promise.all(Array.from({ length: 40 }, (_, n) => store.append(`old-${n}`, 'none', [event(), event()])));
  await store.close();
}

/** TP6: each format, and a log that has both. */
const logs: [name: string, newFormat: LogFormat, isMixed: boolean][] = [
  ['sqlite, format 1', 1, false],
  ['sqlite, format 2', 2, false],
  ['sqlite, both formats', 2, true],
];

for (const [name, newFormat, isMixed] of logs) {
  eventStoreContract(name, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'aos-log-'));
    const clock = new ManualClock();
    const ticking = setInterval(() => {
      clock.advance(100);
    }, 2);
    if (isMixed) await writeFormat1(directory, clock);
    let store = await open(directory, clock, newFormat);
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await open(directory, clock, newFormat);
        return store;
      },
      close: async () => {
        await store.close();
        clearInterval(ticking);
        rmSync(directory, { recursive: true });
      },
    };
  });
}
