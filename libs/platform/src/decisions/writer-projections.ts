import { Injectable, Logger } from '@nestjs/common';
import {
  ShortLivedMap,
  ReadStore,
  GenerationalCache,
  collectionOf,
  type AnyEvent,
  type ReadRow,
  type RecordedEvent,
  type RowKey,
  type StreamKind,
  type StreamOfRow,
  messageOf,
} from '@aos/kernel';

/** What a per-stream projection makes its rows from. */
export interface ProjectedState<S> {
  state: S;
  /** Id behind the category. */
  id: string;
  revision: number;
}

/** One event of a stream, for rows that are made from events. */
export interface ProjectedEvent<E extends AnyEvent = AnyEvent> {
  event: E;
  /** Id behind the category. */
  id: string;
  orgId: string;
  revision: number;
}

/**
 * Rows that are a function of one stream's folded state. Applied by the writer after its append, and by the projector
 * for what was missed. The version is part of the collection's and the checkpoint's name: a new one is built beside the
 * old.
 */
export interface StreamProjection<S = never, E extends AnyEvent = AnyEvent> {
  name: string;
  version: number;
  kind: StreamKind<S, E>;
  /** Names with their version of those before: their rows go once they are read no more. */
  retired?: readonly string[];
  /** Event types after which rows can differ; absent: all. */
  on?: ReadonlySet<string>;
  /**
   * Rows at this revision; the same rows (keys) at every revision, with `doc: null` for those that no longer stand.
   * Collections are named by `collectionOf`.
   */
  rows(projected: ProjectedState<S>): ReadRow[];
  /**
   * Where the one row of a stream lies. Absent: a stream can have several rows or none, or its row lies where only the
   * state says. A row that is found elsewhere costs nothing but its being put again.
   */
  rowKey?(stream: StreamOfRow): RowKey;
  /**
   * For things of a stream that its state keeps only while they change: the rows that one event makes, with its
   * revision. Such a projection has these rows and none of the state: `rows` is not asked.
   */
  rowsOfEvent?(projected: ProjectedEvent<E>): ReadRow[];
}

type AnyProjection = StreamProjection<unknown, AnyEvent>;

const appliedMax = 20_000;

/** The projections that this process' writers keep up to date themselves. */
@Injectable()
export class WriterProjections {
  private readonly logger = new Logger('projections');
  private readonly byCategory = new Map<string, { projection: AnyProjection; collection: string }[]>();
  /**
   * Collection -> stream -> revision of the rows that were put: another process may have failed to put those of the
   * revisions before.
   */
  private readonly applied = new Map<string, GenerationalCache<number>>();
  /** The same for rows of events: the revisions, without a gap, whose rows were put. */
  private readonly appliedEvents = new Map<string, GenerationalCache<{ from: number; to: number }>>();
  /** Counts how often everything was forgotten. */
  private memory = 0;
  /** Writes of rows that are under way, by stream: writers of one stream take turns, so there is one at most. */
  private readonly applying = new ShortLivedMap<Promise<void>>();

  constructor(private readonly readStore: ReadStore) {}

  register<S, E extends AnyEvent>(projection: StreamProjection<S, E>): void {
    const list = this.byCategory.get(projection.kind.category) ?? [];
    const collection = collectionOf(projection);
    if (list.some((known) => known.collection === collection)) return;
    // a projection is only given states and events of its own kind
    list.push({ projection: projection as unknown as AnyProjection, collection });
    this.byCategory.set(projection.kind.category, list);
  }

  get all(): readonly AnyProjection[] {
    return [...this.byCategory.values()].flat().map(({ projection }) => projection);
  }

  /**
   * Writes the rows of one stream after its append. A read store that fails is logged and not waited for: the projector
   * catches up.
   */
  async apply(
    kind: { readonly category: string },
    stream: string,
    state: unknown,
    revision: number,
    events: readonly AnyEvent[],
    orgId = '',
  ): Promise<void> {
    const rows: ReadRow[] = [];
    const collections: string[] = [];
    const ofEvents: string[] = [];
    const first = revision - events.length + 1;
    const id = stream.slice(kind.category.length + 1);
    for (const { projection, collection } of this.byCategory.get(kind.category) ?? []) {
      if (projection.rowsOfEvent) {
        ofEvents.push(collection);
        const happened = events.map((event, index) => ({ event, id, orgId, revision: first + index }));
        rows.push(...rowsOfEvents(projection, happened));
        continue;
      }
      if (projection.on && !events.some(({ type }) => projection.on?.has(type))) continue;
      collections.push(collection);
      rows.push(...projection.rows({ state, id, revision }));
    }
    const put = { collections, ofEvents, stream, first, revision };
    if (rows.length === 0) {
      this.remember(put);
      return;
    }
    const write = this.write(put, rows);
    this.applying.set(stream, write);
    await write;
    if (this.applying.get(stream) === write) this.applying.delete(stream);
  }

