import { StoreUnavailable } from '@aos/kernel';

interface Waiting {
  enter: () => void;
  refuse: (error: Error) => void;
}

/** Lets so many in at a time; the others wait in order, up to a bound, then are refused with `StoreUnavailable`. */
export class Gate {
  private inside = 0;
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly insideMax: number,
    private readonly waitingMax: number,
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private enter(): Promise<void> {
    if (this.inside < this.insideMax) {
      this.inside += 1;
      return Promise.resolve();
    }
    if (this.waiting.length >= this.waitingMax)
      return Promise.reject(new StoreUnavailable(`more than ${this.waitingMax} calls wait for the event store`));
    return new Promise((enter, refuse) => {
      this.waiting.push({ enter, refuse });
    });
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next) next.enter();
    else this.inside -= 1;
  }
}
