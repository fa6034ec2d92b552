import type { Clock } from '@aos/kernel';

/** Something that must work before requests are sent here. Liveness never asks these (control S43). */
export interface ReadinessCheck {
  readonly name: string;
  /** Null when it is fine, else a few words for operators. */
  check(): Promise<string | null>;
}

const checkMsMax = 2_000;

/** Whether this process should get requests. */
export class Readiness {
  private readonly checks: ReadinessCheck[] = [];
  private readonly stopListeners = new Set<() => void>();
  private isStopping = false;

  register(check: ReadinessCheck): void {
    this.checks.push(check);
  }

  stop(): void {
    this.isStopping = true;
    for (const listener of this.stopListeners) listener();
  }

  /**
   * Calls the listener once the process begins to stop (at once when it already has): what only waits for something
   * should answer now.
   */
  onStop(listener: () => void): { close(): void } {
    if (this.isStopping) listener();
    this.stopListeners.add(listener);
    return {
      close: () => {
        this.stopListeners.delete(listener);
      },
    };
  }

  /** Gives every fault by name; none means ready. A check that takes over two seconds is a fault. */
  async faults(): Promise<Record<string, string>> {
    if (this.isStopping) return { process: 'stopping' };
    const results = await Promise.all(
      this.checks.map(async (each) => [each.name, await within(each.check())] as const),
    );
    return Object.fromEntries(results.filter((result): result is readonly [string, string] => result[1] !== null));
  }
}

/**
 * Must have been there once. Later outages do not take the process out of service: sessions are run and streamed
 * without Redis and Kafka, and a fleet whose every process became unready would answer nothing at all.
 */
export function onceThere(name: string, check: () => Promise<string | null>): ReadinessCheck {
  let wasThere = false;
  return {
    name,
    check: async () => {
      if (wasThere) return null;
      const fault = await check();
      wasThere = fault === null;
      return fault;
    },
  };
}

/**
 * A check that asks a store: that all was well is true for `lastsMs`, and those who ask meanwhile share one question.
 * Every replica is asked by each process of the fleet; a fault is asked about again each time.
 */
export function sharedCheck({ name, check }: ReadinessCheck, lastsMs: number, clock: Clock): ReadinessCheck {
  let wellUntil = -Infinity;
  let asking: Promise<string | null> | null = null;
  const ask = async () => {
    const fault = await check();
    if (fault === null) wellUntil = clock.monotonic() + lastsMs;
    return fault;
  };
  return {
    name,
    check: async () => {
      if (clock.monotonic() < wellUntil) return null;
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
  };
}

async function within(check: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('does not answer'), checkMsMax);
    timer.unref();
  });
  try {
    return await Promise.race([check, late]);
  } catch (error) {
    return error instanceof Error ? error.name : 'fails';
  } finally {
    clearTimeout(timer);
  }
}
