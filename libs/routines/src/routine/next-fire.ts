import { Cron } from 'croner';
import { invalidArgument, rfc3339 } from '@aos/kernel';
import type { RoutineRecord, RoutineSchedule } from './routine.events.js';
import { cronCharactersMax, intervalMsMax, intervalMsMin, missedRecordedMax } from './routine.limits.js';
import { clockOf } from './zone-clock.js';

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 } as const;
/**
 * The look back for a cron pattern's newest time grows by doubling from here: some 2^32 minutes are out of any clock's
 * range.
 */
const lookBackMs = 60_000;
const lookBacksMax = 32;
/** Times between two that lie within one look back of each other. */
const stepsMax = 10_000;
/** An hour field by which a pattern means every hour, or each nth. */
const everyHour = /^(?:\*|\?|0-23)/;
/** Minutes of a pattern that have had their moment when the clocks show them again: those of a day at most. */
const repeatedMax = 24 * 60;

/** A schedule with what it is counted by. */
export interface Timetable {
  schedule: RoutineSchedule;
  timezone: string;
  /** Where an interval without `starts_at` counts from, milliseconds. */
  anchorMs: number;
}

/**
 * The first due time after a moment.
 *
 * Takes    a timetable that `requireSchedule` let pass, and the moment.
 * Gives    milliseconds, or null when none comes any more (`at` has passed, `ends_at` lies before it).
 * Units    cron: wall time of the zone. A time that the clocks jump over runs at the end of the gap; one that they show
 *          twice runs once. A pattern that means every hour, or each nth, goes by what the clocks show: what they jump
 *          over does not run, what they show twice runs each time. Intervals: elapsed time, independent of the wall
 *          clock.
 * Source   contract, `RoutineSchedule`; rule X3.
 */
export function nextFire({ schedule, timezone, anchorMs }: Timetable, afterMs: number): number | null {
  const startsMs = schedule.starts_at === undefined ? null : Date.parse(schedule.starts_at);
  const next = nextWithin(
    { schedule, timezone, anchorMs },
    Math.max(afterMs, startsMs === null ? afterMs : startsMs - 1),
    startsMs,
  );
  if (next === null || (schedule.ends_at !== undefined && next > Date.parse(schedule.ends_at))) return null;
  return next;
}

function nextWithin(
  { schedule, timezone, anchorMs }: Timetable,
  afterMs: number,
  startsMs: number | null,
): number | null {
  const { at, interval, cron } = schedule;
  if (at !== undefined) return Date.parse(at) > afterMs ? Date.parse(at) : null;
  if (interval !== undefined) {
    const everyMs = intervalMs(interval) ?? intervalMsMax;
    const firstMs = startsMs ?? anchorMs + everyMs;
    return afterMs < firstMs ? firstMs : firstMs + (Math.floor((afterMs - firstMs) / everyMs) + 1) * everyMs;
  }
  return nextCron(cron ?? '', timezone, afterMs);
}

function nextCron(pattern: string, timezone: string, afterMs: number): number | null {
  const [, hour = ''] = pattern.trim().split(/\s+/);
  if (everyHour.test(hour)) return nextRun(cronOf(pattern, timezone), afterMs);
  // the library reads a pattern with several hours or minutes as one that means every hour
  const [wallClock, clock] = [cronOf(pattern, 'UTC'), clockOf(timezone)];
  let wallMs: number | null = nextRun(wallClock, clock.wallAt(afterMs));
  for (let step = 0; wallMs !== null && step < repeatedMax; step += 1) {
    const at = clock.firstAt(wallMs);
    if (at > afterMs) return at;
    wallMs = nextRun(wallClock, wallMs);
  }
  return null;
}

