import { SqliteEventStore } from '@aos/adapters/sqlite';
import { SystemClock } from '@aos/adapters/system';
import type { Position, RecordedEvent } from '@aos/kernel';

/** The events in the log of a service that was stopped, in their order, after a position. */
export async function recordedEvents(folder: string, from: Position | 'start' = 'start'): Promise<RecordedEvent[]> {
  const store = await SqliteEventStore.open({ directory: folder, clock: new SystemClock() });
  const events: RecordedEvent[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      store.subscribe({ name: 'recorded', prefixes: [''], from, onCaughtUp: resolve, onTrouble: reject }, (batch) => {
        events.push(...batch);
        return Promise.resolve();
      });
    });
  } finally {
    await store.close();
  }
  return events;
}
