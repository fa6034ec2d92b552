import type { JsonObject } from '../json.js';
import { steadyDemand, type Demand } from './demand.js';
import type { Position } from './event-store.js';

/**
 * Values by which rows are found: a number or text (exact and range), or a list of texts (tags: has; prefixes: a member
 * starts with).
 */
export type IndexValue = number | string | readonly string[];

export interface ReadRow {
  /** Collection-wide name of the kind of row, such as `agents`. */
  collection: string;
  /**
   * The first part is always the organization; more parts narrow it (`[org, table]`). Queries stay within one scope.
   */
  scope: readonly string[];
  key: string;
  /** Revision of the row's stream; an equal or lower one changes nothing. */
  revision: number;
  /** Null leaves a tombstone that keeps lower revisions out. */
  doc: JsonObject | null;
  /** Index name -> value. Left out or empty: the row is not found by that index. */
  index: Readonly<Record<string, IndexValue>>;
}

/** Where a row lies in its collection. */
export type RowKey = Pick<ReadRow, 'scope' | 'key'>;

export type Condition =
  | { index: string; eq: number | string }
  | { index: string; in: readonly (number | string)[] }
  | { index: string; gt?: number | string; gte?: number | string; lt?: number | string; lte?: number | string }
  | { index: string; has: string }
  | { index: string; startsWith: string };

export interface Query {
  collection: string;
  scope: readonly string[];
  /** All must hold. */
  where?: readonly Condition[];
  /**
   * Order by an index with single values; ties go by key in the same direction, rows without a value come last, by key
   * in it too. `everyRow` says that each row has a value: a store need not look for one without. Absent: by key,
   * ascending.
   */
  orderBy?: { index: string; direction: 'asc' | 'desc'; everyRow?: true };
  /** Where the page before ended. */
  after?: QueryCursor;
  /** 1..1000. */
  limit: number;
}

export interface QueryCursor {
  value: number | string | null;
  key: string;
}

export interface QueryPage {
  rows: { key: string; revision: number; doc: JsonObject }[];
  /** Null on the last page. */
  next: QueryCursor | null;
}

/** The projector's write: rows and checkpoint together, or nothing. */
export interface ProjectedBatch {
  /** Name and version of the projection, such as `agents@1`. */
  projection: string;
  /** What the checkpoint must be now: what `take` gave, or where the commit before moved it; null: none is stored. */
  from: Position | null;
  to: Position;
  rows: readonly ReadRow[];
  /** It may wait for more to write until rows of the projection are waited for (`demand`). Absent: it goes at once. */
  mayGather?: boolean;
  /**
   * Many more follow before a reader comes: what finds its rows by their index may be made when one does, and it may be
   * answered before it is written. What cannot be written then, or meets another checkpoint, begins another
   * `incarnation`; reads wait for it.
   */
  isBuilding?: boolean;
}

/**
 * The stored checkpoint is not the expected one: another process moved it, or the store lost data. Nothing was written.
 */
export class CheckpointConflict extends Error {
  constructor(
    readonly projection: string,
    readonly actual: Position | null,
  ) {
    super(`checkpoint of ${projection} is ${actual ?? 'missing'}`);
    this.name = 'CheckpointConflict';
  }
}

/** How far a reader of the log has moved its checkpoint, as it knows it. */
export interface KnownCheckpoint {
  projection: string;
  at: Position;
}

/** Rows that the store acknowledged may be gone since (`ReadStore.incarnation`). Nothing was written. */
export class RowsInDoubt extends Error {
  constructor(readonly projection: string) {
    super(`the store behind ${projection} may have lost rows that it acknowledged`);
    this.name = 'RowsInDoubt';
  }
}

/**
 * Read models. Everything here can be lost and is built again from the log.
 *
 * Promises: a row changes only to a higher revision; `commit` writes rows and checkpoint together or not at all, by
 * compare-and-set of the checkpoint; a missing checkpoint is told apart from an old one; pages are stable under inserts
 * (a row that was there all along is given once); a query on an indexed value reads about as many rows as it gives,
 * times the conditions.
 * Does not promise: durability; that what one process wrote is seen by a query that began before.
 * Refuses: `StoreUnavailable` when it cannot answer.
 */
