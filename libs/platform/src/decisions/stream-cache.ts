/** A folded state and the revision it stands at; -1: the stream has no events. */
export interface Folded<S> {
  state: S;
  revision: number;
  /** Revision of the last snapshot that this process took or read. */
  snapshotRevision: number;
}

/** The most recently used folded states, at most `max`. */
export class StreamCache {
  private readonly entries = new Map<string, Folded<unknown>>();

  constructor(private readonly max: number) {}

  get<S>(stream: string): Folded<S> | undefined {
    const entry = this.entries.get(stream);
    if (!entry) return undefined;
    this.entries.delete(stream);
    this.entries.set(stream, entry);
    return entry as Folded<S>;
  }

  set(stream: string, folded: Folded<unknown>): void {
    this.entries.delete(stream);
    this.entries.set(stream, folded);
    if (this.entries.size > this.max) {
      const oldest = this.entries.keys().next().value;
      if (oldest !== undefined) this.entries.delete(oldest);
    }
  }

  delete(stream: string): void {
    this.entries.delete(stream);
  }
}

/** One at a time per name, first come first served; more than `max` waiting are turned away. */
export class Turnstile {
  private readonly queues = new Map<string, (() => void)[]>();

  constructor(private readonly max: number) {}

  /** Runs `work` alone for this name. Throws `TurnstileFull` when too many wait already. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(name);
    if (!queue) {
      this.queues.set(name, []);
    } else {
      if (queue.length >= this.max) throw new TurnstileFull(name);
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.queues.get(name)?.shift();
      if (next) next();
      else this.queues.delete(name);
    }
  }
}

export class TurnstileFull extends Error {
  constructor(name: string) {
    super(`too many writers wait for ${name}`);
    this.name = 'TurnstileFull';
  }
}
