import type { JsonObject } from './json.js';
import type { IndexValue, Query, QueryCursor, ReadRow, ReadStore, RowKey } from './ports/index.js';

/** Name of a projection's collection. */
export function collectionOf(projection: { name: string; version: number }): string {
  return `${projection.name}@${projection.version}`;
}

/** A stream by its id behind the category, and the organization of its events. */
export interface StreamOfRow {
  id: string;
  orgId: string;
}

/** Lies with the other rows of the organization, under the stream's id. */
export const inOrganization = ({ id, orgId }: StreamOfRow): RowKey => ({ scope: [orgId], key: id });

/** Lies with the rows of all organizations, under the stream's id. */
export const acrossOrganizations = ({ id }: Pick<StreamOfRow, 'id'>): RowKey => ({ scope: ['*'], key: id });

/** Collection of all timers, across organizations: rows of per-stream projections, so that a restart loses none. */
export const dueCollection = 'due@1';

/**
 * Takes    the stream's id, its revision, a name unique in the stream, when (milliseconds since 1970; null: no timer
 *          stands), who handles it, and what it needs to know.
 * Gives    the row for a per-stream projection.
 */
export function dueRow(timer: {
  stream: string;
  revision: number;
  name: string;
  at: number | null;
  handler: string;
  details: JsonObject;
}): ReadRow {
  const base = {
    collection: dueCollection,
    scope: ['*'],
    key: `${timer.stream}:${timer.name}`,
    revision: timer.revision,
  };
  if (timer.at === null) return { ...base, doc: null, index: {} };
  return {
    ...base,
    doc: { handler: timer.handler, at: timer.at, ...timer.details },
    index: { at: timer.at, handler: timer.handler },
  };
}

/** A row as a projection makes it; `doc` null leaves a tombstone. */
export type CollectionRow<Doc> = {
  scope: readonly string[];
  key: string;
  revision: number;
  doc: Doc | null;
  index: Readonly<Record<string, IndexValue>>;
};

export type CollectionPage<Doc> = {
  rows: { key: string; revision: number; doc: Doc }[];
  /** Null on the last page. */
  next: QueryCursor | null;
};

/**
 * Rows of one collection by the type of their documents: what `row` makes, the reads give.
 *
 * Promises: the same rows as the store's own methods give, not copied.
 * Does not promise: that a document has its type. Rows are built again when their form changes (a new version).
 */
export class Collection<Doc extends object> {
  constructor(readonly name: string) {}

  /** The row for the read store. */
  row({ scope, key, revision, doc, index }: CollectionRow<Doc>): ReadRow {
    return { collection: this.name, scope, key, revision, doc: doc && retyped(doc), index };
  }

  get(store: ReadStore, scope: readonly string[], key: string): Promise<{ revision: number; doc: Doc } | null> {
    return retyped(store.get(this.name, scope, key));
  }

  getMany(
    store: ReadStore,
    scope: readonly string[],
    keys: readonly string[],
  ): Promise<Map<string, { revision: number; doc: Doc }>> {
    return retyped(store.getMany(this.name, scope, keys));
  }

  query(store: ReadStore, query: Omit<Query, 'collection'>): Promise<CollectionPage<Doc>> {
    return retyped(store.query({ ...query, collection: this.name }));
  }

  /** How many rows match, counted up to `max`. */
  count(store: ReadStore, query: Pick<Query, 'scope' | 'where'>, max: number): Promise<number> {
    return store.count({ ...query, collection: this.name }, max);
  }
}

/** Takes a projection, or the name of a collection that has no projection of one stream. */
export function collection<Doc extends object>(of: string | { name: string; version: number }): Collection<Doc> {
  return new Collection<Doc>(typeof of === 'string' ? of : collectionOf(of));
}

/** The one cast between documents and JSON. */
function retyped<T extends object>(value: object): T {
  return value as T;
}
