import {
  CheckpointConflict,
  ReadStore,
  lostOf,
  type JsonObject,
  type KnownCheckpoint,
  type Position,
  type ProjectedBatch,
  type Query,
  type QueryPage,
  type ReadRow,
} from '@aos/kernel';
import { createHash } from 'node:crypto';
import { compareText, membersOf, wellFormed, type LexRange } from './index-members.js';
import { countRows, queryPage, type FoundRow, type Shelf, type Values } from './read-store-query.js';
import { commitScript, dropScript, fetchScript, putScript } from './read-store-scripts.js';
import { runScript, type RedisConnection, type Script } from './redis-connection.js';

const shardCount = 16;
const rowsPerCall = 500;
const shards = Array.from({ length: shardCount }, (_, shard) => shard);

/** A part of a key: no separator and nothing that Redis reads as a hash tag. */
const part = (text: string): string =>
  wellFormed(text).replace(/[%:/{}]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);

const scopePart = (scope: readonly string[]): string => scope.map(part).join('/');

/** An organization's rows lie together, on one shard. */
function shardOf(scope: readonly string[]): number {
  const [organization] = scope;
  if (organization === undefined) throw new RangeError('a scope begins with the organization');
  return (createHash('sha1').update(organization).digest()[0] ?? 0) % shardCount;
}

/**
 * Read models on plain Redis: no modules, works on a cluster (each shard's keys share a hash tag).
 *
 * A commit first decides on shard 0, by compare-and-set of its checkpoint, then moves the others. If it breaks off
 * between, the lowest checkpoint is still the old one, and the repeat writes the rest: a shard that is further on
 * already holds everything up to there.
 */
export class RedisReadStore extends ReadStore {
  constructor(private readonly connection: RedisConnection) {
    super();
    connection.share();
  }

  override get incarnation(): number {
    return this.connection.incarnation;
  }

  override async put(rows: readonly ReadRow[]): Promise<void> {
    await Promise.all(
      [...byShard(rows)].map(async ([shard, own]) => {
        for (let start = 0; start < own.length; start += rowsPerCall) {
          await this.script(putScript, [this.base(shard)], own.slice(start, start + rowsPerCall).flatMap(rowArguments));
        }
      }),
    );
  }

  override async get(
    collection: string,
    scope: readonly string[],
    key: string,
  ): Promise<{ revision: number; doc: JsonObject } | null> {
    return (await this.getMany(collection, scope, [key])).get(key) ?? null;
  }

  override async getMany(
    collection: string,
    scope: readonly string[],
    keys: readonly string[],
  ): Promise<Map<string, { revision: number; doc: JsonObject }>> {
    const rows = await this.shelf(collection, scope).rows(keys);
    return new Map(rows.filter((row) => row !== null).map(({ key, revision, doc }) => [key, { revision, doc }]));
  }

