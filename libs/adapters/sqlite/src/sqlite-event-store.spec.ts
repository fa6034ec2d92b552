import { type NewEvent, StoreUnavailable } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryInUse } from './directory-hold.js';
import { SqliteEventStore, type SqliteEventStoreOptions } from './sqlite-event-store.js';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'aos-log-'));
  directories.push(directory);
  return directory;
}

const open = (options: Partial<SqliteEventStoreOptions> = {}) =>
  SqliteEventStore.open({ directory: newDirectory(), clock: new ManualClock(), ...options });
const event = (text = ''): NewEvent => ({ id: randomUUID(), type: 'ThingHappened', data: { text }, meta: {} });

test('a directory is held by one store, until it is closed', async () => {
  const directory = newDirectory();
  const first = await open({ directory });
  await expect(open({ directory })).rejects.toBeInstanceOf(DirectoryInUse);
  await first.close();
  await (await open({ directory })).close();
});

describe.each([1, 2] as const)('in format %s', (newFormat) => {
  test('a closed log is whole in its one file', async () => {
    const [directory, copied] = [newDirectory(), newDirectory()];
    const store = await open({ newFormat, directory });
    const appends = Array.from({ length: 50 }, (_, n) =>
      store.append(`thing-${n}`, 'none', [event('x'.repeat(2_000))]),
    );
    await appends[0];
    await store.read('thing-0', { limit: 1 });
    await store.close();
    await Promise.all(appends);
    expect(existsSync(join(directory, 'log.db-wal'))).toBe(false);
    copyFileSync(join(directory, 'log.db'), join(copied, 'log.db'));
    const copy = await open({ newFormat, directory: copied });
    expect(await copy.heads(Array.from({ length: 50 }, (_, n) => `thing-${n}`))).toEqual(
      Array.from({ length: 50 }, () => 0),
    );
    await copy.close();
  });

  test('a full log is StoreUnavailable: nothing of what was refused is there, and it heals', async () => {
    const store = await open({ newFormat, pagesMax: 200 });
    const text = 'x'.repeat(20_000);
    let written = 0;
    for (let refused = false; !refused;) {
      try {
        await store.append('thing-a', written === 0 ? 'none' : written * 2 - 1, [event(text), event(text)]);
        written += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(StoreUnavailable);
        refused = true;
      }
    }
    expect(written).toBeGreaterThan(2);
    expect(await store.heads(['thing-a'])).toEqual([written * 2 - 1]);
    await store.truncate('thing-a', written * 2 - 1);
    await store.append('thing-a', written * 2 - 1, [event(text)]);
    const batch = await Promise.allSettled(['b', 'c'].map((id) => store.append(`thing-${id}`, 'none', [event(text)])));
    expect(batch.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    await store.close();
  });

  test('what waits when the store is closed is written first; afterwards nothing is', async () => {
    const directory = newDirectory();
    const store = await open({ newFormat, directory });
    const waiting = [store.append('thing-1', 'none', [event()]), store.append('thing-2', 'none', [event()])];
    const closing = store.close();
    await Promise.all(waiting);
    await closing;
    await expect(store.append('thing-3', 'none', [event()])).rejects.toBeInstanceOf(StoreUnavailable);
    const again = await open({ newFormat, directory });
    expect(await again.heads(['thing-1', 'thing-2', 'thing-3'])).toEqual([0, 0, 'none']);
    await again.close();
  });

  test('positions are never reused, also when the newest events were forgotten and the log was opened again', async () => {
    const directory = newDirectory();
    const store = await open({ newFormat, directory });
    const appended = await store.append('thing-1', 'none', [event(), event(), event()]);
    await store.truncate('thing-1', 3);
    await store.close();
    const again = await open({ newFormat, directory });
    const next = await again.append('thing-1', 2, [event()]);
    expect(next.revision).toBe(3);
    expect(next.position > appended.position).toBe(true);
    await again.close();
  });

  test('a subscription that is far behind reads the file, and goes over to the newest events without a gap', async () => {
    const store = await open({ newFormat });
    const count = 12_000;
    for (let first = 0; first < count; first += 500) {
      await store.append(
        'thing-1',
        first === 0 ? 'none' : first - 1,
        Array.from({ length: 500 }, () => event()),
      );
    }
    const revisions: number[] = [];
    const caughtUp = new Promise<void>((resolve) => {
      store.subscribe(
        { name: 'behind', prefixes: ['other-', 'thing-'], from: 'start', onCaughtUp: resolve },
        async (events) => {
          revisions.push(...events.map(({ revision }) => revision));
        },
      );
    });
    await caughtUp;
    expect(revisions).toEqual(Array.from({ length: count }, (_, n) => n));
    await store.close();
  });
});
