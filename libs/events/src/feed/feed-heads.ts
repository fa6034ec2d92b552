import { GenerationalCache, type Position, type ReadStore } from '@aos/kernel';
import { cutCollection, feedRows, feedStart, onlyRow } from './feed.projection.js';

const keptMax = 10_000;

/** The last place of an organization's feed. */
export interface FeedHead {
  position: Position;
  /** No row stands at it: the feed begins after it. */
  isCut: boolean;
}

/** The last place of each organization's feed, as the projector knows it. */
export class FeedHeads {
  private readonly last = new GenerationalCache<FeedHead>(keptMax);

  constructor(private readonly readStore: ReadStore) {}

  /** The greatest place below a position: a row's, else the one that the feed was cut at, else the start. */
  async below(orgId: string, position: Position): Promise<FeedHead> {
    const known = this.last.get(orgId);
    return known && known.position < position ? known : headBelow(this.readStore, orgId, position);
  }

  moved(orgId: string, head: FeedHead): void {
    this.last.set(orgId, head);
  }

  clear(): void {
    this.last.clear();
  }
}

async function headBelow(readStore: ReadStore, orgId: string, position: Position): Promise<FeedHead> {
  const {
    rows: [row],
  } = await feedRows.query(readStore, {
    scope: [orgId],
    where: [{ index: 'position', lt: position }],
    orderBy: { index: 'position', direction: 'desc' },
    limit: 1,
  });
  if (row) return { position: row.key, isCut: false };
  const at = await positionOfCut(readStore, orgId);
  return { position: at < position ? at : feedStart, isCut: true };
}

/** The place that an organization's feed was cut at; the start when it never was. */
export async function positionOfCut(readStore: ReadStore, orgId: string): Promise<Position> {
  const cut = await readStore.get(cutCollection, [orgId], onlyRow);
  return typeof cut?.doc.position === 'string' ? cut.doc.position : feedStart;
}
