import type { BusSubscription, LiveBus } from '@aos/kernel';
import type { ReportProgress } from '@aos/sessions/published';
import { progressChannel, type JobProgress } from './channels.js';
import type { KeptProgress } from './kept-progress.js';

/**
 * How far a job's worker is, for the process that waits for the job: as it is said, and what was said before this
 * process waited. A worker that lost the job says nothing of it any more.
 */
export class HeardProgress {
  readonly subscription: BusSubscription;
  private attempt = 0;
  private isAny = false;

  constructor(
    private readonly part: string,
    bus: LiveBus,
    private readonly kept: KeptProgress,
    private readonly report: ReportProgress,
  ) {
    this.subscription = progressChannel.subscribe(bus, part, (said) => {
      this.take(said);
    });
  }

  /** Takes what is kept, unless something came meanwhile, which is newer. Called once the subscription stands. */
  async catchUp(): Promise<void> {
    const said = await this.kept.find(this.part);
    if (said && !this.isAny) this.take(said);
  }

  prolong(): void {
    if (this.isAny) this.kept.prolong(this.part);
  }

  drop(): void {
    if (this.isAny) this.kept.drop(this.part);
  }

  private take({ attempt, progress }: JobProgress): void {
    this.isAny = true;
    if (attempt < this.attempt) return;
    this.attempt = attempt;
    this.report(progress);
  }
}
