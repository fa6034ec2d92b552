import { ShortLivedMap } from '@aos/kernel';
import type { KeyedQueue } from './keyed-queue.js';

/**
 * Loads of streams, each behind what is under way on its stream. Everyone who asks while one waits is given that one:
 * it begins later, so it sees all that was written before they asked.
 */
export class SharedLoads {
  private readonly waiting = new ShortLivedMap<Promise<unknown>>();

  constructor(private readonly queue: KeyedQueue) {}

  run(stream: string, load: () => Promise<unknown>): Promise<unknown> {
    const waiting = this.waiting.get(stream);
    if (waiting) return waiting;
    let isWaiting = true;
    const loading = this.queue.run(stream, () => {
      isWaiting = false;
      this.waiting.delete(stream);
      return load();
    });
    if (isWaiting) this.wait(stream, loading);
    return loading;
  }

  private wait(stream: string, loading: Promise<unknown>): void {
    this.waiting.set(stream, loading);
    loading.catch(() => {
      if (this.waiting.get(stream) === loading) this.waiting.delete(stream); // turned away: too many wait
    });
  }
}
