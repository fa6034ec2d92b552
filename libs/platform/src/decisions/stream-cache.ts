/** A folded state and the revision it stands at; -1: the stream has no events. */
export interface Folded<S> {
  state: S;
  revision: number;
  /** Revision of the last snapshot that this process took or read. */
  snapshotRevision: number;
}

interface Kept {
  folded: Folded<unknown>;
  /** Which place in the order of use it took. */
  place: number;
}

/** The most recently used folded states, at most `max`: one that was used leaves after most of those that were not for as long. */
export class StreamCache {
  /** In order of place. */
  private readonly entries = new Map<string, Kept>();
  private places = 0;

  constructor(private readonly max: number) {}

  get<S>(stream: string): Folded<S> | undefined {
    const kept = this.entries.get(stream);
    if (!kept) return undefined;
    if (this.places - kept.place > this.max / 2) this.put(stream, kept.folded); // the younger half need not move up: that costs more than it gives
    return kept.folded as Folded<S>;
  }

  set(stream: string, folded: Folded<unknown>): void {
    const kept = this.entries.get(stream);
    if (kept) kept.folded = folded;
    else this.put(stream, folded);
  }

  private put(stream: string, folded: Folded<unknown>): void {
    this.entries.delete(stream);
    this.places += 1;
    this.entries.set(stream, { folded, place: this.places });
    if (this.entries.size <= this.max) return;
    const oldest = this.entries.keys().next().value;
    if (oldest !== undefined) this.entries.delete(oldest);
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