  /**
   * Resolves when no writer of this process is putting rows of these streams: what it was about to put is put, or
   * failed.
   */
  async settled(streams: Iterable<string>): Promise<void> {
    for (const stream of streams) {
      const applying = this.applying.get(stream);
      if (applying) await applying;
    }
  }

  /**
   * Whether this process' writer already put the rows of this stream in the projection's collection at this revision or
   * a later one.
   */
  hasApplied(collection: string, stream: string, revision: number): boolean {
    return (this.applied.get(collection)?.get(stream) ?? -1) >= revision;
  }

  /**
   * Takes    streams with the last event that concerns their row.
   * Gives    those whose row the read store has at that event or a later one, whichever process put it; none where the
   *          projection does not say where rows lie. One question.
   * Refuses  `StoreUnavailable`.
   */
  async current(
    { kind, rowKey, ...projection }: AnyProjection,
    touched: ReadonlyMap<string, RecordedEvent>,
  ): Promise<string[]> {
    if (!rowKey || touched.size === 0) return [];
    const streams = [...touched];
    const keys = streams.map(([stream, { meta }]) =>
      rowKey({ id: stream.slice(kind.category.length + 1), orgId: meta.org_id ?? '' }),
    );
    const revisions = await this.readStore.revisions(collectionOf(projection), keys);
    return streams.filter(([, { revision }], n) => (revisions[n] ?? -1) >= revision).map(([stream]) => stream);
  }

  /** Whether this process' writer put the rows that the event of this revision made. */
  hasAppliedEvent(collection: string, stream: string, revision: number): boolean {
    const range = this.appliedEvents.get(collection)?.get(stream);
    return range !== undefined && range.from <= revision && revision <= range.to;
  }

  /** The revisions of rows of a collection; null where there is none. Refuses `StoreUnavailable`. */
  revisions(collection: string, keys: readonly RowKey[]): Promise<(number | null)[]> {
    return this.readStore.revisions(collection, keys);
  }

  /** Nothing that was put is taken to be there any more: the read store may have lost it. */
  forget(): void {
    this.applied.clear();
    this.appliedEvents.clear();
    this.memory += 1;
  }

  private async write(put: PutRows, rows: ReadRow[]): Promise<void> {
    const { memory } = this;
    try {
      await this.readStore.put(rows);
      if (memory === this.memory) this.remember(put);
    } catch (error) {
      for (const collection of put.ofEvents) this.appliedEvents.get(collection)?.delete(put.stream);
      this.logger.warn(`${put.stream}: ${messageOf(error)}`);
    }
  }

  private remember({ collections, ofEvents, stream, first, revision }: PutRows): void {
    for (const collection of collections) keptIn(this.applied, collection).set(stream, revision);
    for (const collection of ofEvents) {
      const ranges = keptIn(this.appliedEvents, collection);
      const range = ranges.get(stream);
      if (range?.to === first - 1) range.to = revision;
      else ranges.set(stream, { from: first, to: revision });
    }
  }
}

/** Rows of one append that are put together. */
interface PutRows {
  collections: readonly string[];
  /** Collections of rows that are made from events. */
  ofEvents: readonly string[];
  stream: string;
  /** Revision of the append's first event, and of its last. */
  first: number;
  revision: number;
}

function keptIn<V>(all: Map<string, GenerationalCache<V>>, collection: string): GenerationalCache<V> {
  let kept = all.get(collection);
  if (!kept) all.set(collection, (kept = new GenerationalCache<V>(appliedMax)));
  return kept;
}

/** The rows that events make, of each row only the newest. Takes the events of a stream in their order. */
export function rowsOfEvents({ on, rowsOfEvent }: AnyProjection, happened: Iterable<ProjectedEvent>): ReadRow[] {
  const rows: ReadRow[] = [];
  for (const projected of happened)
    if (!on || on.has(projected.event.type)) rows.push(...(rowsOfEvent?.(projected) ?? []));
  if (rows.length < 2) return rows;
  const newest = new Map(rows.map((row) => [JSON.stringify([row.scope, row.key]), row]));
  return [...newest.values()];
}
