import { StoreUnavailable, type Clock } from '@aos/kernel';

const triesMax = 300;
const everyMs = 1000;

/**
 * Records what came of an effect that has happened: a log that does not answer for a while must not make it happen
 * again.
 *
 * Takes    `stop`: aborted when this process goes down; there is no other try then.
 * Refuses  as `record` does; with `StoreUnavailable` when the log did not answer in about five minutes.
 */
export async function recordUntilTaken<T>(record: () => Promise<T>, clock: Clock, stop: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await record();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || tries >= triesMax || stop.aborted) throw error;
      await clock.sleep(everyMs);
    }
  }
}
