import { Cron } from 'croner';
import type { Schema } from '@aos/client';

type Schedule = Schema<'RoutineSchedule'>;

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 } as const;
const shownMax = 20;

/** Milliseconds of a duration such as `24h`, `1h30m` or `90s`; null for text that is none. */
export function durationMs(text: string): number | null {
  const parts = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,7})m)?(?:(\d{1,8})s)?$/.exec(text);
  if (parts === null || text === '') return null;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = parts;
  return Number(days) * unitMs.d + Number(hours) * unitMs.h + Number(minutes) * unitMs.m + Number(seconds) * unitMs.s;
}

/**
 * The next times of a schedule, as the service counts them: cron by the wall time of its zone, intervals by elapsed
 * time.
 *
 * Takes    the schedule; the moment after which; for one that runs already, when it is next due, which an interval is
 *          counted from.
 * Gives    at most `count` times; none for a schedule that cannot be read or never comes.
 */
export function nextRuns(schedule: Schedule, afterMs: number, count: number, dueMs: number | null = null): Date[] {
  const startsMs = timeOf(schedule.starts_at);
  const endsMs = timeOf(schedule.ends_at);
  const fromMs = Math.max(afterMs, startsMs === null ? afterMs : startsMs - 1);
  const wanted = Math.min(count, shownMax, dueMs === null ? (schedule.max_occurrences ?? count) : count);
  const times = timesOf(schedule, { fromMs, startsMs, dueMs, wanted });
  return times.filter((at) => endsMs === null || at.getTime() <= endsMs);
}

function timesOf(
  { at, interval, cron, timezone = 'UTC' }: Schedule,
  {
    fromMs,
    startsMs,
    dueMs,
    wanted,
  }: { fromMs: number; startsMs: number | null; dueMs: number | null; wanted: number },
): Date[] {
  if (at !== undefined) {
    const once = timeOf(at);
    return once === null || once <= fromMs ? [] : [new Date(once)];
  }
  if (interval !== undefined) {
    const everyMs = durationMs(interval);
    if (everyMs === null || everyMs < 1000) return [];
    const firstMs = dueMs ?? startsMs ?? fromMs + everyMs;
    const passed = firstMs > fromMs ? 0 : Math.floor((fromMs - firstMs) / everyMs) + 1;
    return Array.from({ length: wanted }, (_, index) => new Date(firstMs + (passed + index) * everyMs));
  }
  return cronTimes(cron ?? '', timezone, fromMs, wanted);
}

function cronTimes(pattern: string, timezone: string, fromMs: number, wanted: number): Date[] {
  if (pattern.trim().split(/\s+/).length !== 5) return [];
  try {
    return new Cron(pattern.trim(), { timezone, paused: true, mode: '5-part' }).nextRuns(wanted, new Date(fromMs));
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return []; // the service says what is wrong with it
    throw error;
  }
}

function timeOf(text: string | undefined): number | null {
  const ms = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
