/** Work that goes on while the next is begun: so much at once, and nothing is begun after a fault. */
export class BoundedPool {
  private readonly running = new Set<Promise<void>>();
  private fault: { error: unknown } | null = null;

  constructor(private readonly atOnce: number) {}

  /** Begins work as soon as there is room. Throws the fault of work before it. */
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

  /** Resolves when nothing runs any more; throws the first fault. */
  async ended(): Promise<void> {
    await Promise.all(this.running);
    this.requireFaultless();
  }

  private requireFaultless(): void {
    if (this.fault) throw this.fault.error;
  }
}
