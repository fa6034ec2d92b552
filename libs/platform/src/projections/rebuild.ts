import {
  collectionOf,
  dueCollection,
  type AnyEvent,
  type Clock,
  type EventStore,
  type EventSubscription,
  type ReadRow,
  type ReadStore,
  type RecordedEvent,
} from '@aos/kernel';
import type { Decisions } from '../decisions/decisions.js';
import { compareAll, compareRows, type Compared } from './comparison.js';
import { ScratchRows } from './scratch-rows.js';
import type { StreamProjection } from '../decisions/writer-projections.js';

type AnyProjection = StreamProjection<unknown, AnyEvent>;

export interface RebuildParts {
  store: EventStore;
  readStore: ReadStore;
  decisions: Decisions;
  clock: Clock;
  /** Told how many events were folded so far. */
  onEvents?: (events: number) => void;
}

/**
 * Builds every projection over one category of streams a second time, beside the live rows, and compares the two.
 *
 * Takes    the category's projections; the live rows are only read.
 * Gives    one comparison for each collection.
 * Refuses  what the stores refuse, and an event that a projection does not know.
 */
export class Rebuild {
  private readonly collections: ReadonlySet<string>;
  private readonly scratch: ScratchRows;
  private events = 0;

  constructor(
    private readonly parts: RebuildParts,
    private readonly category: string,
    private readonly projections: readonly AnyProjection[],
  ) {
    this.collections = new Set([...projections.map(collectionOf), dueCollection]);
    this.scratch = new ScratchRows(parts.readStore, category);
  }

  async run(): Promise<Compared[]> {
    const { store } = this.parts;
    await this.scratch.clear(this.collections);
    let subscription: EventSubscription | null = null;
    try {
      await new Promise<void>((onCaughtUp, onTrouble) => {
        subscription = store.subscribe(
          { name: `rebuild:${this.category}`, prefixes: [`${this.category}-`], from: 'start', onCaughtUp, onTrouble },
          (events) => this.project(events),
        );
      });
      return await compareAll(this.parts.clock, this.collections, (collection) => this.compare(collection));
    } finally {
      await (subscription as EventSubscription | null)?.close();
      await this.scratch.clear(this.collections);
    }
  }

  private async project(events: readonly RecordedEvent[]): Promise<void> {
    const { decisions } = this.parts;
    const streams = new Map<string, Set<AnyProjection>>();
    for (const { stream, type } of events) {
      for (const projection of this.projections) {
        if (!projection.kind.events[type]) throw new Error(`${collectionOf(projection)} does not know ${type}`);
        if (projection.on && !projection.on.has(type)) continue;
        streams.set(stream, (streams.get(stream) ?? new Set()).add(projection));
      }
    }
    const rows: ReadRow[] = [];
    for (const [stream, touched] of streams) {
      const id = stream.slice(this.category.length + 1);
      for (const projection of touched) {
        const { state, revision } = await decisions.load(projection.kind, id);
        rows.push(...projection.rows({ state, id, revision }));
      }
    }
    if (rows.length > 0) await this.scratch.put(rows);
    this.events += events.length;
    this.parts.onEvents?.(this.events);
  }

  /** Of the timers, which all services share, those of this category's streams. */
  private compare(collection: string): Promise<Compared> {
    return compareRows(
      this.parts.readStore,
      collection,
      this.scratch.named(collection),
      ({ key }) => collection !== dueCollection || key.startsWith(`${this.category}-`),
    );
  }
}
