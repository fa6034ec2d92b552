import type { Clock } from '@aos/kernel';

const signsPerBudget = 40;
const signMsMin = 1000;
const signMsMax = 60_000;

export interface ActiveTimeSpec {
  /** Active time of earlier runs of the turn, milliseconds. */
  spentMs: number;
  budgetMs: number;
  /** The budget is spent. Called once. */
  ranOut: () => void;
  /** The run goes on, and this much is spent. Never two at once; what it rejects with is its own to tell. */
  sign: (spentMs: number) => Promise<void>;
}

/**
 * Counts the active execution of one run of a turn against its budget (rule L6), and gives a sign of life now and then:
 * a run that breaks off counts up to its last one. Two signs are a fortieth of the budget apart, at least a second and
 * at most a minute.
 */
export class ActiveTime {
  private readonly startedAt: number;
  private readonly end: { cancel(): void };
  private next: { cancel(): void } | null = null;
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly spec: ActiveTimeSpec,
  ) {
    this.startedAt = clock.monotonic();
    this.end = clock.after(Math.max(0, spec.budgetMs - spec.spentMs), spec.ranOut);
    this.schedule();
  }

  get spentMs(): number {
    return Math.round(this.spec.spentMs + (this.clock.monotonic() - this.startedAt));
  }

  close(): void {
    this.closed = true;
    this.end.cancel();
    this.next?.cancel();
  }

  private schedule(): void {
    if (this.closed) return;
    const everyMs = Math.min(signMsMax, Math.max(signMsMin, this.spec.budgetMs / signsPerBudget));
    const again = () => {
      this.schedule();
    };
    this.next = this.clock.after(everyMs, () => {
      this.spec.sign(this.spentMs).then(again, again);
    });
  }
}
