import {
  CheckpointConflict, type Condition, type IndexValue, type JsonObject, type Position, type ProjectedBatch, type Query, type QueryPage, type ReadRow, ReadStore, RowsInDoubt,
} from '@aos/kernel';
import { alongEntries, alongIndex, alongKeys, entryTest, fromFew, type Piece } from './view-query.js';
import type { ViewRow, ViewsFile } from './views-file.js';
import type { Step } from './views-messages.js';

const FEW = 1000; // rows that are sorted rather than walked past
const LIMIT_MAX = 1000;
const PUTS_MAX = 1024; // puts that wait for nothing
const DUMP_PAGE = 500;
const DROP_CHUNK = 1000;
const SEPARATOR = '\u001f';

const putSql = `INSERT INTO rows (collection, scope, key, revision, at, idx, doc) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (collection, scope, key) DO UPDATE SET revision = excluded.revision, at = excluded.at, idx = excluded.idx, doc = excluded.doc
  WHERE excluded.revision > rows.revision`;

type Found = { revision: number; doc: JsonObject };

function scopeText(scope: readonly string[]): string {
  for (const part of scope) if (part.includes(SEPARATOR)) throw new Error('a part of a scope holds the separator');
  return scope.join(SEPARATOR);
}

/** The index as pairs of name and value, one for each member of a list. */
function pairs(index: Readonly<Record<string, IndexValue>>): string {
  const all: string[] = [];
  const add = (name: string, value: number | string) => { all.push(`[${JSON.stringify(name)},${typeof value === 'number' ? numberText(value) : JSON.stringify(value)}]`); };
  for (const [name, value] of Object.entries(index)) {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`index ${name} is ${value}`);
    if (typeof value === 'object') for (const member of new Set(value)) add(name, member);
    else add(name, value);
  }
  return `[${all.join(',')}]`;
}

/** Whole numbers that JavaScript holds only nearly are kept as floating ones: the engine refuses to give them out as integers. */
function numberText(value: number): string {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}

/**
 * Read models in the views file. A put does not wait for the file: all that come within a few milliseconds are written together, and whoever reads
 * waits for those before it. One that could not be written begins another `life`.
 */
export class SqliteReadStore extends ReadStore {
  constructor(private readonly views: ViewsFile) {
    super();
  }

  override get life(): number {
    return this.views.losses;
  }

  override async put(rows: readonly ReadRow[]): Promise<void> {
    if (rows.length > 0) this.views.runLater(rows.map((row) => this.putStep(row)));
    if (this.views.unwritten >= PUTS_MAX) await this.views.settled();
  }

  override async get(collection: string, scope: readonly string[], key: string): Promise<Found | null> {
    await this.views.settled();
    return this.found(collection, scopeText(scope), key);
  }

  override async getMany(collection: string, scope: readonly string[], keys: readonly string[]): Promise<Map<string, Found>> {
    const text = scopeText(scope);
    return this.views.reading(() => {
      const all = new Map<string, Found>();
      for (const key of keys) {
        const row = this.found(collection, text, key);
        if (row) all.set(key, row);
      }
      return all;
    });
  }

  override async query(query: Query): Promise<QueryPage> {
    if (!(query.limit >= 1 && query.limit <= LIMIT_MAX)) throw new Error(`a page of ${query.limit} rows`);
    return this.views.reading(() => {
      const found = this.candidates(query, query.limit + 1);
      const page = found.slice(0, query.limit);
      const rows = page.map(({ key, revision, doc }) => ({ key: key as string, revision: revision as number, doc: JSON.parse(doc as string) as JsonObject }));
      const last = page.at(-1);
      const next = last && found.length > query.limit ? { value: (last['ov'] ?? null) as number | string | null, key: last['key'] as string } : null;
      return { rows, next };
    });
  }

  override async count({ collection, scope, where }: Pick<Query, 'collection' | 'scope' | 'where'>, max: number): Promise<number> {
    const place = placeOf(collection, scope);
    return this.views.reading(() => {
      const query: Query = { collection, scope, ...(where ? { where } : {}), limit: 1 };
      const [driver] = this.cheapest(place, where ?? [], max);
      const piece = driver ? fromFew(place, query, driver, max) : alongKeys(place, query, null, max);
      return this.views.get(`SELECT count(*) AS n FROM (${piece.sql})`, ...piece.parameters)?.['n'] as number;
    });
  }

  override async checkpoint(projection: string): Promise<Position | null> {
    const position = this.views.get('SELECT position FROM checkpoints WHERE projection = ?', projection)?.['position'];
    return typeof position === 'string' ? position : null;
  }

