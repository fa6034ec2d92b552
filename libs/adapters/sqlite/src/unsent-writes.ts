import { GatheredWrites, type WaitingJob } from './gathered-writes.js';
import type { Job, PutParameters } from './views-messages.js';

/**
 * What the views' thread has not been given yet: puts of each collection, which a reader of it can have sent ahead, and
 * jobs that keep their order. A put may go before jobs that came before it, never behind one that came after it.
 */
export class UnsentWrites {
  /** They wait until everything here is written or lost. */
  readonly readers: (() => void)[] = [];
  private readonly puts = new Map<string, GatheredWrites>();
  private readonly ordered = new GatheredWrites();
  /** One of the ordered jobs changes rows in other ways: what is put behind it stays behind it. */
  private isSeparated = false;

  get jobs(): number {
    return this.sum(({ waiting }) => waiting.length);
  }

  get steps(): number {
    return this.sum(({ steps }) => steps);
  }

  /** Of all texts. */
  get characters(): number {
    return this.sum(({ characters }) => characters);
  }

  /** In the order in which they are sent. */
  get parts(): GatheredWrites[] {
    return [...this.puts.values(), this.ordered].filter(({ waiting }) => waiting.length > 0);
  }

  /** Whether a reader of the collection must wait for everything here. */
  holds(collection: string): boolean {
    return this.ordered.collections.has(collection);
  }

  add(job: Job, waiting: WaitingJob, collections: Iterable<string>): void {
    this.ordered.add(job, waiting, collections);
  }

  /** What is put from now on is written behind what was added. */
  separate(): void {
    this.ordered.separate();
    this.isSeparated = true;
  }

  /** Gives whether a job was needed: none for a row that is here already. */
  put(row: PutParameters, waiting: WaitingJob): boolean {
    return (this.isSeparated ? this.ordered : this.putsOf(row[0])).put(row, waiting);
  }

  /** Takes the puts of a collection out; null when there are none. */
  takePuts(collection: string): GatheredWrites | null {
    const puts = this.puts.get(collection) ?? null;
    this.puts.delete(collection);
    return puts;
  }

  private putsOf(collection: string): GatheredWrites {
    let puts = this.puts.get(collection);
    if (!puts) this.puts.set(collection, (puts = new GatheredWrites()));
    return puts;
  }

  private sum(of: (writes: GatheredWrites) => number): number {
    let total = of(this.ordered);
    for (const puts of this.puts.values()) total += of(puts);
    return total;
  }
}
