import type { AnyEvent, Clock, EventStore, EventSubscription, ReadRow, ReadStore, RecordedEvent } from '@aos/kernel';
import type { Decisions } from '../decisions/decisions.js';
import { dueCollection } from '../timers/due.js';
import { compareRows, compareUntilStanding, type Compared } from './comparison.js';
import { collectionOf, type StreamProjection } from './writer-projections.js';

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
  private events = 0;

  constructor(private readonly parts: RebuildParts, private readonly category: string, private readonly projections: readonly AnyProjection[]) {
    this.collections = new Set([...projections.map(collectionOf), dueCollection]);
  }

  async run(): Promise<Compared[]> {
    const { store } = this.parts;
    await this.dropScratch();
    let subscription: EventSubscription | null = null;
    try {
      await new Promise<void>((onCaughtUp, onTrouble) => {
        subscription = store.subscribe(
          { name: `rebuild:${this.category}`, prefixes: [`${this.category}-`], from: 'start', onCaughtUp, onTrouble }, (events) => this.project(events),
        );
      });
      return await this.compared();
    } finally {
      await (subscription as EventSubscription | null)?.close();
      await this.dropScratch();
    }
  }

  private async project(events: readonly RecordedEvent[]): Promise<void> {
    const { decisions, readStore } = this.parts;
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
        for (const row of projection.rows({ state, id, revision })) rows.push({ ...row, collection: this.scratch(row.collection) });
      }
    }
    if (rows.length > 0) await readStore.put(rows);
    this.events += events.length;
    this.parts.onEvents?.(this.events);
  }

  private async compared(): Promise<Compared[]> {
    const results: Compared[] = [];
    for (const collection of this.collections) {
      const result = await compareUntilStanding(this.parts.clock, () => this.compare(collection));
      if (result.rows > 0 || !result.matches) results.push(result);
    }
    return results;
  }

  /** Of the timers, which all services share, those of this category's streams. */
  private compare(collection: string): Promise<Compared> {
    return compareRows(this.parts.readStore, collection, this.scratch(collection), ({ key }) => collection !== dueCollection || key.startsWith(`${this.category}-`));
  }

  private scratch(collection: string): string {
    return `${collection}~${this.category}`;
  }

  private async dropScratch(): Promise<void> {
    for (const collection of this.collections) await this.parts.readStore.drop(this.scratch(collection), this.scratch(collection));
  }
}