  override async commit({ projection, from, to, rows }: ProjectedBatch): Promise<void> {
    const move: Step = from === null
      ? ['INSERT INTO checkpoints (projection, position) VALUES (?, ?) ON CONFLICT DO NOTHING', [projection, to]]
      : ['UPDATE checkpoints SET position = ? WHERE projection = ? AND position = ?', [to, projection, from]];
    const moved = await this.views.runGuarded([move, ...rows.map((row) => this.putStep(row))]);
    if (moved === null) throw new RowsInDoubt(projection);
    if (moved === 0) throw new CheckpointConflict(projection, await this.checkpoint(projection));
  }

  override async drop(collection: string, projection: string): Promise<void> {
    await this.views.run([['DELETE FROM checkpoints WHERE projection = ?', [projection]]]);
    const chunk: Step = [`DELETE FROM rows WHERE id IN (SELECT id FROM rows WHERE collection = ? LIMIT ${DROP_CHUNK})`, [collection]];
    while (await this.views.run([chunk]) > 0);
  }

  override async *dump(collection: string): AsyncIterable<{ scope: string; key: string; revision: number; doc: JsonObject | null }> {
    await this.views.settled();
    let [scope, key] = ['', ''];
    for (;;) {
      const page = this.views.all(`SELECT scope, key, revision, doc FROM rows WHERE collection = ? AND (scope, key) > (?, ?) ORDER BY scope, key LIMIT ${DUMP_PAGE}`, collection, scope, key);
      for (const row of page) {
        const doc = row['doc'] === null ? null : JSON.parse(row['doc'] as string) as JsonObject;
        yield { scope: row['scope'] as string, key: row['key'] as string, revision: row['revision'] as number, doc };
      }
      const last = page.at(-1);
      if (!last || page.length < DUMP_PAGE) return;
      [scope, key] = [last['scope'] as string, last['key'] as string];
    }
  }

  /** The file is closed by whoever opened it. */
  override async close(): Promise<void> {
    await Promise.resolve();
  }

  private putStep({ collection, scope, key, revision, doc, index }: ReadRow): Step {
    return [putSql, [collection, scopeText(scope), key, revision, this.views.clock.now(), doc === null ? '[]' : pairs(index), doc === null ? null : JSON.stringify(doc)]];
  }

  private found(collection: string, scope: string, key: string): Found | null {
    const row = this.views.get('SELECT revision, doc FROM rows WHERE collection = ? AND scope = ? AND key = ?', collection, scope, key);
    return typeof row?.['doc'] === 'string' ? { revision: row['revision'] as number, doc: JSON.parse(row['doc']) as JsonObject } : null;
  }

  private candidates(query: Query, limit: number): ViewRow[] {
    const place = placeOf(query.collection, query.scope);
    const where = query.where ?? [];
    const run = ({ sql, parameters }: Piece) => this.views.all(wholeRows(sql), ...parameters);
    const ordered = query.orderBy?.index;
    const bounded = where.some(({ index }) => index === ordered);
    const walkOnly = bounded && where.length === 1; // the walk reads just what it gives
    if (where.length > 0 && !walkOnly) {
      const [driver, matches] = this.cheapest(place, where, FEW + 1);
      if (driver && matches <= FEW) return run(fromFew(place, query, driver, limit));
    }
    if (ordered === undefined) {
      const exact = where.find((condition) => 'eq' in condition || 'has' in condition);
      return run(exact ? alongEntries(place, query, exact, limit) : alongKeys(place, query, null, limit));
    }
    const valued = query.after && query.after.value === null ? [] : run(alongIndex(place, query, ordered, limit));
    if (valued.length >= limit || bounded) return valued;
    return [...valued, ...run(alongKeys(place, query, ordered, limit - valued.length))];
  }

  /** The condition that the fewest entries fulfil, counted up to `max`. */
  private cheapest(place: Piece, where: readonly Condition[], max: number): [Condition | null, number] {
    let best: [Condition | null, number] = [null, Infinity];
    for (const condition of where) {
      const { sql, parameters } = entryTest(place, condition);
      const matches = this.views.get(`SELECT count(*) AS n FROM (SELECT 1 FROM entries WHERE ${sql} LIMIT ?)`, ...parameters, max)?.['n'] as number;
      if (matches < best[1]) best = [condition, matches];
    }
    return best;
  }
}

/** The found rows themselves, in the order in which they were found: the limit inside keeps its order, the cross join walks along it. */
function wholeRows(found: string): string {
  return `SELECT f.key, f.ov, r.revision, r.doc FROM (${found}) f CROSS JOIN rows r ON r.id = f.id`;
}

function placeOf(collection: string, scope: readonly string[]): Piece {
  return { sql: 'collection = ? AND scope = ?', parameters: [collection, scopeText(scope)] };
}
