import { setTimeout as pause } from 'node:timers/promises';

const defaultMs = 60_000;
const soonEveryMs = 15;
/** What has not come after a second is asked for less often: each question takes of the processor too. */
const soonMs = 1_000;
const lateEveryMs = 60;

/**
 * Asks again until `read` gives something other than null, undefined or false.
 * Refuses when that takes longer than `withinMs`, naming what was awaited and the last thing seen. The default is a
 * minute: a slow machine takes long, and on a quick one it costs nothing.
 */
export async function eventually<Found>(
  what: string,
  read: () => Promise<Found | null | undefined | false>,
  withinMs = defaultMs,
  everyMs?: number,
): Promise<Found> {
  const begun = performance.now();
  let trouble = 'nothing came';
  for (;;) {
    try {
      const found = await read();
      if (found !== null && found !== undefined && found !== false) return found;
    } catch (error) {
      trouble = String(error);
    }
    const waited = performance.now() - begun;
    if (waited > withinMs) throw new Error(`waited ${withinMs} ms in vain for ${what}: ${trouble}`);
    await pause(everyMs ?? (waited < soonMs ? soonEveryMs : lateEveryMs));
  }
}
