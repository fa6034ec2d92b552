import {
  ReadStore,
  type CheckpointConflict,
  type JsonObject,
  type KnownCheckpoint,
  type Position,
  type ProjectedBatch,
  type Query,
  type QueryPage,
  type ReadRow,
  type RowKey,
  wellFormed,
} from '@aos/kernel';
import { createHash } from 'node:crypto';
import { compareText, membersOf, type LexRange } from './index-members.js';
import { countRows, queryPage, type FoundRow, type Shelf, type Values } from './read-store-query.js';
import {
  countsScript,
  dropScript,
  fetchScript,
  occupiedScript,
  putScript,
  revisionsScript,
} from './read-store-scripts.js';
import { runScript, type RedisClient, type RedisConnection, type Script } from './redis-connection.js';
import { ShardCheckpoints, shardBase, shardCount, shards } from './shard-checkpoints.js';

const rowsPerCall = 500;
const followAfterMs = 1_000;

/** A part of a key: no separator and nothing that Redis reads as a hash tag. */
const part = (text: string): string =>
  wellFormed(text).replace(/[%:/{}]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);

const scopePart = (scope: readonly string[]): string => scope.map(part).join('/');

const scopeKeyOf = (collection: string, scope: readonly string[]): string => `${part(collection)}:${scopePart(scope)}`;

/** An organization's rows lie together, on one shard. */
function shardOf(scope: readonly string[]): number {
  const [organization] = scope;
  if (organization === undefined) throw new RangeError('a scope begins with the organization');
  return (createHash('sha1').update(organization).digest()[0] ?? 0) % shardCount;
}

/**
 * Read models on plain Redis: no modules, works on a cluster (each shard's keys share a hash tag). Which checkpoint a
 * shard has: `ShardCheckpoints`.
 */
export class RedisReadStore extends ReadStore {
  private readonly checkpoints: ShardCheckpoints;

  /** `followMs`: how long the checkpoints of shards without rows may be behind. */
  constructor(
    private readonly connection: RedisConnection,
    followMs = followAfterMs,
  ) {
    super();
    connection.share();
    this.checkpoints = new ShardCheckpoints(connection, followMs);
  }

  override get incarnation(): number {
    return this.connection.incarnation;
  }

  override async put(rows: readonly ReadRow[]): Promise<void> {
    await this.connection.run(async (client) => {
      const groups = client.isCluster ? [...byShard(rows).values()] : [rows];
      await Promise.all(
        groups.map(async (own) => {
          for (const some of inPortions(own)) await this.putTogether(client, some);
        }),
      );
    });
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

  /** One command for each shard that has some of the rows. */
  override async revisions(collection: string, keys: readonly RowKey[]): Promise<(number | null)[]> {
    const found = new Map<RowKey, number | null>();
    const ask = async (shard: number, own: readonly RowKey[]) => {
      const rows = own.map(({ scope, key }) => `${scopeKeyOf(collection, scope)}:${key}`);
      const revisions = (await this.script(revisionsScript, [this.base(shard)], rows)) as (string | null)[];
      for (const [n, each] of own.entries()) found.set(each, revisions[n] == null ? null : Number(revisions[n]));
    };
    await Promise.all([...byShard(keys)].flatMap(([shard, own]) => inPortions(own).map((some) => ask(shard, some))));
    return keys.map((key) => found.get(key) ?? null);
  }

  /** One command, on a cluster one for each shard that some of the scopes lie on. */
  override async occupied(collection: string, scopes: readonly (readonly string[])[]): Promise<(readonly string[])[]> {
    const keys = scopes.map((scope) => ({ scope, key: `a:${scopeKeyOf(collection, scope)}` }));
    const found = new Set<readonly string[]>();
    await this.connection.run(async (client) => {
      const groups = client.isCluster ? [...byShard(keys).values()] : [keys];
      const ask = async (some: typeof keys) => {
        const names = some.map(({ scope, key }) => this.base(shardOf(scope)) + key);
        for (const n of (await runScript(client, occupiedScript, names, [])) as number[]) found.add(some[n - 1]!.scope);
      };
      await Promise.all(groups.flatMap((own) => inPortions(own).map(ask)));
    });
    return scopes.filter((scope) => found.has(scope));
  }

  override async query(query: Query): Promise<QueryPage> {
    if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > 1000)
      throw new RangeError(`limit ${query.limit} is not within 1..1000`);
    return queryPage(this.shelf(query.collection, query.scope), query);
  }

