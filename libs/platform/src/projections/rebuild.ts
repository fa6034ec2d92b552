import { createHash } from 'node:crypto';
import {
  canonicalJson, type AnyEvent, type Clock, type EventStore, type EventSubscription, type JsonObject, type ReadRow, type ReadStore, type RecordedEvent,
} from '@aos/kernel';
import type { Decisions } from '../decisions/decisions.js';
import { dueCollection } from '../timers/due.js';
import { collectionOf, type StreamProjection } from './writer-projections.js';

type AnyProjection = StreamProjection<unknown, AnyEvent>;

export interface RebuildParts {
  store: EventStore;
  readStore: ReadStore;
  decisions: Decisions;
  clock: Clock;
  /** Told how many events were folded so far. */
  onEvents?: (events: number) => void;
}

/** One collection, as it stands and as the log gives it. */
export interface Compared {
  collection: string;
  rows: number;
  /** SHA-256 over scope, key and document of every live row, in order. */
  hash: string;
  rebuilt_hash: string;
  matches: boolean;
  /** The first few rows that differ. */
  differences: { scope: string; key: string; what: 'missing' | 'left over' | 'different' }[];
}

const differencesMax = 10;
/** Writers go on meanwhile: what differs may only be a moment behind, and is looked at again until neither side moves. */
const comparisonsMax = 10;
const compareAgainMs = 500;

interface Row { scope: string; key: string; text: string }

/**
 * Builds every projection over one category of streams a second time, beside the live rows, and compares the two.
 *
 * Takes    the category's projections; the live rows are only read.
 * Gives    one comparison for each collection. Tombstones count as absent: the live side forgets them after a while.
 * Refuses  what the stores refuse, and an event that a projection does not know.
 */
export class Rebuild {
  private readonly collections: ReadonlySet<string>;
  private events = 0;

  constructor(private readonly parts: RebuildParts, private readonly category: string, private readonly projections: readonly AnyProjection[]) {
    this.collections = new Set([...projections.map(collectionOf), dueCollection]);
  }

  async run(): Promise<Compared[]> {
    const { store } = this.parts;
    await this.dropScratch();
    let subscription: EventSubscription | null = null;
    try {
      await new Promise<void>((onCaughtUp, onTrouble) => {
        subscription = store.subscribe(
          { name: `rebuild:${this.category}`, prefixes: [`${this.category}-`], from: 'start', onCaughtUp, onTrouble }, (events) => this.project(events),
        );
      });
      return await this.compared();
    } finally {
      await (subscription as EventSubscription | null)?.close();
      await this.dropScratch();
    }
  }

  private async project(events: readonly RecordedEvent[]): Promise<void> {
    const { decisions, readStore } = this.parts;
    const streams = new Map<string, Set<AnyProjection>>();
    for (const { stream, type } of events) {
      for (const projection of this.projections) {
        if (!projection.kind.events[type]) throw new Error(`${collectionOf(projection)} does not know ${type}`);
        if (projection.on && !projection.on.has(type)) continue;
        streams.set(stream, (streams.get(stream) ?? new Set()).add(projection));
      }
    }
    const rows: ReadRow[] = [];
    for (const [stream, touched] of streams) {
      const id = stream.slice(this.category.length + 1);
      for (const projection of touched) {
        const { state, revision } = await decisions.load(projection.kind, id);
        for (const row of projection.rows({ state, id, revision })) rows.push({ ...row, collection: this.scratch(row.collection) });
      }
    }
    if (rows.length > 0) await readStore.put(rows);
    this.events += events.length;
    this.parts.onEvents?.(this.events);
  }

  private async compared(): Promise<Compared[]> {
    const results: Compared[] = [];
    for (const collection of this.collections) {
      let result = await this.compare(collection);
      let isStanding = false;
      for (let again = 1; !result.matches && !isStanding && again < comparisonsMax; again += 1) {
        await this.parts.clock.sleep(compareAgainMs);
        const later = await this.compare(collection);
        isStanding = later.hash === result.hash && later.rebuilt_hash === result.rebuilt_hash;
        result = later;
      }
      if (result.rows > 0 || !result.matches) results.push(result);
    }
    return results;
  }

  private async compare(collection: string): Promise<Compared> {
    const [live, rebuilt] = [this.rowsOf(collection), this.rowsOf(this.scratch(collection))];
    const [liveHash, rebuiltHash] = [createHash('sha256'), createHash('sha256')];
    const differences: Compared['differences'] = [];
    const differs = ({ scope, key }: Row, what: Compared['differences'][number]['what']) => { if (differences.length < differencesMax) differences.push({ scope, key, what }); };
    let rows = 0;
    let [mine, theirs] = [await next(live), await next(rebuilt)];
    while (mine || theirs) {
      const order = placeOrder(mine, theirs);
      if (order <= 0 && mine) {
        rows += 1;
        liveHash.update(mine.text);
      }
      if (order >= 0 && theirs) rebuiltHash.update(theirs.text);
      if (order < 0 && mine) differs(mine, 'left over');
      else if (order > 0 && theirs) differs(theirs, 'missing');
      else if (mine && theirs && mine.text !== theirs.text) differs(mine, 'different');
      if (order <= 0) mine = await next(live);
      if (order >= 0) theirs = await next(rebuilt);
    }
    const [hash, rebuilt_hash] = [liveHash.digest('hex'), rebuiltHash.digest('hex')];
    return { collection, rows, hash, rebuilt_hash, matches: hash === rebuilt_hash, differences };
  }

  /** Rows that stand, in order; of the timers, which all services share, those of this category's streams. */
  private async *rowsOf(collection: string): AsyncGenerator<Row> {
    for await (const { scope, key, doc } of this.parts.readStore.dump(collection)) {
      if (doc === null || (collection === dueCollection && !key.startsWith(`${this.category}-`))) continue;
      yield { scope, key, text: lineOf(scope, key, doc) };
    }
  }

  private scratch(collection: string): string {
    return `${collection}~${this.category}`;
  }

  private async dropScratch(): Promise<void> {
    for (const collection of this.collections) await this.parts.readStore.drop(this.scratch(collection), this.scratch(collection));
  }
}

async function next(rows: AsyncGenerator<Row>): Promise<Row | null> {
  const { value, done } = await rows.next();
  return done ? null : value as Row;
}

/** Below 0: the first comes first, or alone. Stores give rows in the order of scope, then key. */
function placeOrder(one: Row | null, other: Row | null): number {
  if (!one) return 1;
  if (!other) return -1;
  return one.scope === other.scope ? compareText(one.key, other.key) : compareText(one.scope, other.scope);
}

function compareText(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function lineOf(scope: string, key: string, doc: JsonObject): string {
  return `${canonicalJson([scope, key, doc])}\n`;
}
