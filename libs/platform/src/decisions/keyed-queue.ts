import { ShortLivedMap } from '@aos/kernel';

/** One at a time per name, first come first served; more than `max` waiting are turned away. */
export class KeyedQueue {
  private readonly queues = new ShortLivedMap<(() => void)[]>();

  constructor(private readonly max: number) {}

  /** Runs `work` alone for this name. Throws `KeyedQueueFull` when too many wait already. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(name);
    if (!queue) {
      this.queues.set(name, []);
    } else {
      if (queue.length >= this.max) throw new KeyedQueueFull(name);
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

export class KeyedQueueFull extends Error {
  constructor(name: string) {
    super(`too many writers wait for ${name}`);
    this.name = 'TurnstileFull';
  }
}
