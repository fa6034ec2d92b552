import { canonicalJson, type Clock, type Position } from '@aos/kernel';
import { Coalesced } from './coalesced.js';
import type { EventFeed } from './event-feed.js';
import type { FeedRow } from './feed.projection.js';

const recentMax = 256;
const recentTextMax = 4 * 1024 * 1024;
/** Rows of one read: each may be half a MiB (rule L18). */
const pageRows = 32;
/** A notification may come before its row: looked at again after so long. Ours. */
const earlyNoticeMs = 50;
const earlyNoticesMax = 40;

/** A row with its envelope as canonical JSON, encoded once for all viewers. */
export interface FollowedRow {
  row: FeedRow;
  text: string;
}

export interface OrgFeedParts {
  orgId: string;
  feed: EventFeed;
  clock: Clock;
  onTrouble: (error: unknown) => void;
}

/**
 * One organization's feed, followed from its rows while it has viewers: the newest rows stay here, so that viewers at
 * the end share one read.
 *
 * Every row is checked against its previous place: after a gap nothing is given until the rows are whole again.
 */
export class OrgFeed {
  private recent: FollowedRow[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly following: Coalesced;
  private notifiedTo: Position = '';
  private earlyNotices = 0;
  private retry: { cancel(): void } | null = null;
  private closed = false;

  /** `head` is where it begins: a place of the organization. */
  constructor(
    private readonly parts: OrgFeedParts,
    private head: Position,
  ) {
    this.following = new Coalesced(() => this.follow(), parts.onTrouble);
  }

  /** Called when there may be more. */
  onMore(listener: () => void): { close(): void } {
    const own = () => {
      listener();
    };
    this.listeners.add(own);
    return {
      close: () => {
        this.listeners.delete(own);
      },
    };
  }

  notify(position: Position): void {
    if (position > this.notifiedTo) {
      this.notifiedTo = position;
      this.earlyNotices = 0;
    }
    if (position > this.head) this.look();
  }

  /** Looks for rows after the last one, and lets all viewers look too. */
  look(): void {
    if (!this.closed) this.following.ask();
  }

  close(): void {
    this.closed = true;
    this.retry?.cancel();
    this.listeners.clear();
  }

  /** The rows right after a place, in order and without a gap; empty at the end, and while rows are missing. */
  async after(position: Position): Promise<FollowedRow[]> {
    if (position >= this.head) return [];
    const at = this.recent.findIndex(({ row }) => row.previous === position);
    if (at >= 0) return this.recent.slice(at, at + pageRows);
    return unbroken(await this.parts.feed.after(this.parts.orgId, position, pageRows), position).map(followed);
  }

  private async follow(): Promise<void> {
    for (let isMore = true; isMore && !this.closed;) {
      const found = await this.parts.feed.after(this.parts.orgId, this.head, pageRows);
      const rows = unbroken(found, this.head);
      this.head = rows.at(-1)?.position ?? this.head;
      this.keep(rows);
      isMore = rows.length === pageRows;
      for (const listener of this.listeners) listener();
    }
    if (this.notifiedTo > this.head && this.earlyNotices < earlyNoticesMax) this.lookSoon();
  }

  private keep(rows: readonly FeedRow[]): void {
    this.recent = [...this.recent, ...rows.map(followed)].slice(-recentMax);
    let length = this.recent.reduce((sum, { text }) => sum + text.length, 0);
    while (length > recentTextMax) length -= this.recent.shift()?.text.length ?? length;
  }

  private lookSoon(): void {
    this.earlyNotices += 1;
    this.retry?.cancel();
    this.retry = this.parts.clock.after(earlyNoticeMs, () => {
      this.look();
    });
  }
}

function followed(row: FeedRow): FollowedRow {
  return { row, text: canonicalJson(row.envelope) };
}

/** The rows as long as each follows the one before it. */
export function unbroken(rows: readonly FeedRow[], position: Position): FeedRow[] {
  let last = position;
  const good: FeedRow[] = [];
  for (const row of rows) {
    if (row.previous !== last) break;
    good.push(row);
    last = row.position;
  }
  return good;
}
