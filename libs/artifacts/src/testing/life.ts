class Killed extends Error {}

/** The life of a process that dies at its n-th write, before or after it is done; nothing is written from then on. */
export class Life {
  private count = 0;
  private isOver = false;

  constructor(
    private readonly dieAt: number,
    private readonly when: 'before' | 'after',
  ) {}

  get writes(): number {
    return this.count;
  }

  /** The port, with these methods as writes. */
  over<T extends object>(port: T, names: readonly (keyof T)[]): T {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const method = value as (...args: unknown[]) => Promise<unknown>;
        return names.includes(name as keyof T)
          ? (...args: unknown[]) => this.write(() => method.apply(target, args))
          : method.bind(target);
      },
    });
  }

  /** Work that its process may not live to end; any other fault is given on. */
  async until(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Killed) && !String(error).includes('not answer')) throw error;
    }
  }

  private async write<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOver) throw new Killed();
    this.count += 1;
    const isLast = this.count === this.dieAt;
    this.isOver = isLast;
    if (isLast && this.when === 'before') throw new Killed();
    const done = await work();
    if (isLast) throw new Killed();
    return done;
  }
}
