import {
  RowsInDoubt,
  type CheckpointConflict,
  type Clock,
  type KnownCheckpoint,
  type Position,
  type ReadRow,
  type ReadStore,
} from '@aos/kernel';

export const logStart: Position = '';
const movedEveryMs = 1_000;

/** Lets go what projections of earlier versions left, where their checkpoint still stands. */
export async function retire(readStore: ReadStore, projections: readonly string[]): Promise<void> {
  for (const name of projections) if ((await readStore.checkpoint(name)) !== null) await readStore.drop(name, name);
}

/**
 * How far a reader of the log is, kept beside the rows that it makes.
 *
 * Promises: it moves together with the rows, by compare-and-set from where this process knows it to be; never over rows
 * that were acknowledged since `take` and may be gone.
 */
export class Checkpoint {
  private at: Position = logStart;
  private movedAt = 0;
  /** The read store's, since the claim. */
  private incarnation = 0;
  /** It began at the log's start, and has not caught up since. */
  private building = false;

  constructor(
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
    private readonly projection: string,
  ) {}

  get position(): Position {
    return this.at;
  }

  get isBuilding(): boolean {
    return this.building;
  }

  /** Where a subscription goes on. */
  get from(): Position | 'start' {
    return this.at === logStart ? 'start' : this.at;
  }

  /** Whether it is time to move it though there are no rows. */
  get isDue(): boolean {
    return this.clock.monotonic() - this.movedAt >= movedEveryMs;
  }

  /**
   * Takes over what is stored; where nothing is, it begins at the log's start, with the rows given.
   *
   * Gives    what was stored.
   * Refuses  `StoreUnavailable`; `CheckpointConflict` when another process began.
   */
  async take(firstRows: () => readonly ReadRow[] = () => []): Promise<Position | null> {
    const { incarnation } = this.readStore;
    const stored = await this.readStore.take(this.projection);
    if (stored === null)
      await this.readStore.commit({ projection: this.projection, from: null, to: logStart, rows: firstRows() });
    this.building = stored === null;
    this.at = stored ?? logStart;
    this.incarnation = incarnation;
    return stored;
  }

  /** The reader has caught up with the log: lists are answered from the rows. */
  caughtUp(): void {
    this.building = false;
  }

  /**
   * Refuses `CheckpointConflict` when it was moved or lost, `RowsInDoubt` when rows may be, `StoreUnavailable`; nothing
   * is written then.
   */
  async move(to: Position, rows: readonly ReadRow[]): Promise<void> {
    const loss = this.incarnation === this.readStore.incarnation ? null : await this.loss();
    if (loss) throw loss;
    const { projection, at: from, building: isBuilding } = this;
    await this.readStore.commit({ projection, from, to, rows, mayGather: true, isBuilding });
    this.at = to;
    this.movedAt = this.clock.monotonic();
  }

  /** Where it is as of now, to be compared with what the read store has. */
  get known(): KnownCheckpoint {
    return { projection: this.projection, at: this.at };
  }

  /**
   * What the read store lost since `take`. An idle reader makes no move that would show a loss, so its keeper asks.
   *
   * Gives    `CheckpointConflict`: it was emptied, or put back to an earlier state; `RowsInDoubt`: only what was
   *          acknowledged since may be gone; null: nothing. A higher checkpoint in the store is no loss: a move on its
   *          way, or another process', whose rows are there and which the next move meets as a conflict.
   */
  async loss(): Promise<CheckpointConflict | RowsInDoubt | null> {
    return this.lossAmong(await this.readStore.lost([this.known]));
  }

  /** Takes what the read store answered to a question that this one was part of; gives what `loss` gives. */
  lossAmong(lost: readonly CheckpointConflict[]): CheckpointConflict | RowsInDoubt | null {
    const own = lost.find(({ projection }) => projection === this.projection);
    if (own) return own;
    return this.incarnation === this.readStore.incarnation ? null : new RowsInDoubt(this.projection);
  }
}
