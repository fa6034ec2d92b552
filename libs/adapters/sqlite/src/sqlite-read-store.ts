import {
  CheckpointConflict,
  type Demand,
  type IndexValue,
  type JsonObject,
  type KnownCheckpoint,
  lostOf,
  type Position,
  type ProjectedBatch,
  type Query,
  type QueryPage,
  type ReadRow,
  type RowKey,
  ReadStore,
  RowsInDoubt,
} from '@aos/kernel';
import { putStep } from './gathered-writes.js';
import { RowDemand } from './row-demand.js';
import { countOf, rowsOf } from './row-search.js';
import type { ViewRow, ViewsFile } from './views-file.js';
import type { PutParameters, Step } from './views-messages.js';

const limitMax = 1000;
const dumpPage = 500;
const dropChunk = 1000;
const separator = '\u001f';

type Found = { revision: number; doc: JsonObject };

function scopeText(scope: readonly string[]): string {
  for (const part of scope) if (part.includes(separator)) throw new Error('a part of a scope holds the separator');
  return scope.join(separator);
}

function collectionsOf(rows: readonly ReadRow[]): Set<string> {
  return new Set(rows.map(({ collection }) => collection));
}

/** What commits of rows that are built are waited for by: the checkpoint of their projection. */
function builtName(projection: string): string {
  return `checkpoint of ${projection}`;
}

type Pair = [name: string, value: number | string];

/** The index as pairs of name and value, one for each member of a list. */
function pairs(index: Readonly<Record<string, IndexValue>>): string {
  const list: Pair[] = [];
  let isExact = true;
  for (const name of Object.keys(index)) {
    const value = index[name]!;
    if (typeof value === 'object') for (const member of new Set(value)) list.push([name, member]);
    else list.push([name, value]);
    if (typeof value !== 'number') continue;
    if (!Number.isFinite(value)) throw new Error(`index ${name} is ${value}`);
    if (isNearly(value)) isExact = false;
  }
  return isExact ? JSON.stringify(list) : `[${list.map(pairText).join()}]`;
}

