import type { Position, ReadRow, ReadStore } from '@aos/kernel';
import type { SourceEvent } from '../publishing/envelope.wire.js';
import { feedRow, organizationRow, typeRow } from './feed.projection.js';
import { FeedHeads, type FeedHead } from './feed-heads.js';
import type { FeedRetention } from './feed-retention.js';

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
