/** Runs at most `atOnce` pieces of work at the same time. After a fault it starts no more. */
export class BoundedPool {
  private readonly running = new Set<Promise<void>>();
  private fault: { error: unknown } | null = null;

  constructor(private readonly atOnce: number) {}

  /** Runs `work` on all items in batches of `atOnce`; gives the results in the items' order. */
  static async map<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    for (let from = 0; from < items.length; from += atOnce)
      results.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))));
    return results;
  }

  /**
   * Runs `work` on all items, at most `atOnce` at the same time, and `before` ahead of each. All of it has ended when
   * this returns or throws the first fault.
   */
  static async each<T>(
    items: readonly T[],
    { atOnce, before }: { atOnce: number; before: () => Promise<void> },
    work: (item: T) => Promise<void>,
  ): Promise<void> {
    const pool = new BoundedPool(atOnce);
    try {
      for (const item of items) {
        await before();
        await pool.begin(() => work(item));
      }
    } finally {
      await pool.settled();
    }
    await pool.ended();
  }

  /** Starts the work as soon as there is room. Throws the first fault of earlier work. */
  async begin(work: () => Promise<void>): Promise<void> {
    while (this.running.size >= this.atOnce) await Promise.race(this.running);
    this.requireFaultless();
    const run: Promise<void> = work()
      .catch((error: unknown) => {
        this.fault ??= { error };
      })
      .finally(() => {
        this.running.delete(run);
      });
    this.running.add(run);
  }

  /** Resolves when all work has ended; throws the first fault. */
  async ended(): Promise<void> {
    await Promise.all(this.running);
    this.requireFaultless();
  }

  /** Resolves when all work has ended, whatever its end. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }

  private requireFaultless(): void {
    if (this.fault) throw this.fault.error;
  }
}
