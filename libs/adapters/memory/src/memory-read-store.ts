import {
  CheckpointConflict,
  type Condition,
  type IndexValue,
  type JsonObject,
  type Position,
  type ProjectedBatch,
  type Query,
  type QueryCursor,
  type QueryPage,
  type ReadRow,
  type RowKey,
  ReadStore,
} from '@aos/kernel';

type Found = { revision: number; doc: JsonObject };
type Value = number | string;

interface StoredRow {
  scope: string;
  key: string;
  revision: number;
  /** Text, so that what a reader does with its copy stays its own. */
  doc: string | null;
  index: Readonly<Record<string, IndexValue>>;
}

const scopeText = (scope: readonly string[]): string => scope.join('\u001f');
const rowKey = (scope: string, key: string): string => `${scope}\u001e${key}`;

/** Numbers before texts; texts by code point, as databases order them. */
function compare(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return typeof a === 'number' ? -1 : 1;
}

function valuesOf(row: StoredRow, index: string): readonly Value[] {
  const value = row.index[index];
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [value];
}

function holds(row: StoredRow, condition: Condition): boolean {
  return valuesOf(row, condition.index).some((value) => {
    if ('eq' in condition) return value === condition.eq;
    if ('has' in condition) return value === condition.has;
    if ('in' in condition) return condition.in.includes(value);
    if ('startsWith' in condition) return typeof value === 'string' && value.startsWith(condition.startsWith);
    const within = (bound: Value | undefined, test: (order: number) => boolean) =>
      bound === undefined || (typeof bound === typeof value && test(compare(value, bound)));
    return (
      within(condition.gt, (order) => order > 0) &&
      within(condition.gte, (order) => order >= 0) &&
      within(condition.lt, (order) => order < 0) &&
      within(condition.lte, (order) => order <= 0)
    );
  });
}

/** Read models that live as long as the object, for unit tests and simulations. Every query looks at every row. */
export class MemoryReadStore extends ReadStore {
  private collections = new Map<string, Map<string, StoredRow>>();
  private checkpoints = new Map<string, Position>();
  private saved = { collections: copied(this.collections), checkpoints: new Map(this.checkpoints) };
  private lives = 0;

  override get incarnation(): number {
    return this.lives;
  }

  /** What is there now outlives a crash. */
  save(): void {
    this.saved = { collections: copied(this.collections), checkpoints: new Map(this.checkpoints) };
  }

  /** Begins another life with what was saved. */
  crash(): void {
    this.collections = copied(this.saved.collections);
    this.checkpoints = new Map(this.saved.checkpoints);
    this.lives += 1;
  }

  /** Loses everything, as a server that is flushed: its life goes on. */
  empty(): void {
    this.collections.clear();
    this.checkpoints.clear();
  }

  override async put(rows: readonly ReadRow[]): Promise<void> {
    for (const { collection, scope, key, revision, doc, index } of rows) {
      const stored = this.collections.get(collection) ?? new Map<string, StoredRow>();
      this.collections.set(collection, stored);
      const at = rowKey(scopeText(scope), key);
      if ((stored.get(at)?.revision ?? -Infinity) >= revision) continue;
      stored.set(at, {
        scope: scopeText(scope),
        key,
        revision,
        doc: doc === null ? null : JSON.stringify(doc),
        index: doc === null ? {} : structuredClone(index),
      });
    }
  }

  override async get(collection: string, scope: readonly string[], key: string): Promise<Found | null> {
    const row = this.collections.get(collection)?.get(rowKey(scopeText(scope), key));
    return row && row.doc !== null ? { revision: row.revision, doc: JSON.parse(row.doc) as JsonObject } : null;
  }

  override async getMany(
    collection: string,
    scope: readonly string[],
    keys: readonly string[],
  ): Promise<Map<string, Found>> {
    const found = new Map<string, Found>();
    for (const key of keys) {
      const row = await this.get(collection, scope, key);
      if (row) found.set(key, row);
    }
    return found;
  }

  override async revisions(collection: string, keys: readonly RowKey[]): Promise<(number | null)[]> {
    const rows = this.collections.get(collection);
    return keys.map(({ scope, key }) => rows?.get(rowKey(scopeText(scope), key))?.revision ?? null);
  }

  override async query(query: Query): Promise<QueryPage> {
    const order = orderOf(query);
    const { after } = query;
    const rows = this.matching(query)
      .map((row) => ({ row, cursor: cursorOf(row, query) }))
      .sort((a, b) => order(a.cursor, b.cursor));
    const rest = after ? rows.filter(({ cursor }) => order(cursor, after) > 0) : rows;
    const page = rest.slice(0, query.limit);
    return {
      rows: page.map(({ row }) => ({ key: row.key, revision: row.revision, doc: JSON.parse(row.doc!) as JsonObject })),
      next: rest.length > query.limit ? page.at(-1)!.cursor : null,
    };
  }

  override async count(query: Pick<Query, 'collection' | 'scope' | 'where'>, max: number): Promise<number> {
    return Math.min(max, this.matching(query).length);
  }

  override async checkpoint(projection: string): Promise<Position | null> {
    return this.checkpoints.get(projection) ?? null;
  }

  override async take(projection: string): Promise<Position | null> {
    return this.checkpoint(projection);
  }

  override async commit({ projection, from, to, rows }: ProjectedBatch): Promise<void> {
    const actual = this.checkpoints.get(projection) ?? null;
    if (actual !== from) throw new CheckpointConflict(projection, actual);
    this.checkpoints.set(projection, to);
    await this.put(rows);
  }

  override async drop(collection: string, projection: string): Promise<void> {
    this.collections.delete(collection);
    this.checkpoints.delete(projection);
  }

  override async *dump(
    collection: string,
  ): AsyncIterable<{ scope: string; key: string; revision: number; doc: JsonObject | null }> {
    const rows = [...(this.collections.get(collection)?.values() ?? [])].sort(
      (a, b) => compare(a.scope, b.scope) || compare(a.key, b.key),
    );
    for (const { scope, key, revision, doc } of rows)
      yield { scope, key, revision, doc: doc === null ? null : (JSON.parse(doc) as JsonObject) };
  }

  override async close(): Promise<void> {
    this.collections.clear();
  }

  private matching({ collection, scope, where }: Pick<Query, 'collection' | 'scope' | 'where'>): StoredRow[] {
    const text = scopeText(scope);
    return [...(this.collections.get(collection)?.values() ?? [])].filter(
      (row) => row.doc !== null && row.scope === text && (where ?? []).every((condition) => holds(row, condition)),
    );
  }
}

/** Rows are replaced, never changed. */
function copied(collections: ReadonlyMap<string, Map<string, StoredRow>>): Map<string, Map<string, StoredRow>> {
  return new Map([...collections].map(([name, rows]) => [name, new Map(rows)]));
}

function cursorOf(row: StoredRow, { orderBy }: Query): QueryCursor {
  return { value: orderBy ? (valuesOf(row, orderBy.index)[0] ?? null) : null, key: row.key };
}

/** By value, then key, both in the direction; rows without a value last. */
function orderOf({ orderBy }: Query): (a: QueryCursor, b: QueryCursor) => number {
  const sign = orderBy?.direction === 'desc' ? -1 : 1;
  return (a, b) => {
    if (a.value === null || b.value === null) {
      if (a.value !== b.value) return a.value === null ? 1 : -1;
      return sign * compare(a.key, b.key);
    }
    return sign * (compare(a.value, b.value) || compare(a.key, b.key));
  };
}
