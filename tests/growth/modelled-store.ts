import type { Random } from '../simulation/random.js';
import { store } from './measured-costs.js';
import type { VirtualTime } from './virtual-time.js';

/** The event store: it takes so many appends a second, one after the other, and answers each after a while. */
export class ModelledStore {
  private freeAt = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly random: Random,
  ) {}

  append(answered: () => void): void {
    const begins = Math.max(this.time.now, this.freeAt);
    this.freeAt = begins + 1000 / store.appendsPerSecond;
    this.time.after(this.freeAt - this.time.now + this.between(store.latencyMs), answered);
  }

  read(answered: () => void): void {
    this.time.after(this.between(store.readMs), answered);
  }

  private between([least, most]: readonly [number, number]): number {
    return least + this.random.next() * (most - least);
  }
}
