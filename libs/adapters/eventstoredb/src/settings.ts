/** Times in milliseconds; the defaults are those of production. */
export interface EventStoreDbOptions {
  /** Connection string, `esdb://` or `kurrentdb://`. */
  url: string;
  /** How long one try of a call may stay without an answer; default 2000. */
  attemptMs?: number;
  /** How long a call is repeated in all before `StoreUnavailable`; default 5000. */
  budgetMs?: number;
  /** Longest pause before a broken subscription is opened again; default 2000. */
  resumePauseMaxMs?: number;
  /** How often a connection with subscriptions is asked whether it is there; default 10,000. */
  pingMs?: number;
}

export type Settings = Required<EventStoreDbOptions>;

export function settingsOf(options: EventStoreDbOptions): Settings {
  return { attemptMs: 2000, budgetMs: 5000, resumePauseMaxMs: 2000, pingMs: 10_000, ...options };
}

/** Somewhere in the upper half of `ms`, so that many who wait do not come back together. */
export function jittered(ms: number): number {
  return ms / 2 + Math.random() * (ms / 2);
}

/** Resolves after `ms`. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Rejects with `late()` when the promise has not settled after `ms`; the promise itself goes on. */
export async function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, ms));
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