/** Whole numbers that JavaScript holds only nearly. */
function isNearly(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** `isNearly` ones are kept as floating ones: the engine refuses to give them out as integers. */
function pairText([name, value]: Pair): string {
  const text = typeof value === 'number' && isNearly(value) ? value.toExponential() : JSON.stringify(value);
  return `[${JSON.stringify(name)},${text}]`;
}

/**
 * Read models in the views file. A put does not wait for the file: all that come within some hundred milliseconds are
 * written together, and a read waits for those of its collection before it, which then go at once. One that could not
 * be written begins another `incarnation`.
 */
export class SqliteReadStore extends ReadStore {
  private readonly demands = new Map<string, RowDemand>();
  /** Collections whose rows are put by who changes them: a reader needs no projector to hurry. */
  private readonly putByWriters = new Set<string>();

  constructor(private readonly views: ViewsFile) {
    super();
  }

  override get incarnation(): number {
    return this.views.writer.losses;
  }

  override async put(rows: readonly ReadRow[]): Promise<void> {
    const { writer } = this.views;
    if (rows.length > 0) writer.putLater(rows.map((row) => this.parametersOf(row)));
    if (writer.isBehind) await writer.allSettled();
  }

  override async get(collection: string, scope: readonly string[], key: string): Promise<Found | null> {
    await this.settled(collection);
    return this.found(collection, scopeText(scope), key);
  }

  override async getMany(
    collection: string,
    scope: readonly string[],
    keys: readonly string[],
  ): Promise<Map<string, Found>> {
    const text = scopeText(scope);
    await this.settled(collection);
    return this.views.reading(() => {
      const all = new Map<string, Found>();
      for (const key of keys) {
        const row = this.found(collection, text, key);
        if (row) all.set(key, row);
      }
      return all;
    });
  }

  override async revisions(collection: string, keys: readonly RowKey[]): Promise<(number | null)[]> {
    await this.settled(collection);
    return this.views.reading(() =>
      keys.map(({ scope, key }) => {
        const text = scopeText(scope);
        const row = this.rowOf(collection, text, key) ?? this.tombstoneOf(collection, text, key);
        return row ? (row['revision'] as number) : null;
      }),
    );
  }

  override async occupied(collection: string, scopes: readonly (readonly string[])[]): Promise<(readonly string[])[]> {
    await this.settled(collection);
    return this.views.reading(() =>
      scopes.filter((scope) => {
        const scopeId = this.scopeIdOf(collection, scope);
        const any = 'SELECT 1 FROM rows WHERE place = ? LIMIT 1';
        return scopeId !== null && this.views.get(any, scopeId) !== undefined;
      }),
    );
  }

  override async query(query: Query): Promise<QueryPage> {
    if (!(query.limit >= 1 && query.limit <= limitMax)) throw new Error(`a page of ${query.limit} rows`);
    await this.indexed(query.collection);
    return this.views.reading(() => {
      const scopeId = this.scopeIdOf(query.collection, query.scope);
      if (scopeId === null) return { rows: [], next: null };
      const found = rowsOf(this.views, scopeId, query, query.limit + 1);
      const page = found.slice(0, query.limit);
      const rows = page.map(({ key, revision, doc }) => ({
        key: key as string,
        revision: revision as number,
        doc: JSON.parse(doc as string) as JsonObject,
      }));
      const last = page.at(-1);
      const next =
        last && found.length > query.limit
          ? { value: (last['ov'] ?? null) as number | string | null, key: last['key'] as string }
          : null;
      return { rows, next };
    });
  }

  override async count(
    { collection, scope, where }: Pick<Query, 'collection' | 'scope' | 'where'>,
    max: number,
  ): Promise<number> {
    await this.indexed(collection);
    return this.views.reading(() => {
      const scopeId = this.scopeIdOf(collection, scope);
      if (scopeId === null) return 0;
      return countOf(this.views, scopeId, { collection, scope, ...(where ? { where } : {}), limit: 1 }, max);
    });
  }

  override async checkpoint(projection: string): Promise<Position | null> {
    this.demands.get(projection)?.ask();
    await this.views.writer.settled(builtName(projection));
    return this.stored(projection);
  }

  override async take(projection: string): Promise<Position | null> {
    return this.checkpoint(projection);
  }

  /** Asked by those that make the rows, so that nothing is hurried by it. */
  override async lost(known: readonly KnownCheckpoint[]): Promise<CheckpointConflict[]> {
    for (const { projection } of known) await this.views.writer.settled(builtName(projection));
    const stored = this.views.reading(() => known.map(({ projection }) => this.stored(projection)));
    return lostOf(known, stored);
  }

  override async commit({
    projection,
    from,
    to,
    rows,
    mayGather = false,
    isBuilding = false,
  }: ProjectedBatch): Promise<void> {
    const { writer } = this.views;
    const move: Step =
      from === null
        ? ['INSERT INTO checkpoints (projection, position) VALUES (?, ?) ON CONFLICT DO NOTHING', [projection, to]]
        : ['UPDATE checkpoints SET position = ? WHERE projection = ? AND position = ?', [to, projection, from]];
    const steps = [move, ...rows.map((row) => putStep(this.parametersOf(row)))];
    if (isBuilding) {
      await writer.build(steps, collectionsOf(rows).add(builtName(projection)));
      return;
    }
    const demand = this.demand(projection);
    const arrival = demand.onArrival(() => {
      writer.hurry();
    });
    try {
      const written = writer.runGuarded(steps, collectionsOf(rows));
      if (!mayGather || demand.isPresent) writer.hurry();
      const moved = await written;
      if (moved === null) throw new RowsInDoubt(projection);
      if (moved === 0) throw new CheckpointConflict(projection, this.stored(projection));
    } finally {
      arrival.cancel();
    }
  }

  override demand(projection: string, rows?: { arePut: boolean }): Demand {
    if (rows?.arePut) this.putByWriters.add(projection);
    let demand = this.demands.get(projection);
    if (!demand) this.demands.set(projection, (demand = new RowDemand(this.views.clock)));
    return demand;
  }

  override async drop(collection: string, projection: string): Promise<void> {
    await this.views.writer.run([['DELETE FROM checkpoints WHERE projection = ?', [projection]]]);
    const chunk: Step = [
      `DELETE FROM rows WHERE id IN
         (SELECT r.id FROM places p JOIN rows r ON r.place = p.id WHERE p.collection = ?1
          UNION ALL SELECT r.id FROM places p JOIN rows r ON r.place = -p.id WHERE p.collection = ?1
          LIMIT ${dropChunk})`,
      [collection],
    ];
    while ((await this.views.writer.run([chunk])) > 0);
  }

  override async *dump(
    collection: string,
  ): AsyncIterable<{ scope: string; key: string; revision: number; doc: JsonObject | null }> {
    await this.settled(collection);
    for (
      let scopeId = this.scopeAfter(collection, null);
      scopeId;
      scopeId = this.scopeAfter(collection, scopeId.scope)
    ) {
      for (
        let page = this.pageOf(scopeId.id, null);
        page.length > 0;
        page = this.pageOf(scopeId.id, page.at(-1)!['key'] as string)
      ) {
        for (const row of page) {
          const doc = row['doc'] === null ? null : (JSON.parse(row['doc'] as string) as JsonObject);
          yield { scope: scopeId.scope, key: row['key'] as string, revision: row['revision'] as number, doc };
        }
      }
    }
  }

  /** Closes nothing: the opener of the views file closes it. */
  override async close(): Promise<void> {
    await Promise.resolve();
  }

  /** A read of the collection begins: what was put in it before is written at once, and what makes its rows hurries. */
  private settled(collection: string): Promise<void> {
    this.askFor(collection);
    return this.views.writer.settled(collection);
  }

  /** As `settled`, for reads along an index. */
  private indexed(collection: string): Promise<void> {
    this.askFor(collection);
    return this.views.writer.indexed(collection);
  }

  private askFor(collection: string): void {
    if (!this.putByWriters.has(collection)) this.demands.get(collection)?.ask();
  }

  private stored(projection: string): Position | null {
    const position = this.views.get('SELECT position FROM checkpoints WHERE projection = ?', projection)?.['position'];
    return typeof position === 'string' ? position : null;
  }

  private parametersOf({ collection, scope, key, revision, doc, index }: ReadRow): PutParameters {
    return [
      collection,
      scopeText(scope),
      key,
      revision,
      this.views.clock.now(),
      doc === null ? '[]' : pairs(index),
      doc === null ? null : JSON.stringify(doc),
    ];
  }

  private rowOf(collection: string, scope: string, key: string): ViewRow | undefined {
    return this.views.get(
      `SELECT r.revision, r.doc FROM places p JOIN rows r ON r.place = p.id
       WHERE p.collection = ? AND p.scope = ? AND r.key = ?`,
      ...[collection, scope, key],
    );
  }

  private tombstoneOf(collection: string, scope: string, key: string): ViewRow | undefined {
    return this.views.get(
      `SELECT r.revision FROM places p JOIN rows r ON r.place = -p.id
       WHERE p.collection = ? AND p.scope = ? AND r.key = ?`,
      ...[collection, scope, key],
    );
  }

  private found(collection: string, scope: string, key: string): Found | null {
    const row = this.rowOf(collection, scope, key);
    return typeof row?.['doc'] === 'string'
      ? { revision: row['revision'] as number, doc: JSON.parse(row['doc']) as JsonObject }
      : null;
  }

  /** The number of a collection and scope; null before its first row. */
  private scopeIdOf(collection: string, scope: readonly string[]): number | null {
    return (
      (this.views.get('SELECT id FROM places WHERE collection = ? AND scope = ?', collection, scopeText(scope))?.[
        'id'
      ] as number | undefined) ?? null
    );
  }

  /** The place of the next scope of a collection; null: of its first one. */
  private scopeAfter(collection: string, scope: string | null): { id: number; scope: string } | undefined {
    const beyond = scope === null ? '' : 'AND scope > ?';
    const sql = `SELECT id, scope FROM places WHERE collection = ? ${beyond} ORDER BY scope LIMIT 1`;
    return this.views.get(sql, collection, ...(scope === null ? [] : [scope])) as
      { id: number; scope: string } | undefined;
  }

  private pageOf(scopeId: number, key: string | null): ViewRow[] {
    const beyond = key === null ? '' : 'AND key > ?2';
    const of = (number: string) => `SELECT key, revision, doc FROM rows WHERE place = ${number} ${beyond}`;
    const sql = `${of('?1')} UNION ALL ${of('-?1')} ORDER BY key LIMIT ${dumpPage}`;
    return this.views.all(sql, scopeId, ...(key === null ? [] : [key]));
  }
}