  override async query(query: Query): Promise<QueryPage> {
    if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > 1000)
      throw new RangeError(`limit ${query.limit} is not within 1..1000`);
    return queryPage(this.shelf(query.collection, query.scope), query);
  }

  override async count(query: Pick<Query, 'collection' | 'scope' | 'where'>, max: number): Promise<number> {
    return countRows(this.shelf(query.collection, query.scope), query.where ?? [], max);
  }

  override async checkpoint(projection: string): Promise<Position | null> {
    return lowest(await this.checkpoints(projection));
  }

  override async lost(known: readonly KnownCheckpoint[]): Promise<CheckpointConflict[]> {
    const stored = await this.storedCheckpoints(known.map(({ projection }) => projection));
    return lostOf(known, stored.map(lowest));
  }

  override async commit({ projection, from, to, rows }: ProjectedBatch): Promise<void> {
    const { incarnation } = this;
    const seen = await this.checkpoints(projection);
    if (lowest(seen) !== from) throw new CheckpointConflict(projection, lowest(seen));
    const grouped = byShard(rows);
    const move = async (shard: number) => {
      const now = seen[shard] ?? null;
      const args = [
        now === null ? '-' : `+${now}`,
        to,
        shard === 0 ? '1' : '0',
        ...(grouped.get(shard) ?? []).flatMap(rowArguments),
      ];
      const moved = await this.script(
        commitScript,
        [`${this.base(shard)}c:${projection}`, this.base(shard)],
        args,
        incarnation,
      );
      if (moved !== 1) throw new CheckpointConflict(projection, await this.checkpoint(projection));
    };
    await move(0);
    await Promise.all(shards.slice(1).map(move));
  }

  /** Checkpoints go first: a drop that breaks off is told apart from a whole collection. */
  override async drop(collection: string, projection: string): Promise<void> {
    await this.connection.run((client) =>
      Promise.all(shards.map((shard) => client.del(`${this.base(shard)}c:${projection}`))),
    );
    for (const shard of shards) {
      for (const scope of await this.scopes(collection, shard)) {
        while ((await this.script(dropScript, [this.base(shard)], [part(collection), scope, rowsPerCall])) !== 0)
          continue;
      }
    }
  }

  override async *dump(
    collection: string,
  ): AsyncIterable<{ scope: string; key: string; revision: number; doc: JsonObject | null }> {
    const scopes = (
      await Promise.all(
        shards.map(async (shard) => (await this.scopes(collection, shard)).map((scope) => ({ shard, scope }))),
      )
    ).flat();
    for (const { shard, scope } of scopes.sort((a, b) => compareText(a.scope, b.scope))) {
      const base = this.base(shard);
      const scopeKey = `${part(collection)}:${scope}`;
      const buried = (await this.connection.run((client) => client.zrange(`${base}t:${scopeKey}`, '0', '-1'))).sort(
        compareText,
      );
      let min = '-';
      for (;;) {
        const alive = await this.connection.run((client) =>
          client.zrangebylex(`${base}a:${scopeKey}`, min, '+', 'LIMIT', 0, rowsPerCall),
        );
        const ended = alive.length < rowsPerCall;
        const last = alive.at(-1) ?? '';
        const passed = ended ? buried.length : buried.filter((key) => compareText(key, last) < 0).length;
        const keys = [...alive, ...buried.splice(0, passed)].sort(compareText);
        for (const { key, revision, doc } of await this.stored(base, scopeKey, keys))
          yield { scope, key, revision, doc };
        if (ended) break;
        min = `(${last}`;
      }
    }
  }

  override async close(): Promise<void> {
    await this.connection.release();
  }

  private base(shard: number): string {
    return `${this.connection.prefix}:{rm${shard}}:`;
  }

  private script(
    code: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
    incarnation?: number,
  ): Promise<unknown> {
    return this.connection.run((client) => runScript(client, code, keys, args), incarnation);
  }

  private async checkpoints(projection: string): Promise<(Position | null)[]> {
    return (await this.storedCheckpoints([projection]))[0] ?? [];
  }

  /** Of each projection the checkpoint on every shard: one command, on a cluster one for each shard. */
  private async storedCheckpoints(projections: readonly string[]): Promise<(Position | null)[][]> {
    if (projections.length === 0) return [];
    const keysOf = (shard: number) => projections.map((projection) => `${this.base(shard)}c:${projection}`);
    const found = await this.connection.run(async (client) =>
      client.isCluster
        ? (await Promise.all(shards.map((shard) => client.mget(keysOf(shard))))).flat()
        : client.mget(shards.flatMap(keysOf)),
    );
    return projections.map((_, n) => shards.map((shard) => found[shard * projections.length + n] ?? null));
  }

  private scopes(collection: string, shard: number): Promise<string[]> {
    return this.connection.run((client) => client.smembers(`${this.base(shard)}s:${part(collection)}`));
  }

  private async fetch(
    base: string,
    scopeKey: string,
    fields: readonly string[],
    keys: readonly string[],
  ): Promise<(string | null)[][]> {
    const found: (string | null)[][] = [];
    for (let start = 0; start < keys.length; start += rowsPerCall) {
      const some = keys.slice(start, start + rowsPerCall);
      found.push(
        ...((await this.script(fetchScript, [base], [`${base}r:${scopeKey}:`, fields.length, ...fields, ...some])) as (
          string | null
        )[][]),
      );
    }
    return found;
  }

  private async stored(
    base: string,
    scopeKey: string,
    keys: readonly string[],
  ): Promise<{ key: string; revision: number; doc: JsonObject | null }[]> {
    const found = await this.fetch(base, scopeKey, ['r', 'd'], keys);
    return found.flatMap(([revision, doc], n) =>
      revision == null
        ? []
        : [{ key: keys[n]!, revision: Number(revision), doc: doc == null ? null : (JSON.parse(doc) as JsonObject) }],
    );
  }

  private shelf(collection: string, scope: readonly string[]): Shelf {
    const base = this.base(shardOf(scope));
    const scopeKey = `${part(collection)}:${scopePart(scope)}`;
    const keyOfIndex = (index: string | null) =>
      index === null ? `${base}a:${scopeKey}` : `${base}x:${scopeKey}:${index}`;
    return {
      members: (index, { min, max }: LexRange, descending, limit) =>
        this.connection.run((client) =>
          descending
            ? client.zrevrangebylex(keyOfIndex(index), max, min, 'LIMIT', 0, limit)
            : client.zrangebylex(keyOfIndex(index), min, max, 'LIMIT', 0, limit),
        ),
      counts: (ranges) =>
        this.connection.run((client) =>
          Promise.all(ranges.map(({ index, range }) => client.zlexcount(keyOfIndex(index), range.min, range.max))),
        ),
      values: async (keys) =>
        (await this.fetch(base, scopeKey, ['i'], keys)).map(([values]) =>
          values == null ? null : (JSON.parse(values) as Values),
        ),
      rows: async (keys) =>
        (await this.fetch(base, scopeKey, ['r', 'd', 'i'], keys)).map(([revision, doc, values], n): FoundRow | null =>
          doc == null
            ? null
            : {
                key: keys[n]!,
                revision: Number(revision),
                doc: JSON.parse(doc) as JsonObject,
                values: JSON.parse(values ?? '{}') as Values,
              },
        ),
    };
  }
}

function lowest(checkpoints: readonly (Position | null)[]): Position | null {
  return checkpoints.reduce((least, next) => (least === null || next === null ? null : next < least ? next : least));
}

function byShard(rows: readonly ReadRow[]): Map<number, ReadRow[]> {
  const grouped = new Map<number, ReadRow[]>();
  for (const row of rows) {
    const shard = shardOf(row.scope);
    const own = grouped.get(shard);
    if (own) own.push(row);
    else grouped.set(shard, [row]);
  }
  return grouped;
}

/**
 * Seven arguments of a script: collection, scope, key, revision, document (empty: tombstone), index values, index
 * members.
 */
function rowArguments({ collection, scope, key, revision, doc, index }: ReadRow): string[] {
  const values = doc === null ? {} : index;
  return [
    part(collection),
    scopePart(scope),
    key,
    String(revision),
    doc === null ? '' : JSON.stringify(doc),
    JSON.stringify(values),
    JSON.stringify(membersOf(values)),
  ];
}
