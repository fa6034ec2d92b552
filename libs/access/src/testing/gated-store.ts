import { MemoryEventStore } from '@aos/adapters/memory';
import {
  StoreUnavailable,
  type Appended,
  type ExpectedRevision,
  type NewEvent,
  type ReadOptions,
  type RecordedEvent,
} from '@aos/kernel';

/** Whole numbers from a seed, the same for the same seed. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * A log that stops each call until the test lets it go on: before it reads or writes, and once more before the caller
 * gets the answer.
 */
export class GatedEventStore extends MemoryEventStore {
  private readonly waiting: (() => void)[] = [];
  /** False lets all calls through at once. */
  isGated = false;
  /** One in this many writes is carried out without an answer to its caller; 0 for none. */
  answersLostOf = 0;
  below: (count: number) => number = numbersFrom(1);

  get held(): number {
    return this.waiting.length;
  }

  /** Lets one waiting call, chosen at random, go on until it waits again or ends. */
  async step(): Promise<void> {
    const [next] = this.waiting.splice(this.below(this.waiting.length), 1);
    next?.();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    await this.turn();
    const appended = await super.append(stream, expected, events);
    await this.turn();
    if (this.isGated && this.answersLostOf > 0 && this.below(this.answersLostOf) === 0)
      throw new StoreUnavailable('the answer was lost');
    return appended;
  }

  override async read(stream: string, options: ReadOptions): Promise<RecordedEvent[]> {
    await this.turn();
    const events = await super.read(stream, options);
    await this.turn();
    return events;
  }

  override async heads(streams: readonly string[]): Promise<(number | 'none')[]> {
    await this.turn();
    const heads = await super.heads(streams);
    await this.turn();
    return heads;
  }

  private turn(): Promise<void> {
    return this.isGated
      ? new Promise((resolve) => {
          this.waiting.push(resolve);
        })
      : Promise.resolve();
  }
}
