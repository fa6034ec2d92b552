import { Injectable } from '@nestjs/common';
import { ReadStore, isAsked, type Condition, type Identity, type Position } from '@aos/kernel';
import { systemPrincipalId } from '@aos/access/published';
import { EventFeed } from '../feed/event-feed.js';
import { feedRows, feedStart, type FeedRow } from '../feed/feed.projection.js';
import { unbroken } from '../feed/org-feed.js';
import { Reaches } from '../feed/reach.js';
import type { WebhookRecord } from '../webhook/webhook.events.js';

/** Rows of one read: each may be half a MiB (rule L18). */
const pageRows = 32;

/** Judges the rows of one page. */
export type Judge = (row: FeedRow) => Promise<boolean>;

/** What a hook reads of the feed, and what of it is for the hook. */
@Injectable()
export class HookReading {
  constructor(
    private readonly readStore: ReadStore,
    private readonly feed: EventFeed,
    private readonly reaches: Reaches,
  ) {}

  /**
   * Whether a row is for the hook: what it asks for, within reach of the organization's own principal without
   * administration, no matter who made the hook (rule TE120).
   */
  judge({ org_id: orgId, event_types: types, source_kinds: kinds }: WebhookRecord): Judge {
    const reach = this.reaches.of(ofOrganization(orgId));
    return async ({ envelope, reach: needed }) =>
      isAsked(envelope.event_type, types) &&
      (kinds === null || kinds.includes(envelope.source_kind)) &&
      (await reach.includes(needed));
  }

  /** The rows after a position, in order and without a gap; empty at the end, and while rows are missing. */
  async after(orgId: string, position: Position): Promise<FeedRow[]> {
    return unbroken(await this.feed.after(orgId, position, pageRows), position);
  }

  /** The row at a position; null when it left the feed. */
  async at(orgId: string, position: Position): Promise<FeedRow | null> {
    return (await feedRows.get(this.readStore, [orgId], position))?.doc ?? null;
  }

  /** Whether the feed no longer reaches back to what follows the position. */
  async hasLost(orgId: string, position: Position): Promise<boolean> {
    return position < (await this.feed.begin(orgId));
  }

  /** Rows that were received in a time, after a position and in order. */
  async between(
    orgId: string,
    { since, until, after }: { since: string; until: string; after: Position },
    limit = pageRows,
  ): Promise<FeedRow[]> {
    const where: Condition[] = [
      { index: 'at', gte: since },
      { index: 'at', lt: until },
      ...(after === feedStart ? [] : [{ index: 'position', gt: after }]),
    ];
    const { rows } = await feedRows.query(this.readStore, {
      scope: [orgId],
      where,
      orderBy: { index: 'position', direction: 'asc' },
      limit,
    });
    return rows.map(({ doc }) => doc);
  }

  /** Rows before a position, newest first; from the end without one. */
  async before(orgId: string, position: Position | null, limit: number): Promise<FeedRow[]> {
    const { rows } = await feedRows.query(this.readStore, {
      scope: [orgId],
      where: position === null ? [] : [{ index: 'position', lt: position }],
      orderBy: { index: 'position', direction: 'desc' },
      limit,
    });
    return rows.map(({ doc }) => doc);
  }
}

/** The id under which an event is sent, each time. */
export function eventIdOf({ envelope }: FeedRow): string {
  return String(envelope.meta.id);
}

/** The organization's own principal, which sees and administers nothing. */
function ofOrganization(orgId: string): Identity {
  return {
    orgId,
    principalId: systemPrincipalId(orgId),
    kind: 'system',
    apiKeyId: null,
    permissions: new Set(['svc.resource.view'] as const),
    roles: [],
    cap: null,
    requestId: `webhooks-${orgId}`,
    ip: null,
  };
}
