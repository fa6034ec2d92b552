import { setTimeout as pause } from 'node:timers/promises';

const defaultEveryMs = 15;

/**
 * Asks again until `read` gives something other than null, undefined or false.
 * Refuses when that takes longer than `withinMs` (default 15 s), naming what was awaited and the last thing seen.
 */
export async function eventually<Found>(
  what: string,
  read: () => Promise<Found | null | undefined | false>,
  withinMs = 15_000,
  everyMs = defaultEveryMs,
): Promise<Found> {
  const deadline = performance.now() + withinMs;
  let trouble = 'nothing came';
  for (;;) {
    try {
      const found = await read();
      if (found !== null && found !== undefined && found !== false) return found;
    } catch (error) {
      trouble = String(error);
    }
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for ${what}: ${trouble}`);
    await pause(everyMs);
  }
}
