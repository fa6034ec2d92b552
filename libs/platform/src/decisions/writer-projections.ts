import { Injectable, Logger } from '@nestjs/common';
import {
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
import { AppliedRows } from './applied-rows.js';

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

/** Streams of one category. */
const appliedMax = 20_000;

/** The projections of one category, each by its number, and which rows of its streams were put. */
interface Category {
  projections: { projection: AnyProjection; collection: string }[];
  streams: GenerationalCache<AppliedRows>;
}

/** The projections that this process' writers keep up to date themselves. */
@Injectable()
export class WriterProjections {
  private readonly logger = new Logger('projections');
  private readonly categories = new Map<string, Category>();
  /** Where a collection's projection stands. */
  private readonly collections = new Map<string, { category: Category; number: number }>();
  /** Counts how often everything was forgotten. */
  private memory = 0;

  constructor(private readonly readStore: ReadStore) {}

  register<S, E extends AnyEvent>(projection: StreamProjection<S, E>): void {
    const collection = collectionOf(projection);
    if (this.collections.has(collection)) return;
    const name = projection.kind.category;
    const category = this.categories.get(name) ?? { projections: [], streams: new GenerationalCache(appliedMax) };
    this.categories.set(name, category);
    this.collections.set(collection, { category, number: category.projections.length });
    // a projection is only given states and events of its own kind
    category.projections.push({ projection: projection as unknown as AnyProjection, collection });
  }

  get all(): readonly AnyProjection[] {
    return [...this.categories.values()].flatMap(({ projections }) => projections.map(({ projection }) => projection));
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
    const category = this.categories.get(kind.category);
    if (!category) return;
    const rows: ReadRow[] = [];
    const numbers: number[] = [];
    const first = revision - events.length + 1;
    const id = stream.slice(kind.category.length + 1);
    for (const [number, { projection }] of category.projections.entries()) {
      if (projection.rowsOfEvent) {
        const happened = events.map((event, index) => ({ event, id, orgId, revision: first + index }));
        rows.push(...rowsOfEvents(projection, happened));
      } else if (projection.on && !events.some(({ type }) => projection.on?.has(type))) {
        continue;
      } else {
        rows.push(...projection.rows({ state, id, revision }));
      }
      numbers.push(number);
    }
    if (numbers.length === 0) return;
    const applied = appliedOf(category, stream);
    const put = { category, stream, applied, numbers, first, revision };
    if (rows.length === 0) {
      remember(put);
      return;
    }
    const write = this.write(put, rows);
    applied.underWay = write;
    await write;
    if (applied.underWay === write) applied.underWay = null;
  }

  /**
   * Resolves when no writer of this process is putting rows of these streams: what it was about to put is put, or
   * failed.
   */
  async settled({ category }: { readonly category: string }, streams: Iterable<string>): Promise<void> {
    const known = this.categories.get(category)?.streams;
    for (const stream of streams) {
      const underWay = known?.get(stream)?.underWay;
      if (underWay) await underWay;
    }
  }

  /**
   * Whether this process' writer already put the rows of this stream in the projection's collection at this revision or
   * a later one.
   */
  hasApplied(collection: string, stream: string, revision: number): boolean {
    const known = this.collections.get(collection);
    return known?.category.streams.get(stream)?.has(known.number, revision) ?? false;
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
    const known = this.collections.get(collection);
    return known?.category.streams.get(stream)?.hasOfEvent(known.number, revision) ?? false;
  }

  /** The revisions of rows of a collection; null where there is none. Refuses `StoreUnavailable`. */
  revisions(collection: string, keys: readonly RowKey[]): Promise<(number | null)[]> {
    return this.readStore.revisions(collection, keys);
  }

  /** Nothing that was put is taken to be there any more: the read store may have lost it. */
  forget(): void {
    for (const { streams } of this.categories.values()) streams.clear();
    this.memory += 1;
  }

  private async write(put: PutRows, rows: ReadRow[]): Promise<void> {
    const { memory } = this;
    try {
      await this.readStore.put(rows);
      if (memory === this.memory) remember(put);
    } catch (error) {
      const { category, applied, numbers } = put;
      // rows of a later state say nothing of these
      for (const number of numbers) if (category.projections[number]?.projection.rowsOfEvent) applied.drop(number);
      this.logger.warn(`${put.stream}: ${messageOf(error)}`);
    }
  }
}

/** Rows of one append that are put together. */
interface PutRows {
  category: Category;
  stream: string;
  applied: AppliedRows;
  /** Of the projections. */
  numbers: readonly number[];
  /** Revision of the append's first event, and of its last. */
  first: number;
  revision: number;
}

function remember({ applied, numbers, first, revision }: PutRows): void {
  for (const number of numbers) applied.note(number, first, revision);
}

function appliedOf({ projections, streams }: Category, stream: string): AppliedRows {
  let applied = streams.get(stream);
  if (!applied) streams.set(stream, (applied = new AppliedRows(projections.length)));
  return applied;
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
