import { createHash } from 'node:crypto';
import { canonicalJson, type Clock, type JsonObject, type ReadStore } from '@aos/kernel';

/** One collection, as it stands and as the log gives it. */
export type Compared = {
  collection: string;
  rows: number;
  /** SHA-256 over scope, key and document of every live row, in order. */
  hash: string;
  rebuilt_hash: string;
  matches: boolean;
  /** The first few rows that differ. */
  differences: { scope: string; key: string; what: 'missing' | 'left over' | 'different' }[];
};

/** One place of a collection: what stands there, what the log gives, or both. */
export interface ComparedRow {
  /** All parts as one text, as `ReadStore.dump` gives it. */
  scope: string;
  key: string;
  live: JsonObject | null;
  rebuilt: JsonObject | null;
}

interface Dumped {
  scope: string;
  key: string;
  doc: JsonObject | null;
}
type Rows = AsyncIterator<Dumped>;

const differencesMax = 10;
/**
 * Writers go on meanwhile: what differs may only be a moment behind, and is looked at again until neither side moves.
 */
const comparisonsMax = 10;
const compareAgainMs = 500;

/**
 * Goes through two collections at once; both stay where they are.
 *
 * Takes    which rows the comparison is about; asked once for a place, with what either side has there. Absent: all.
 * Gives    hashes and differences. Tombstones count as absent: the live side forgets them after a while.
 */
export async function compareRows(
  readStore: ReadStore,
  collection: string,
  rebuiltCollection: string,
  counts: (row: ComparedRow) => boolean | Promise<boolean> = () => true,
): Promise<Compared> {
  const [live, rebuilt] = [rowsOf(readStore, collection), rowsOf(readStore, rebuiltCollection)];
  const [liveHash, rebuiltHash] = [createHash('sha256'), createHash('sha256')];
  const differences: Compared['differences'] = [];
  let rows = 0;
  let [mine, theirs] = [await next(live), await next(rebuilt)];
  while (mine || theirs) {
    const order = keyOrder(mine, theirs);
    const { scope, key } = (order <= 0 ? mine : theirs) as Dumped;
    const row: ComparedRow = {
      scope,
      key,
      live: order <= 0 ? (mine?.doc ?? null) : null,
      rebuilt: order >= 0 ? (theirs?.doc ?? null) : null,
    };
    if (await counts(row)) {
      const [one, other] = [lineOf(row, row.live), lineOf(row, row.rebuilt)];
      if (row.live) rows += 1;
      liveHash.update(one);
      rebuiltHash.update(other);
      if (one !== other && differences.length < differencesMax)
        differences.push({
          scope,
          key,
          what: row.live === null ? 'missing' : row.rebuilt === null ? 'left over' : 'different',
        });
    }
    if (order <= 0) mine = await next(live);
    if (order >= 0) theirs = await next(rebuilt);
  }
  const [hash, rebuilt_hash] = [liveHash.digest('hex'), rebuiltHash.digest('hex')];
  return { collection, rows, hash, rebuilt_hash, matches: hash === rebuilt_hash, differences };
}

/** Compares collections one after the other, each until it stands; gives those that have rows, or ought to. */
export async function compareAll(
  clock: Clock,
  collections: Iterable<string>,
  compare: (collection: string) => Promise<Compared>,
): Promise<Compared[]> {
  const results: Compared[] = [];
  for (const collection of collections) {
    const result = await compareUntilStanding(clock, () => compare(collection));
    if (result.rows > 0 || !result.matches) results.push(result);
  }
  return results;
}

/** Compares until all is equal, or until two looks, a moment apart, give the same: then neither side moves. */
async function compareUntilStanding(clock: Clock, compare: () => Promise<Compared>): Promise<Compared> {
  let result = await compare();
  let isStanding = false;
  for (let again = 1; !result.matches && !isStanding && again < comparisonsMax; again += 1) {
    await clock.sleep(compareAgainMs);
    const later = await compare();
    isStanding = later.hash === result.hash && later.rebuilt_hash === result.rebuilt_hash;
    result = later;
  }
  return result;
}

function rowsOf(readStore: ReadStore, collection: string): Rows {
  return readStore.dump(collection)[Symbol.asyncIterator]();
}

/** The next row that stands. */
async function next(rows: Rows): Promise<Dumped | null> {
  for (;;) {
    const { value, done } = await rows.next();
    if (done) return null;
    if ((value as Dumped).doc !== null) return value as Dumped;
  }
}

/** Below 0: the first comes first, or alone. Stores give rows in the order of scope, then key. */
function keyOrder(one: Dumped | null, other: Dumped | null): number {
  if (!one) return 1;
  if (!other) return -1;
  return one.scope === other.scope ? compareText(one.key, other.key) : compareText(one.scope, other.scope);
}

function compareText(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** What is hashed of one side of a place; nothing where nothing stands. */
function lineOf({ scope, key }: ComparedRow, doc: JsonObject | null): string {
  return doc === null ? '' : `${canonicalJson([scope, key, doc])}\n`;
}
