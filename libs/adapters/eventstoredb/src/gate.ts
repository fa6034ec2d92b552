import { FairQueue, StoreUnavailable } from '@aos/kernel';

interface Waiting {
  enter: () => void;
}

/**
 * Lets so many in at a time. The others wait, organizations in turn and each one's in order, up to a bound for all and
 * one for each organization; beyond them they are refused with `StoreUnavailable`.
 */
export class Gate {
  private inside = 0;
  private readonly waiting: FairQueue<Waiting>;

  constructor(
    private readonly insideMax: number,
    bounds: { waiting: number; waitingPerOrganization: number },
  ) {
    this.waiting = new FairQueue(bounds.waitingPerOrganization, bounds.waiting);
  }

  async run<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    await this.enter(orgId);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private enter(orgId: string): Promise<void> {
    if (this.inside < this.insideMax) {
      this.inside += 1;
      return Promise.resolve();
    }
    if (!this.waiting.hasRoom(orgId))
      return Promise.reject(new StoreUnavailable(`${this.waiting.size} calls wait for the event store`));
    return new Promise((enter) => {
      this.waiting.push(orgId, { enter });
    });
  }

  private leave(): void {
    const next = this.waiting.shift(() => true);
    if (next) next.enter();
    else this.inside -= 1;
  }
}