export abstract class ReadStore {
  /**
   * Another number whenever what was acknowledged before may be gone: the last moments before a crash, or a put or a
   * commit of rows that are built that could not be written after all. What was acknowledged under one life is there as
   * long as it lasts; a `commit` is written under the life it was called in, or refused.
   */
  get incarnation(): number {
    return 0;
  }

  /**
   * Rows without a checkpoint (the writing process, after its append): once it resolves, every read that begins gives
   * them, or newer ones.
   */
  abstract put(rows: readonly ReadRow[]): Promise<void>;
  abstract get(
    collection: string,
    scope: readonly string[],
    key: string,
  ): Promise<{ revision: number; doc: JsonObject } | null>;
  abstract getMany(
    collection: string,
    scope: readonly string[],
    keys: readonly string[],
  ): Promise<Map<string, { revision: number; doc: JsonObject }>>;
  /**
   * The revisions of rows, tombstones too, in the order asked; null where there is none. A fleet's store answers all of
   * them with a few commands.
   */
  abstract revisions(collection: string, keys: readonly RowKey[]): Promise<(number | null)[]>;
  /**
   * Those of the scopes that have rows, tombstones apart, in the order asked. What looks again and again whether there
   * is work asks this way: a fleet's store answers for all of them with a few commands.
   */
  async occupied(collection: string, scopes: readonly (readonly string[])[]): Promise<(readonly string[])[]> {
    const counts = await Promise.all(scopes.map((scope) => this.count({ collection, scope }, 1)));
    return scopes.filter((_, n) => counts[n] !== 0);
  }
  abstract query(query: Query): Promise<QueryPage>;
  /** How many rows match, counted up to `max`. */
  abstract count(query: Pick<Query, 'collection' | 'scope' | 'where'>, max: number): Promise<number>;
  /**
   * How far commits have come; null when there is no checkpoint, or a part of it is lost. A commit that broke off may
   * have left rows out. With a scope: up to where all rows of that scope are there; where no commit brings it rows it
   * follows the others after a second or two.
   */
  abstract checkpoint(projection: string, scope?: readonly string[]): Promise<Position | null>;
  /**
   * Where a reader of the log begins that takes over: all rows up to there are there. Null when there is no checkpoint,
   * or a part of it is lost. This process' commits go on from there; one by another process since then is a conflict.
   */
  abstract take(projection: string): Promise<Position | null>;
  /**
   * Those of the caller's checkpoints of which the store has lost what this process last saw, each with what is there.
   * A higher one is no loss: another process moved it. To be asked again and again: a fleet's store answers all of them
   * with a few commands.
   */
  async lost(known: readonly KnownCheckpoint[]): Promise<CheckpointConflict[]> {
    const stored = await Promise.all(known.map(({ projection }) => this.checkpoint(projection)));
    return lostOf(known, stored);
  }
  abstract commit(batch: ProjectedBatch): Promise<void>;
  /**
   * Whether rows of a projection are waited for. A store that other processes read too cannot know: always. Rows that
   * are put by who changes them (`arePut`) are there without their projector: a read of them asks nothing of it.
   */
  demand(_projection: string, _rows?: { arePut: boolean }): Demand {
    return steadyDemand;
  }
  /** Everything of a collection and the projection's checkpoint: before a rebuild, or when a version is retired. */
  abstract drop(collection: string, projection: string): Promise<void>;
  /** All rows of a collection in (scope, key) order, for comparing rebuilds. */
  abstract dump(
    collection: string,
  ): AsyncIterable<{ scope: string; key: string; revision: number; doc: JsonObject | null }>;
  abstract close(): Promise<void>;
}

/** Those that are not stored any more, or only at an earlier position. Takes what is stored of each, in order. */
export function lostOf(known: readonly KnownCheckpoint[], stored: readonly (Position | null)[]): CheckpointConflict[] {
  return known.flatMap(({ projection, at }, n) => {
    const now = stored[n] ?? null;
    return now === null || now < at ? [new CheckpointConflict(projection, now)] : [];
  });
}
