import { StoreUnavailable } from '@aos/kernel';
import type { Folded } from './folded.js';

const waitingMax = 512;

/** What this process knows of one stream, and who waits to write or to load it. */
export class KnownStream {
  /** Null: the next use folds it. */
  folded: Folded<unknown> | null = null;
  /** Who waits behind what is under way; null while nothing is. */
  private waiting: (() => void)[] | null = null;
  private waitingLoad: Promise<unknown> | null = null;
  private channel: string | null = null;

  constructor(readonly name: string) {}

  /** Whether something is under way: the stream must have no second one of these then. */
  get isInUse(): boolean {
    return this.waiting !== null;
  }

  /** Where the live bus says that the stream grew. */
  get notifications(): string {
    return (this.channel ??= `ring:${this.name}`);
  }

  /** Runs `work` alone, first come first served. Refuses `StoreUnavailable` when too many wait already. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting === null) {
      this.waiting = [];
    } else {
      if (this.waiting.length >= waitingMax) throw new StoreUnavailable(`too many writers wait for ${this.name}`);
      const { waiting } = this;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.waiting = null;
    }
  }

  /**
   * A load behind what is under way. Everyone who asks while one waits is given that one: it begins later, so it sees
   * all that was written before they asked.
   */
  shared(load: () => Promise<unknown>): Promise<unknown> {
    if (this.waitingLoad) return this.waitingLoad;
    let isWaiting = true;
    const loading = this.alone(() => {
      isWaiting = false;
      this.waitingLoad = null;
      return load();
    });
    if (isWaiting) this.wait(loading);
    return loading;
  }

  private wait(loading: Promise<unknown>): void {
    this.waitingLoad = loading;
    loading.catch(() => {
      if (this.waitingLoad === loading) this.waitingLoad = null; // turned away: too many wait
    });
  }
}
