import { Injectable } from '@nestjs/common';
import { Clock, GenerationalCache } from '@aos/kernel';
import { Decisions, type Actor } from '@aos/platform';
import { batchDecider } from '../batch.decider.js';
import type { BatchRow } from './batch.events.js';
import { batchKind, type BatchOutcome } from './batch.state.js';
import type { StageMark } from './row.events.js';

const keptMax = 10_000;
const askAgainMs = 25;

/** Outcomes of batches: every reader and writer of their rows follows them. */
@Injectable()
export class BatchDecisions {
  /** A decision never changes. */
  private readonly decided = new GenerationalCache<{ outcome: BatchOutcome; order: number }>(keptMax);
  private learnt = 0;

  constructor(
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /** How much is known now; what is learnt later is told apart by `wasKnown`. */
  get mark(): number {
    return this.learnt;
  }

  /**
   * Whether this process knew the batch's decision when the mark was taken. If so, the batch's rows were written
   * before.
   */
  wasKnown(batchId: string, mark: number): boolean {
    const known = this.decided.get(batchId);
    return known !== undefined && known.order <= mark;
  }

  /** Null while it is undecided. */
  async outcome(batchId: string): Promise<BatchOutcome | null> {
    const known = this.decided.get(batchId);
    if (known) return known.outcome;
    const {
      state: { outcome },
      revision,
    } = await this.decisions.load(batchKind, batchId);
    if (revision < 0) this.decisions.forget(batchKind, batchId);
    return outcome === null ? null : this.keep(batchId, outcome);
  }

  /** Commits unless it was released; gives what stands. */
  async commit(batchId: string, actor: Actor, rows: BatchRow[], tableId: string): Promise<BatchOutcome> {
    const command = { orgId: actor.orgId, tableId, rows };
    const { state } = await this.decisions.decide(batchDecider.commitBatch, batchId, actor, command);
    return this.keep(batchId, state.outcome ?? 'committed');
  }

  /** Releases unless it was committed; gives what stands. */
  async release(batchId: string, actor: Actor): Promise<BatchOutcome> {
    const command = { orgId: actor.orgId };
    const { state } = await this.decisions.decide(batchDecider.releaseBatch, batchId, actor, command);
    return this.keep(batchId, state.outcome ?? 'released');
  }

  /**
   * Waits for the decision, at most until its deadline; after it, a caller of this function releases the batch.
   *
   * Takes    the mark of the staged row, and who acts.
   */
  async awaited({ batch_id: batchId, deadline_at: deadlineAt }: StageMark, actor: Actor): Promise<BatchOutcome> {
    const deadline = Date.parse(deadlineAt);
    for (;;) {
      const outcome = await this.outcome(batchId);
      if (outcome) return outcome;
      if (this.clock.now() >= deadline) return this.release(batchId, actor);
      await this.clock.sleep(Math.max(1, Math.min(askAgainMs, deadline - this.clock.now())));
    }
  }

  private keep(batchId: string, outcome: BatchOutcome): BatchOutcome {
    if (this.decided.get(batchId)) return outcome;
    this.learnt += 1;
    this.decided.set(batchId, { outcome, order: this.learnt });
    return outcome;
  }
}
