import { TurnQueue } from './turn-queue.js';
import { TurnRunner } from './turn-runner.js';
import type { AdmittedTurn } from './turn-run.js';

/**
 * Slot for the turn of one admission (rule TP11): kept from the first attempt of its append, and given back unless the
 * append claimed the turn.
 */
export class AdmissionSlot {
  private isKept = false;
  private claimed: string | null = null;

  constructor(
    private readonly turnQueue: TurnQueue,
    private readonly runner: TurnRunner,
    private readonly orgId: string,
    private readonly sessionId: string,
  ) {}

  /** Runner that may claim the turn now, if any. Each attempt of the append asks anew. */
  keep(): string | null {
    this.isKept ||= this.turnQueue.keep(this.orgId, this.sessionId);
    return this.isKept && !this.turnQueue.isStopping ? this.runner.name : null;
  }

  /** The attempt that is about to be written claims this turn; null: none. Its lease is asked for beside the append. */
  claims(turnId: string | null): void {
    if (this.claimed === turnId) return;
    if (this.claimed) this.runner.disown(this.claimed);
    if (turnId) this.runner.own(turnId);
    this.claimed = turnId;
  }

  /** The append claimed the turn, which runs in this slot from now on. */
  begin(admitted: AdmittedTurn): void {
    this.isKept = false;
    this.turnQueue.begin(admitted);
  }

  /** Nothing was claimed. */
  giveBack(): void {
    this.claims(null);
    if (!this.isKept) return;
    this.isKept = false;
    this.turnQueue.giveBack(this.sessionId);
  }

  /** The append may have claimed the turn, or not. */
  giveUp(): void {
    const mayBeClaimed = this.claimed !== null;
    this.giveBack();
    if (mayBeClaimed) this.turnQueue.doubt(this.orgId, this.sessionId);
  }
}
