import { GenerationalCache, type Position, type ReadRow, type ReadStore } from '@aos/kernel';
import type { SourceEvent } from '../publishing/envelope.wire.js';
import { cutCollection, feedRow, feedRows, feedStart, onlyRow, organizationRow, typeRow } from './feed.projection.js';
import type { FeedRetention } from './feed-retention.js';

const headsMax = 10_000;

/** What the feed's rows are, event after event; the rows before are read where they were put. */
export class FeedRows {
  private readonly heads: FeedHeads;

  constructor(
    readStore: ReadStore,
    private readonly retention: FeedRetention,
  ) {
    this.heads = new FeedHeads(readStore);
  }

  /**
   * Every row names the greatest place below its own, which a repeat finds again. What is too old when nothing is kept
   * before it is only remembered as the place of the cut.
   */
  async of(published: readonly SourceEvent[]): Promise<{ rows: ReadRow[]; heads: Map<string, FeedHead> }> {
    const rows: ReadRow[] = [];
    const heads = new Map<string, FeedHead>();
    const cuts = new Map<string, SourceEvent>();
    const { keptFrom } = this.retention;
    for (const event of published) {
      const { orgId, position } = event;
      const known = heads.get(orgId);
      const before = known ?? (await this.heads.below(orgId, position));
      const isCut = before.isCut && event.receivedAt < keptFrom;
      if (isCut) cuts.set(orgId, event);
      else rows.push(feedRow(event, before.position));
      if (!known) rows.push(organizationRow(orgId));
      rows.push(...typeRow(event));
      heads.set(orgId, { position, isCut });
    }
    for (const [orgId, { position, receivedAt }] of cuts)
      rows.push(await this.retention.cutAt(orgId, position, receivedAt));
    return { rows, heads };
  }

  /** The rows are where they belong: an organization's last place is known from now on. Gives each place that moved. */
  moved(heads: ReadonlyMap<string, FeedHead>): [string, Position][] {
    for (const [orgId, head] of heads) this.heads.moved(orgId, head);
    return [...heads].map(([orgId, { position }]) => [orgId, position]);
  }

  /** What was put may be gone, or be another's: the last places are read again. */
  forget(): void {
    this.heads.clear();
  }
}

/** The last place of an organization's feed. */
interface FeedHead {
  position: Position;
  /** No row stands at it: the feed begins after it. */
  isCut: boolean;
}

/** The last place of each organization's feed, as the projector knows it. */
class FeedHeads {
  private readonly last = new GenerationalCache<FeedHead>(headsMax);

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
