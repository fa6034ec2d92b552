import { CheckpointConflict, StoreUnavailable, type KnownCheckpoint, type Position } from '@aos/kernel';
import { commitScript, followScript } from './read-store-scripts.js';
import { runScript, type RedisClient, type RedisConnection } from './redis-connection.js';

export const shardCount = 16;
export const shards = Array.from({ length: shardCount }, (_, shard) => shard);

/** What the keys of a shard begin with: they lie together on a cluster. */
export const shardBase = (prefix: string, shard: number): string => `${prefix}:{rm${shard}}:`;

type Stored = Position | null;

/** What this process knows of one projection's checkpoints. */
interface Known {
  /** Where its commits are: the rows of everything up to here are written, on every shard. */
  at: Stored;
  /** What each shard was last seen to hold. */
  readonly seen: Stored[];
  /** What a commit without an answer may have left on shard 0. */
  tried: Stored;
  isMoving: boolean;
  readonly incarnation: number;
}

/** A shard without rows of the last commits: its checkpoint is behind. */
interface Late {
  projection: string;
  known: Known;
  shard: number;
}

/**
 * The checkpoints of projections, one on each shard.
 *
 * A commit decides on shard 0, by compare-and-set, and then moves the shards that have rows. The others follow once a
 * second, all projections of the process together. What this process last saw on each shard is remembered and not read
 * again: a shard that holds less lost data, and is never moved past that. The lowest checkpoint is where a reader
 * begins that takes over: a shard that is further on already holds everything up to there.
 */
export class ShardCheckpoints {
  private readonly known = new Map<string, Known>();
  private timer: NodeJS.Timeout | null = null;
  private isClosed = false;

  constructor(
    private readonly connection: RedisConnection,
    private readonly followAfterMs: number,
  ) {}

  /** The lowest; null when a shard has none. Commits go on from here, and fail when another process moved shard 0. */
  async take(projection: string): Promise<Stored> {
    const { incarnation } = this.connection;
    const seen = await this.stored(projection);
    const at = lowest(seen);
    this.known.set(projection, { at, seen, tried: null, isMoving: false, incarnation });
    return at;
  }

  /** How far commits have come; null when a shard has none. */
  async decided(projection: string): Promise<Stored> {
    const stored = await this.stored(projection);
    return stored.includes(null) ? null : (stored[0] ?? null);
  }

  async onShard(projection: string, shard: number): Promise<Stored> {
    return this.connection.run((client) => client.get(this.keyOf(projection, shard)));
  }

  /** Takes the arguments of the rows of each shard that has some. */
  async commit(
    { projection, from, to }: { projection: string; from: Stored; to: Position },
    rows: ReadonlyMap<number, readonly string[]>,
  ): Promise<void> {
    const { incarnation } = this.connection;
    const known = this.knownAt(projection, from, incarnation) ?? (await this.found(projection, from, incarnation));
    if (known.isMoving) throw new CheckpointConflict(projection, known.at);
    known.isMoving = true;
    try {
      await this.move(known, { projection, to, shard: 0, rows });
      await Promise.all(
        shards
          .slice(1)
          .filter((shard) => rows.has(shard) || known.seen[shard] === null)
          .map((shard) => this.move(known, { projection, to, shard, rows })),
      );
    } finally {
      known.isMoving = false;
    }
    known.at = to;
    known.tried = null;
    this.known.set(projection, known);
    this.followLater();
  }

  /** See `ReadStore.lost`: each shard is measured by what was last seen on it. */
  async lost(asked: readonly KnownCheckpoint[]): Promise<CheckpointConflict[]> {
    const expected = asked.map(({ projection, at }) => {
      const known = this.known.get(projection);
      // what the caller knows and this process does not was seen by another one
      return known?.at != null && known.at >= at ? known.seen.map((position) => position ?? at) : shards.map(() => at);
    });
    const stored = await this.storedOf(asked.map(({ projection }) => projection));
    return asked.flatMap(({ projection }, n) => {
      const now = stored[n] ?? [];
      const isLost = expected[n]?.some((position, shard) => (now[shard] ?? null) === null || now[shard]! < position);
      return isLost ? [new CheckpointConflict(projection, lowest(now))] : [];
    });
  }

  /** Shards that are behind stay so: a reader that takes over begins there. */
  close(): void {
    this.isClosed = true;
    if (this.timer) clearTimeout(this.timer);
  }

