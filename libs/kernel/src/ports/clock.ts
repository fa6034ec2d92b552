/** Wall time for stamps, monotonic time for durations, timers that tests can drive. */
export abstract class Clock {
  /** Milliseconds since 1970, UTC. */
  abstract now(): number;
  /** Milliseconds from an arbitrary start; never goes back, whatever happens to the wall clock. */
  abstract monotonic(): number;
  /** Runs `action` once after `ms` of monotonic time. The timer does not keep the process alive. */
  abstract after(ms: number, action: () => void): { cancel(): void };
  /**
   * Runs `action` once after about `ms`, a sixth to five quarters of it: for what is asked again and again. On a real
   * clock all such questions of a process fall on common beats, so that it wakes once for them and sends by one write.
   */
  onBeat(ms: number, action: () => void): { cancel(): void } {
    return this.after(ms, action);
  }
  /** Resolves after `ms`; rejects with the signal's reason when that is aborted first. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Beats of a second or more fall on halves of seconds, so that all of them are common. */
const commonMs = 500;

/** Milliseconds until the next whole multiple of `ms`, cut to a common beat, that is at least a quarter of it away. */
export function untilBeat(now: number, ms: number): number {
  const everyMs = ms < 2 * commonMs ? ms : ms - (ms % commonMs);
  const left = everyMs - (now % everyMs);
  return left < everyMs / 4 ? left + everyMs : left;
}

/** The last moment and its text: one command asks for the same one again and again. */
let [lastMs, lastText] = [Number.NaN, ''];
/** Its second, and the text up to the milliseconds: tokens of an answer mostly come in the same second. */
let [lastSecond, secondText] = [Number.NaN, ''];

/** RFC 3339 UTC with milliseconds (rule G6). */
export function rfc3339(ms: number): string {
  if (ms === lastMs) return lastText;
  const whole = Math.trunc(ms);
  const second = Math.floor(whole / 1000);
  if (second !== lastSecond) {
    secondText = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
    lastSecond = second;
  }
  lastMs = ms;
  lastText = `${secondText}${String(whole - second * 1000).padStart(3, '0')}Z`;
  return lastText;
}

/** The first and the last moment that have a year of four digits. */
const [firstMs, lastWrittenMs] = [-62_167_219_200_000, 253_402_300_799_999];

/**
 * Milliseconds since 1970 of a time that `rfc3339` writes again with a year of four digits; null for other text, for a
 * leap second, which has no place in that count, and for a time whose zone leads out of the years 0 to 9999.
 */
export function momentOf(text: string): number | null {
  const ms = Date.parse(text);
  return ms >= firstMs && ms <= lastWrittenMs ? ms : null;
}
