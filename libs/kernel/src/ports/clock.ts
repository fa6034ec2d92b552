/** Wall time for stamps, monotonic time for durations, timers that tests can drive. */
export abstract class Clock {
  /** Milliseconds since 1970, UTC. */
  abstract now(): number;
  /** Milliseconds from an arbitrary start; never goes back, whatever happens to the wall clock. */
  abstract monotonic(): number;
  /** Runs `action` once after `ms` of monotonic time. The timer does not keep the process alive. */
  abstract after(ms: number, action: () => void): { cancel(): void };
  /** Resolves after `ms`; rejects with the signal's reason when that is aborted first. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

let [lastMs, lastText] = [Number.NaN, ''];

// one command asks for the same moment again and again

/** RFC 3339 UTC with milliseconds (rule G6). */
export function rfc3339(ms: number): string {
  if (ms !== lastMs) [lastMs, lastText] = [ms, new Date(ms).toISOString()];
  return lastText;
}
