import type { Clock, Demand } from '@aos/kernel';

const askedMs = 1000; // who asked a moment ago asks again

/** Whether rows of one projection are waited for in this process. */
export class RowDemand implements Demand {
  private holders = 0;
  private askedAt = -Infinity;
  /** A list that is not changed but replaced: what listens comes and goes all the time (see `ShortLivedMap`). */
  private listeners: readonly (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  get isPresent(): boolean {
    return this.holders > 0 || this.clock.monotonic() - this.askedAt < askedMs;
  }

  onArrival(listener: () => void): { cancel(): void } {
    const own = () => {
      listener();
    };
    this.listeners = [...this.listeners, own];
    return {
      cancel: () => {
        this.listeners = this.listeners.filter((listener) => listener !== own);
      },
    };
  }

  hold(): () => void {
    this.holders += 1;
    this.announce();
    let isHeld = true;
    return () => {
      if (isHeld) this.holders -= 1;
      isHeld = false;
    };
  }

  /** A reader asks for the rows now. */
  ask(): void {
    this.askedAt = this.clock.monotonic();
    this.announce();
  }

  private announce(): void {
    for (const listener of this.listeners) listener();
  }
}
