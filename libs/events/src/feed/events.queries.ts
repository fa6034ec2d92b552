import { Injectable } from '@nestjs/common';
import {
  ReadStore,
  badRequest,
  isAsked,
  rfc3339,
  type Condition,
  type Identity,
  type JsonObject,
  type Position,
} from '@aos/kernel';
import { pageLimitDefault, visiblePage } from '@aos/platform';
import { EventFeed, type Order } from './event-feed.js';
import { feedRows, feedStart, found, type FeedRow } from './feed.projection.js';
import { Reaches } from './reach.js';

/** What of the feed is asked for; the same for list and stream. */
export interface EventFilter {
  event_type?: string[];
  source_kind?: string;
  source_id?: string;
}

export interface EventPage extends EventFilter {
  since?: string;
  order?: Order;
  limit?: number;
  cursor?: string;
}

@Injectable()
export class SourceEventQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly feed: EventFeed,
    private readonly reaches: Reaches,
  ) {}

  /** A page of the feed (rules E1, E4, E7). Rows come oldest first, whichever end the page is taken from. */
  async list(who: Identity, page: EventPage): Promise<JsonObject> {
    await this.feed.requireWhole();
    const { orgId } = who;
    const order = page.order ?? 'asc';
    const from = page.cursor === undefined ? null : await this.feed.positionOf(orgId, page.cursor, order);
    const head = await this.feed.head(orgId); // before the rows are read: what lies up to it is among them
    const reach = this.reaches.of(who);
    const { items, next } = await visiblePage(
      this.readStore,
      {
        collection: feedRows,
        scope: [orgId],
        where: conditions(page),
        orderBy: { index: 'position', direction: order, everyRow: true },
      },
      {
        limit: page.limit ?? pageLimitDefault,
        after: from === null ? null : { value: from, key: from },
        large: true,
        hidesRest: true,
      },
      async ({ doc }) => (matches(doc, page) && (await reach.includes(doc.reach)) ? doc : null),
    );
    const last = next ? String(next.value) : this.end(order, items, from, head);
    if (order === 'desc') items.reverse();
    return {
      items: items.map(({ envelope }) => envelope),
      has_more: next !== null,
      next_cursor: this.feed.cursor(orgId, last, order),
    };
  }

  /** Where to go on after the last page: what was looked through need not be looked through again. */
  private end(order: Order, items: readonly FeedRow[], from: Position | null, head: Position): Position {
    if (order === 'desc') return feedStart;
    const positions = [items.at(-1)?.position ?? feedStart, from ?? feedStart, head];
    return positions.reduce((a, b) => (a > b ? a : b));
  }
}

/** What the indexes of rows can answer of it; `matches` says the rest. */
export function conditions({ event_type, source_kind, source_id, since }: EventPage): Condition[] {
  const [type] = event_type ?? [];
  const where: Condition[] = [];
  if (type !== undefined && event_type?.length === 1) where.push(found.byType(type));
  if (source_kind !== undefined) where.push(found.byKind(source_kind));
  if (source_id !== undefined) where.push(found.bySource(source_id));
  if (since !== undefined) {
    const at = Date.parse(since);
    if (Number.isNaN(at)) throw badRequest([{ path: 'query.since', message: 'must be a time' }]);
    where.push({ index: 'at', gte: rfc3339(at) });
  }
  return where;
}

/** Whether a row is asked for. */
export function matches({ envelope }: FeedRow, { event_type, source_kind, source_id }: EventFilter): boolean {
  return (
    isAsked(envelope.event_type, event_type ?? []) &&
    (source_kind === undefined || envelope.source_kind === source_kind) &&
    (source_id === undefined || envelope.source_id === source_id)
  );
}