function nextRun(cron: Cron, afterMs: number): number | null {
  return cron.nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** The due times at a moment. */
export interface Due {
  /** The time that runs: the newest that has come. */
  dueMs: number;
  /** Times that were passed over, oldest first, at most `missedRecordedMax`. */
  missedMs: number[];
  /** The next one to come. */
  nextMs: number | null;
}

/**
 * The due times at `nowMs` of a timer that stands at `firstMs`. After a downtime several may be due: as in other
 * schedulers, the newest runs once, late, and those before it are recorded as missed and do not run.
 */
export function dueNow(timetable: Timetable, firstMs: number, nowMs: number): Due {
  const dueMs = newestUntil(timetable, firstMs, nowMs);
  const missedMs: number[] = [];
  for (
    let at: number | null = firstMs;
    at !== null && at < dueMs && missedMs.length < missedRecordedMax;
    at = nextFire(timetable, at)
  )
    missedMs.push(at);
  return { dueMs, missedMs, nextMs: nextFire(timetable, nowMs) };
}

/** The newest due time at or before `nowMs`, not before `firstMs`. */
function newestUntil(timetable: Timetable, firstMs: number, nowMs: number): number {
  for (let back = lookBackMs, looks = 0; looks < lookBacksMax && nowMs - back > firstMs; back *= 2, looks += 1) {
    const found = nextFire(timetable, nowMs - back);
    if (found !== null && found <= nowMs) return lastFrom(timetable, found, nowMs);
  }
  return lastFrom(timetable, firstMs, nowMs);
}

function lastFrom(timetable: Timetable, fromMs: number, nowMs: number): number {
  let last = fromMs;
  for (let step = 0; step < stepsMax; step += 1) {
    const next = nextFire(timetable, last);
    if (next === null || next > nowMs) return last;
    last = next;
  }
  return last;
}

/** Milliseconds of a duration such as `24h`, `1h30m` or `90s`; null for text that is none. */
export function intervalMs(text: string): number | null {
  const parts = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,7})m)?(?:(\d{1,8})s)?$/.exec(text);
  if (!parts || text === '') return null;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = parts;
  return Number(days) * unitMs.d + Number(hours) * unitMs.h + Number(minutes) * unitMs.m + Number(seconds) * unitMs.s;
}

/**
 * Refuses what the contract's shape lets pass and no calendar knows.
 *
 * Refuses  invalid_argument {argument: schedule} for a time (a leap second), a duration, a cron pattern that is long or
 *          of other than five fields, or a zone that is none, and for a schedule that never comes due.
 */
export function requireSchedule(timetable: Timetable, nowMs: number): void {
  const { schedule, timezone } = timetable;
  for (const member of ['at', 'starts_at', 'ends_at'] as const) {
    const time = schedule[member];
    if (time !== undefined && Number.isNaN(Date.parse(time)))
      throw invalidArgument('schedule', `${member} is no time of the calendar`, { reason: 'invalid_time' });
  }
  if (!isTimezone(timezone)) throw invalidArgument('schedule', 'no such time zone', { reason: 'unknown_timezone' });
  if (schedule.interval !== undefined) {
    const every = intervalMs(schedule.interval);
    if (every === null)
      throw invalidArgument('schedule', 'an interval is a duration such as 24h', { reason: 'invalid_interval' });
    if (every < intervalMsMin || every > intervalMsMax)
      throw invalidArgument('schedule', 'an interval lasts from 1s to 366d', { reason: 'interval_out_of_range' });
  }
  if (schedule.cron !== undefined && !isCron(schedule.cron, timezone)) {
    throw invalidArgument('schedule', 'cron has five fields: minute, hour, day of month, month, day of week', {
      reason: 'invalid_cron',
    });
  }
  if (nextFire(timetable, nowMs) === null)
    throw invalidArgument('schedule', 'it never comes due', { reason: 'never_due' });
}

function isTimezone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isCron(pattern: string, timezone: string): boolean {
  if (pattern.length > cronCharactersMax || pattern.trim().split(/\s+/).length !== 5) return false;
  try {
    cronOf(pattern, timezone);
    return true;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return false;
    throw error;
  }
}

function cronOf(pattern: string, timezone: string): Cron {
  return new Cron(pattern.trim(), { timezone, paused: true, mode: '5-part' });
}

/** A routine's schedule with what it is counted by; null for one that listens to events. */
export function timetableOf({
  schedule,
  timezone,
  armed_at,
}: Pick<RoutineRecord, 'schedule' | 'timezone' | 'armed_at'>): Timetable | null {
  return schedule === null ? null : { schedule, timezone, anchorMs: Date.parse(armed_at) };
}

/** When a routine that is armed now is next due; null for one that listens to events, and when no time is left. */
export function nextDue(routine: Pick<RoutineRecord, 'schedule' | 'timezone'>, nowMs: number): string | null {
  const timetable = timetableOf({ ...routine, armed_at: rfc3339(nowMs) });
  const next = timetable && nextFire(timetable, nowMs);
  return next === null ? null : rfc3339(next);
}
