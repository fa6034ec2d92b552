import { Logger } from '@nestjs/common';
import { messageOf, type CheckpointConflict, type Clock, type ReadStore, type RowsInDoubt } from '@aos/kernel';
import type { Checkpoint } from './checkpoint.js';

const askEveryMs = 1_000;

/** A checkpoint whose reader stands on it. */
export interface Watched {
  checkpoint: Checkpoint;
  /** Called once; it is watched no more. */
  lost(loss: CheckpointConflict | RowsInDoubt): void;
}

/**
 * Finds out within a second that the read store lost data under readers that are idle: a move would show it, and they
 * make none. One question for all checkpoints that this process moves.
 */
export class LossWatch {
  private readonly log = new Logger('projectors');
  private readonly watched = new Set<Watched>();
  private timer: { cancel(): void } | null = null;
  private asking: Promise<void> | null = null;

  constructor(
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {}

  add(watched: Watched): void {
    this.watched.add(watched);
    if (!this.timer && !this.asking) this.askLater();
  }

  /** Nothing that is asked already reaches it. */
  remove(watched: Watched): void {
    this.watched.delete(watched);
    if (this.watched.size > 0) return;
    this.timer?.cancel();
    this.timer = null;
  }

  private askLater(): void {
    this.timer = this.clock.onBeat(askEveryMs, () => {
      this.timer = null;
      this.asking = this.ask()
        .catch((error: unknown) => {
          this.log.warn(`checkpoints: ${messageOf(error)}`);
        })
        .finally(() => {
          this.asking = null;
          if (this.watched.size > 0) this.askLater();
        });
    });
  }

  private async ask(): Promise<void> {
    const asked = [...this.watched];
    const lost = await this.readStore.lost(asked.map(({ checkpoint }) => checkpoint.known));
    for (const watched of asked) {
      const loss = watched.checkpoint.lossAmong(lost);
      if (loss && this.watched.delete(watched)) watched.lost(loss);
    }
  }
}
