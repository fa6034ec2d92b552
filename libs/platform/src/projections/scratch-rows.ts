import {
  ReadStore,
  type JsonObject,
  type Position,
  type ProjectedBatch,
  type Query,
  type QueryPage,
  type ReadRow,
  type RowKey,
} from '@aos/kernel';

/**
 * A read store beside another one, in it: every collection and checkpoint has a name of its own there. What computes
 * rows need not know.
 */
export class ScratchRows extends ReadStore {
  constructor(
    private readonly readStore: ReadStore,
    private readonly suffix: string,
  ) {
    super();
  }

  /** What a collection or checkpoint is called in the store itself. */
  named(name: string): string {
    return `${name}~${this.suffix}`;
  }

  /** Drops these collections of the scratch, and checkpoints called as they are. */
  async clear(collections: Iterable<string>): Promise<void> {
    for (const collection of collections) await this.drop(collection, collection);
  }

  override get incarnation(): number {
    return this.readStore.incarnation;
  }

  override put(rows: readonly ReadRow[]): Promise<void> {
    return this.readStore.put(this.moved(rows));
  }

  override get(
    collection: string,
    scope: readonly string[],
    key: string,
  ): Promise<{ revision: number; doc: JsonObject } | null> {
    return this.readStore.get(this.named(collection), scope, key);
  }

  override getMany(
    collection: string,
    scope: readonly string[],
    keys: readonly string[],
  ): Promise<Map<string, { revision: number; doc: JsonObject }>> {
    return this.readStore.getMany(this.named(collection), scope, keys);
  }

  override revisions(collection: string, keys: readonly RowKey[]): Promise<(number | null)[]> {
    return this.readStore.revisions(this.named(collection), keys);
  }

  override query(query: Query): Promise<QueryPage> {
    return this.readStore.query({ ...query, collection: this.named(query.collection) });
  }

  override count(query: Pick<Query, 'collection' | 'scope' | 'where'>, max: number): Promise<number> {
    return this.readStore.count({ ...query, collection: this.named(query.collection) }, max);
  }

  override checkpoint(projection: string, scope?: readonly string[]): Promise<Position | null> {
    return this.readStore.checkpoint(this.named(projection), scope);
  }

  override take(projection: string): Promise<Position | null> {
    return this.readStore.take(this.named(projection));
  }

  override commit(batch: ProjectedBatch): Promise<void> {
    return this.readStore.commit({ ...batch, projection: this.named(batch.projection), rows: this.moved(batch.rows) });
  }

  override drop(collection: string, projection: string): Promise<void> {
    return this.readStore.drop(this.named(collection), this.named(projection));
  }

  override dump(collection: string): ReturnType<ReadStore['dump']> {
    return this.readStore.dump(this.named(collection));
  }

  /** The store stays open: it is another's. */
  override close(): Promise<void> {
    return Promise.resolve();
  }

  private moved(rows: readonly ReadRow[]): ReadRow[] {
    return rows.map((row) => ({ ...row, collection: this.named(row.collection) }));
  }
}