  keyOf(projection: string, shard: number): string {
    return `${shardBase(this.connection.prefix, shard)}c:${projection}`;
  }

  private knownAt(projection: string, from: Stored, incarnation: number): Known | null {
    const known = this.known.get(projection);
    return known?.at === from && known.incarnation === incarnation ? known : null;
  }

  /** Of a projection that this process did not take, or under another incarnation. */
  private async found(projection: string, from: Stored, incarnation: number): Promise<Known> {
    const seen = await this.stored(projection);
    const at = lowest(seen);
    if (at !== from) throw new CheckpointConflict(projection, at);
    return { at, seen, tried: null, isMoving: false, incarnation };
  }

  private async move(
    known: Known,
    {
      projection,
      to,
      shard,
      rows,
    }: { projection: string; to: Position; shard: number; rows: ReadonlyMap<number, readonly string[]> },
  ): Promise<void> {
    const keys = [this.keyOf(projection, shard), shardBase(this.connection.prefix, shard)];
    const decides = shard === 0 ? '1' : '0';
    const args = [positionText(known.seen[shard]), to, decides, positionText(known.tried), ...(rows.get(shard) ?? [])];
    let moved: unknown;
    try {
      moved = await this.connection.run((client) => runScript(client, commitScript, keys, args), known.incarnation);
    } catch (error) {
      if (shard === 0) known.tried = to;
      throw error;
    }
    if (moved === null) throw new CheckpointConflict(projection, lowest(await this.stored(projection)));
    known.seen[shard] = moved as Position;
  }

  private async stored(projection: string): Promise<Stored[]> {
    return (await this.storedOf([projection]))[0] ?? [];
  }

  /** Of each projection the checkpoint on every shard: one command, on a cluster one for each shard. */
  private async storedOf(projections: readonly string[]): Promise<Stored[][]> {
    if (projections.length === 0) return [];
    const keysOf = (shard: number) => projections.map((projection) => this.keyOf(projection, shard));
    const found = await this.connection.run(async (client) =>
      client.isCluster
        ? (await Promise.all(shards.map((shard) => client.mget(keysOf(shard))))).flat()
        : client.mget(shards.flatMap(keysOf)),
    );
    return projections.map((_, n) => shards.map((shard) => found[shard * projections.length + n] ?? null));
  }

  private followLater(): void {
    if (this.timer || this.isClosed || this.late().length === 0) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.follow().catch((error: unknown) => {
        if (error instanceof StoreUnavailable) this.followLater();
        else this.connection.report('redis: checkpoints of shards cannot follow', error);
      });
    }, this.followAfterMs);
    this.timer.unref();
  }

  /** Nothing behind a break of the connection: rows that were put before it may be gone. */
  private late(): Late[] {
    const { incarnation } = this.connection;
    return [...this.known].flatMap(([projection, known]) => {
      const { at, seen } = known;
      if (known.incarnation !== incarnation || at === null) return [];
      return shards.filter((shard) => (seen[shard] ?? at) < at).map((shard) => ({ projection, known, shard }));
    });
  }

  /** One command, on a cluster one for each shard. A shard that lost data stays as it is: `lost` finds it. */
  private async follow(): Promise<void> {
    const { incarnation } = this.connection;
    const late = this.late();
    await this.connection.run(async (client) => {
      const groups = client.isCluster ? shards.map((shard) => late.filter((each) => each.shard === shard)) : [late];
      await Promise.all(groups.filter(({ length }) => length > 0).map((group) => this.moveLate(client, group)));
    }, incarnation);
  }

  private async moveLate(client: RedisClient, late: readonly Late[]): Promise<void> {
    const keys = late.map(({ projection, shard }) => this.keyOf(projection, shard));
    const args = late.flatMap(({ known, shard }) => [positionText(known.seen[shard]), known.at ?? '']);
    const moved = (await runScript(client, followScript, keys, args)) as Stored[];
    for (const [n, { known, shard }] of late.entries()) known.seen[shard] = moved[n] ?? known.seen[shard] ?? null;
  }
}

/** A script tells none from the log's start by the sign. */
const positionText = (position: Stored | undefined): string => (position == null ? '-' : `+${position}`);

function lowest(checkpoints: readonly Stored[]): Stored {
  return checkpoints.reduce((least, next) => (least === null || next === null ? null : next < least ? next : least));
}
