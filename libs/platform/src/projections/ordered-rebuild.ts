import type { Clock, EventStore, EventSubscription, Position, ReadRow, ReadStore, RecordedEvent } from '@aos/kernel';
import { logStart } from './checkpoint.js';
import { compareAll, compareRows, type Compared, type ComparedRow } from './comparison.js';
import { ScratchRows } from './scratch-rows.js';

/** A projection whose rows depend on the log's order: one projector writes them together with its checkpoint. */
export interface OrderedProjection {
  /** Of its checkpoint, such as `audit@1`. */
  readonly name: string;
  /** Prefixes of the streams that it reads. */
  readonly prefixes: readonly string[];
  /** Most events of one call; absent: the store's own number. */
  readonly batchMax?: number;
  /** Every collection that it writes. */
  readonly collections: readonly string[];
  /** Begins at the log's start, with rows of its own that what was computed before is put into. */
  begin(rows: ReadStore): OrderedRows;
}

/** What the projector computes. */
export interface OrderedRows {
  /** Takes events in log order; a call's rows are put before the next. */
  of(events: readonly RecordedEvent[]): Promise<readonly ReadRow[]>;
  /**
   * Whether a place is compared: neither what retention may have let go by now, nor, where only the live side has a
   * row, what the projector added behind `to`. What cannot be told apart counts: it is looked at again with the
   * projector's next checkpoint. Absent: every place.
   */
  counts?(collection: string, row: ComparedRow, to: Position): boolean | Promise<boolean>;
}

export interface OrderedRebuildParts {
  store: Pick<EventStore, 'subscribe'>;
  readStore: ReadStore;
  clock: Clock;
  /** Told how many events were read so far. */
  onEvents?: (events: number) => void;
}

/** A projector that begins, or that a store's loss has put back, is waited for so long. Ours. */
const checkpointWaits = 10;
const checkpointWaitMs = 500;

/**
 * Builds one ordered projection a second time, up to the checkpoint of its projector, beside the live rows, and
 * compares the two.
 *
 * Gives    one comparison for each collection. The projector goes on meanwhile: a look that finds a difference is
 *          followed by one at its next checkpoint.
 * Refuses  what the stores refuse, an event that cannot be published, and a projection that is being built again.
 */
export class OrderedRebuild {
  private readonly scratch: ScratchRows;
  private readonly rows: OrderedRows;
  private position: Position = logStart;
  private events = 0;

  constructor(
    private readonly parts: OrderedRebuildParts,
    private readonly projection: OrderedProjection,
  ) {
    this.scratch = new ScratchRows(parts.readStore, 'ordered');
    this.rows = projection.begin(this.scratch);
  }

  async run(): Promise<Compared[]> {
    await this.scratch.clear(this.projection.collections);
    try {
      return await compareAll(this.parts.clock, this.projection.collections, (collection) => this.compare(collection));
    } finally {
      await this.scratch.clear(this.projection.collections);
    }
  }

  private async compare(collection: string): Promise<Compared> {
    const to = await this.checkpoint();
    if (to > this.position && this.projection.prefixes.length > 0) await this.readTo(to);
    return compareRows(
      this.parts.readStore,
      collection,
      this.scratch.named(collection),
      (row) => this.rows.counts?.(collection, row, to) ?? true,
    );
  }

  /** How far the live rows are. */
  private async checkpoint(): Promise<Position> {
    const { name } = this.projection;
    for (let waits = 0; waits < checkpointWaits; waits += 1) {
      const known = await this.parts.readStore.checkpoint(name);
      if (known !== null && known >= this.position) return known;
      await this.parts.clock.sleep(checkpointWaitMs);
    }
    throw new Error(`${name} is being built again: check when it has caught up`);
  }

  private async readTo(to: Position): Promise<void> {
    const { name, prefixes, batchMax } = this.projection;
    let subscription: EventSubscription | null = null;
    try {
      await new Promise<void>((resolve, reject) => {
        subscription = this.parts.store.subscribe(
          {
            name: `rebuild:${name}`,
            prefixes,
            from: this.position === logStart ? 'start' : this.position,
            ...(batchMax === undefined ? {} : { batchMax }),
            onCaughtUp: resolve,
            onTrouble: reject,
          },
          async (batch) => {
            const events = batch.filter(({ position }) => position <= to);
            if (events.length > 0) await this.take(events);
            if (events.length < batch.length) resolve();
          },
        );
        subscription.ended.catch(reject);
      });
    } finally {
      await (subscription as EventSubscription | null)?.close();
    }
    this.position = to;
  }

  private async take(events: readonly RecordedEvent[]): Promise<void> {
    const rows = await this.rows.of(events);
    if (rows.length > 0) await this.scratch.put(rows);
    this.events += events.length;
    this.parts.onEvents?.(this.events);
  }
}
