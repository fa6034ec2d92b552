import { Injectable } from '@nestjs/common';
import { ReadStore, Refusal, StoreUnavailable, type Position } from '@aos/kernel';
import { CursorSeal, type CursorScope } from '@aos/platform';
import { buildCollection, everywhere, feedCollection, feedRows, onlyRow, type FeedRow } from './feed.projection.js';
import { positionOfCut } from './feed-rows.js';

/** Reads of the feed's rows. */
@Injectable()
export class EventFeed {
  constructor(
    private readonly readStore: ReadStore,
    private readonly seal: CursorSeal,
  ) {}

  /** Refuses `StoreUnavailable` while the feed is being built, for the first time or after a loss. */
  async requireWhole(): Promise<void> {
    const build = await this.readStore.get(buildCollection, everywhere, onlyRow);
    if (build?.doc.whole !== true) throw new StoreUnavailable('the feed is being built');
  }

  /** The rows are waited for until the given function is called: each is written as soon as its event is recorded. */
  hold(): () => void {
    return this.readStore.demand(feedCollection).hold();
  }

  /** The rows after a place, in order. */
  async after(orgId: string, position: Position, limit: number): Promise<FeedRow[]> {
    const { rows } = await feedRows.query(this.readStore, {
      scope: [orgId],
      where: [{ index: 'position', gt: position }],
      orderBy: { index: 'position', direction: 'asc' },
      limit,
    });
    return rows.map(({ doc }) => doc);
  }

  /** The last place of an organization's feed: of its newest row, else the place of the cut. */
  async head(orgId: string): Promise<Position> {
    const {
      rows: [row],
    } = await feedRows.query(this.readStore, {
      scope: [orgId],
      orderBy: { index: 'position', direction: 'desc' },
      limit: 1,
    });
    return row?.key ?? positionOfCut(this.readStore, orgId);
  }

  /** The place before the oldest row. */
  begin(orgId: string): Promise<Position> {
    return positionOfCut(this.readStore, orgId);
  }

  /** A place as text for clients: the same in lists and streams, whatever their filters. */
  cursor(orgId: string, position: Position, order: Order = 'asc'): string {
    return this.seal.seal(position, scopeOf(orgId, order));
  }

  /** Refuses `invalid_cursor` for text that is none, `cursor_expired` for a place that the feed no longer reaches. */
  async positionOf(orgId: string, cursor: string, order: Order = 'asc'): Promise<Position> {
    const position = this.seal.open(cursor, scopeOf(orgId, order));
    if (order === 'asc' && position < (await this.begin(orgId)))
      throw new Refusal('cursor_expired', {}, 'the feed no longer reaches back so far');
    return position;
  }
}

export type Order = 'asc' | 'desc';

function scopeOf(orgId: string, order: Order): CursorScope {
  return { orgId, list: order === 'asc' ? 'events' : 'events/desc' };
}
