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
import { PassingStreams } from './passing-streams.js';
import { ScratchRows } from './scratch-rows.js';
import { rowsOfEvents, type StreamProjection } from '../decisions/writer-projections.js';
import { projectedEvents } from './own-projections.js';

/** Events whose rows are put together: of several changes of a row the newest alone is put. */
const batchMax = 4096;

type AnyProjection = StreamProjection<unknown, AnyEvent>;

/** A stream with events of a batch: the last of them, and the projections whose rows can differ. */
interface Touched {
  kind: AnyProjection['kind'];
  revision: number;
  projections: Set<AnyProjection>;
}

export interface RebuildParts {
  store: Pick<EventStore, 'subscribe'>;
  readStore: ReadStore;
  decisions: Decisions;
  clock: Clock;
  /** Told how many events were folded so far. */
  onEvents?: (events: number) => void;
}

/**
 * Builds projections a second time in one pass over the log, beside the live rows, and compares the two.
 *
 * Takes    the projections; the live rows are only read.
 * Gives    one comparison for each collection.
 * Refuses  what the stores refuse, and an event that a projection does not know.
 */
export class Rebuild {
  private readonly byCategory = new Map<string, AnyProjection[]>();
  private readonly collections: ReadonlySet<string>;
  private readonly scratch: ScratchRows;
  private readonly states: PassingStreams;
  private events = 0;

  constructor(
    private readonly parts: RebuildParts,
    projections: readonly AnyProjection[],
  ) {
    for (const projection of projections) {
      const { category } = projection.kind;
      this.byCategory.set(category, [...(this.byCategory.get(category) ?? []), projection]);
    }
    this.collections = new Set([...projections.map(collectionOf), dueCollection]);
    this.scratch = new ScratchRows(parts.readStore, 'rebuild');
    this.states = new PassingStreams(parts.decisions);
  }

  async run(): Promise<Compared[]> {
    if (this.byCategory.size === 0) return [];
    await this.scratch.clear(this.collections);
    let subscription: EventSubscription | null = null;
    try {
      await new Promise<void>((onCaughtUp, onTrouble) => {
        const prefixes = [...this.byCategory.keys()].map((category) => `${category}-`);
        subscription = this.parts.store.subscribe(
          { name: 'rebuild', prefixes, from: 'start', batchMax, onCaughtUp, onTrouble },
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
    const touched = new Map<string, Touched>();
    for (const event of events) {
      const { stream, type, revision } = event;
      const projections = this.byCategory.get(categoryOf(stream)) ?? [];
      for (const projection of projections) {
        if (!projection.kind.events[type]) throw new Error(`${collectionOf(projection)} does not know ${type}`);
        if (projection.rowsOfEvent || (projection.on && !projection.on.has(type))) continue;
        const before = touched.get(stream)?.projections ?? new Set<AnyProjection>();
        touched.set(stream, { kind: projection.kind, revision, projections: before.add(projection) });
      }
      if (projections[0]) this.states.take(projections[0].kind, event);
    }
    const rows: ReadRow[] = [];
    for (const [stream, { kind, revision, projections }] of touched) {
      const id = stream.slice(kind.category.length + 1);
      const { state, revision: at } = await this.states.at(kind, stream, revision);
      for (const projection of projections) rows.push(...projection.rows({ state, id, revision: at }));
    }
    rows.push(...this.rowsOfEvents(events));
    if (rows.length > 0) await this.scratch.put(rows);
    this.events += events.length;
    this.parts.onEvents?.(this.events);
  }

  private rowsOfEvents(events: readonly RecordedEvent[]): ReadRow[] {
    return [...this.byCategory].flatMap(([category, projections]) => {
      const own = events.filter(({ stream }) => categoryOf(stream) === category);
      return projections.flatMap((projection) =>
        projection.rowsOfEvent ? rowsOfEvents(projection, projectedEvents(projection, own)) : [],
      );
    });
  }

  /** Of the timers, which all services share, those of these projections' streams. */
  private compare(collection: string): Promise<Compared> {
    return compareRows(
      this.parts.readStore,
      collection,
      this.scratch.named(collection),
      ({ key }) => collection !== dueCollection || this.byCategory.has(categoryOf(key)),
    );
  }
}

const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-'));
