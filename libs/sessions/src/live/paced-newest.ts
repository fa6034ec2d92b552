import type { Clock } from '@aos/kernel';

/** Shows the newest of what it is offered, at most once in `everyMs`: the first at once, the last in any case. */
export class PacedNewest<T> {
  private waiting: { value: T } | null = null;
  private shownAt = Number.NEGATIVE_INFINITY;
  private due: { cancel(): void } | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly everyMs: number,
    private readonly show: (value: T) => void,
  ) {}

  get hasShown(): boolean {
    return this.shownAt !== Number.NEGATIVE_INFINITY;
  }

  offer(value: T): void {
    this.waiting = { value };
    if (this.due) return;
    const waitMs = this.shownAt + this.everyMs - this.clock.monotonic();
    if (waitMs <= 0) this.showNewest();
    else
      this.due = this.clock.after(waitMs, () => {
        this.showNewest();
      });
  }

  /** Drops what waits. */
  stop(): void {
    this.due?.cancel();
    this.due = null;
    this.waiting = null;
  }

  private showNewest(): void {
    const { waiting } = this;
    this.stop();
    if (!waiting) return;
    this.shownAt = this.clock.monotonic();
    this.show(waiting.value);
  }
}
