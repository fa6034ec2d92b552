import { Injectable, Logger } from '@nestjs/common';
import { Clock, Ids, StoreUnavailable, rfc3339, messageOf } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import type { BatchRow } from './batch.events.js';
import { BatchDecisions } from './batch-decisions.js';
import type { BatchOutcome } from './batch.state.js';
import type { RowRecord, StageMark } from './row.events.js';
import { batchDeadlineMs } from './row.limits.js';
import type { Patience, WrittenSlot } from './row-streams.js';

const stagedAtOnce = 32;
const triesMax = 5;

/** One stream of a batch: where, and what stages a row there. */
export interface StagePart {
  slot: string;
  stage(mark: StageMark, patience: Patience): Promise<WrittenSlot>;
}

/** The batch gives way to an older one that has staged in a stream it needs. */
class GivesWay extends Error {
  constructor(readonly to: StageMark) {
    super(`gives way to ${to.batch_id}`);
  }
}

/**
 * Writes to several row streams at once: stages in each, then lets one event decide (ARCHITECTURE.md section 3).
 *
 * Atomic for readers, also across crashes: they see no row of the batch before `BatchCommitted`, and all of them after
 * it.
 */
@Injectable()
export class Staging {
  private readonly log = new Logger('tablebatches');

  constructor(
    private readonly batches: BatchDecisions,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Takes    parts in order, each in a stream of its own; which of their rows the batch names.
   * Gives    what was staged for each part, in order.
   * Refuses  what a part refuses, nothing written then; `StoreUnavailable` when the deadline passed or other batches
   *          are always first.
   */
  async commit(
    actor: Actor,
    tableId: string,
    parts: readonly StagePart[],
    named: (row: BatchRow, index: number) => boolean = () => true,
  ): Promise<RowRecord[]> {
    for (let attempt = 0; attempt < triesMax; attempt += 1) {
      const batchId = `bat_${this.ids.ulid()}`;
      const deadlineAt = rfc3339(this.clock.now() + batchDeadlineMs);
      try {
        const staged = await this.stageAll(actor, { batch_id: batchId, deadline_at: deadlineAt }, parts);
        const rows = staged.map(({ batchRow }) => batchRow).filter((batchRow, index) => named(batchRow, index));
        if ((await this.batches.commit(batchId, actor, rows, tableId)) === 'released')
          throw new StoreUnavailable('the rows were not staged in time');
        return staged.map(({ row }) => row);
      } catch (error) {
        await this.giveUp(batchId, actor, error);
        if (!(error instanceof GivesWay)) throw error;
        await this.batches.awaited(error.to, actor);
      }
    }
    throw new StoreUnavailable('other batches hold these rows again and again');
  }

  /** The first part goes first: its stream keeps the deadline of the batch. */
  private async stageAll(
    actor: Actor,
    mark: Omit<StageMark, 'first'>,
    parts: readonly StagePart[],
  ): Promise<{ row: RowRecord; batchRow: BatchRow }[]> {
    const staged: { row: RowRecord; batchRow: BatchRow }[] = [];
    const stage = async (index: number): Promise<void> => {
      const part = parts[index];
      if (!part) return;
      const ownMark = { ...mark, first: index === 0 };
      const patience = (other: StageMark) => this.wait(other, mark.batch_id, actor);
      const { events, revision, judged } = await part.stage(ownMark, patience);
      const last = events.at(-1);
      const row = last?.type === 'RowStaged' ? last.data.row : judged.row;
      if (!row) throw new Error(`nothing was staged in ${part.slot}`);
      staged[index] = { row, batchRow: { row_id: row.id, slot: part.slot, revision } };
    };
    await stage(0);
    let next = 1;
    const work = async (): Promise<void> => {
      while (next < parts.length) await stage(next++);
    };
    const results = await Promise.allSettled(Array.from({ length: Math.min(stagedAtOnce, parts.length) }, work));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return staged;
  }

  /** The older of two batches waits, the younger gives way: neither waits for ever. */
  private wait(other: StageMark, batchId: string, actor: Actor): Promise<BatchOutcome> {
    return this.batches.outcome(other.batch_id).then((outcome) => {
      if (outcome) return outcome;
      if (other.batch_id < batchId && this.clock.now() < Date.parse(other.deadline_at)) throw new GivesWay(other);
      return this.batches.awaited(other, actor);
    });
  }

  /** Releases the batch. When the release cannot be written now, the batch is released at its deadline. */
  private async giveUp(batchId: string, actor: Actor, cause: unknown): Promise<void> {
    try {
      await this.batches.release(batchId, actor);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.log.warn(`${batchId} waits for its deadline: ${error.message} (${messageOf(cause)})`);
    }
  }
}
