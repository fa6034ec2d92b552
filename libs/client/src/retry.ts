import { ApiError } from './api-error.js';

const firstDelayMs = 250;
const longestDelayMs = 10_000;
/** A service that asks for a longer pause is not waited for: the caller decides. */
const longestAskedMs = 60_000;

/** Whether an attempt that failed so may be made again: the request was refused for now, or its connection was cut. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 429 || error.status === 503) return true;
  if (error.status === 502 || error.status === 504) return true; // a gateway without its service
  return error.status === 0;
}

/**
 * Takes how many attempts failed so far and the last error.
 * Gives    milliseconds to wait; null when the service asked for more than a minute.
 */
export function delayOf(failures: number, error: unknown): number | null {
  const asked = error instanceof ApiError ? error.retryAfterMs : null;
  if (asked !== null && asked > longestAskedMs) return null;
  const step = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 10));
  return (asked ?? 0) + step * (0.5 + Math.random() / 2);
}

/** Waits; refuses with the signal's reason when that fires first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Calls once the signal fires, at once where it has. */
export function onAbort(signal: AbortSignal | undefined, stop: () => void): void {
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop, { once: true });
}

/** The signals as one; undefined when there is none. */
export function anySignal(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/** 128 random bits; `crypto.randomUUID` is absent on pages without TLS. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