  override async count(query: Pick<Query, 'collection' | 'scope' | 'where'>, max: number): Promise<number> {
    return countRows(this.shelf(query.collection, query.scope), query.where ?? [], max);
  }

  override async checkpoint(projection: string, scope?: readonly string[]): Promise<Position | null> {
    return scope ? this.checkpoints.onShard(projection, shardOf(scope)) : this.checkpoints.decided(projection);
  }

  override async take(projection: string): Promise<Position | null> {
    return this.checkpoints.take(projection);
  }

  override async lost(known: readonly KnownCheckpoint[]): Promise<CheckpointConflict[]> {
    return this.checkpoints.lost(known);
  }

  override async commit({ rows, ...move }: ProjectedBatch): Promise<void> {
    const args = [...byShard(rows)].map(
      ([shard, own]) => [shard, own.flatMap((row) => rowArguments(row, baseKeyOfCommit))] as const,
    );
    await this.checkpoints.commit(move, new Map(args));
  }

  /** Checkpoints go first: a drop that breaks off is told apart from a whole collection. */
  override async drop(collection: string, projection: string): Promise<void> {
    await this.connection.run((client) =>
      Promise.all(shards.map((shard) => client.del(this.checkpoints.keyOf(projection, shard)))),
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
    this.checkpoints.close();
    await this.connection.release();
  }

  /** One command. */
  private async putTogether(client: RedisClient, rows: readonly ReadRow[]): Promise<void> {
    const own = [...new Set(rows.map(({ scope }) => shardOf(scope)))];
    const args = rows.flatMap((row) => rowArguments(row, own.indexOf(shardOf(row.scope)) + 1));
    await runScript(
      client,
      putScript,
      own.map((shard) => this.base(shard)),
      args,
    );
  }

  private base(shard: number): string {
    return shardBase(this.connection.prefix, shard);
  }

  private script(code: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.connection.run((client) => runScript(client, code, keys, args));
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
    const scopeKey = scopeKeyOf(collection, scope);
    const nameOfIndex = (index: string | null) => (index === null ? `a:${scopeKey}` : `x:${scopeKey}:${index}`);
    const keyOfIndex = (index: string | null) => `${base}${nameOfIndex(index)}`;
    return {
      members: (index, { min, max }: LexRange, descending, limit) =>
        this.connection.run((client) =>
          descending
            ? client.zrevrangebylex(keyOfIndex(index), max, min, 'LIMIT', 0, limit)
            : client.zrangebylex(keyOfIndex(index), min, max, 'LIMIT', 0, limit),
        ),
      counts: async (ranges) => {
        const asked = ranges.flatMap(({ index, range }) => [nameOfIndex(index), range.min, range.max]);
        return (await this.script(countsScript, [base], asked)) as number[];
      },
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

function byShard<Row extends RowKey>(rows: readonly Row[]): Map<number, Row[]> {
  const grouped = new Map<number, Row[]>();
  for (const row of rows) {
    const shard = shardOf(row.scope);
    const own = grouped.get(shard);
    if (own) own.push(row);
    else grouped.set(shard, [row]);
  }
  return grouped;
}

/** As many as one call takes. */
function inPortions<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / rowsPerCall);
  return Array.from({ length: count }, (_, n) => rows.slice(n * rowsPerCall, (n + 1) * rowsPerCall));
}

/** The number of the shard's base among the keys of a commit. */
const baseKeyOfCommit = 2;

/**
 * Eight arguments of a script: the number of the shard's base among its keys, collection, scope, key, revision,
 * document (empty: tombstone), index values, index members.
 */
function rowArguments({ collection, scope, key, revision, doc, index }: ReadRow, base: number): string[] {
  const values = doc === null ? {} : index;
  return [
    String(base),
    part(collection),
    scopePart(scope),
    key,
    String(revision),
    doc === null ? '' : JSON.stringify(doc),
    JSON.stringify(values),
    JSON.stringify(membersOf(values)),
  ];
}
