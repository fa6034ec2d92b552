import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { messageOf, type Identity, type Position } from '@aos/kernel';
import { EncodedJson, SseStreams, encodeFrame, closingFrameHeaders, type SseConnection } from '@aos/platform';
import { Coalesced } from './coalesced.js';
import { EventFeed } from './event-feed.js';
import { matches, type EventFilter } from './events.queries.js';
import type { FeedRow } from './feed.projection.js';
import type { OrgFeed } from './org-feed.js';
import { OrgFeeds } from './org-feeds.js';
import { Reaches } from './reach.js';

export interface EventStreamQuery extends EventFilter {
  cursor?: string;
  from?: 'latest' | 'earliest';
}

/** What a stream is written to: an SSE connection. */
export type EventSink = Pick<SseConnection, 'isOpen' | 'isReady' | 'write' | 'drained' | 'destroy'>;

const rotated = encodeFrame({ event: 'stream.end', data: { event_type: 'stream.end', reason: 'rotate' } });

/** Streams of an organization's events (rules E1, E4, E7, E18). */
@Injectable()
export class EventStreams {
  private readonly log = new Logger('event streams');

  constructor(
    private readonly feed: EventFeed,
    private readonly feeds: OrgFeeds,
    private readonly reaches: Reaches,
    private readonly streams: SseStreams,
  ) {}

  /**
   * Takes the reply over and follows the feed from the asked place until either side ends it.
   *
   * Refuses  invalid_cursor, cursor_expired; rate_limit_exceeded beyond the stream caps; StoreUnavailable.
   */
  async open(who: Identity, query: EventStreamQuery, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.feed.requireWhole();
    const { feed, release } = await this.feeds.watch(who.orgId);
    let connection: SseConnection;
    try {
      const position = await this.beginning(who.orgId, query, request);
      connection = this.streams.start(
        request,
        reply,
        {
          closed: release,
          ending: (reason, ended) => {
            if (reason !== 'revoked') ended.write(rotated);
          },
        },
        closingFrameHeaders(request, rotated),
      );
      this.follow(who, query, feed, position, connection);
    } catch (error) {
      release();
      throw error;
    }
    if (!connection.isOpen) release();
  }

  /** Writes what matches from a place on; a reader that is slow is waited for, and reads on from the rows. */
  follow(who: Identity, filter: EventFilter, feed: OrgFeed, from: Position, sink: EventSink): void {
    const judge = () => {
      const reach = this.reaches.of(who);
      return (row: FeedRow) => (matches(row, filter) ? reach.includes(row.reach) : Promise.resolve(false));
    };
    new EventViewer(from, feed, sink, {
      judge,
      cursor: (position) => this.feed.cursor(who.orgId, position),
      onTrouble: (error) => {
        this.log.warn(messageOf(error));
      },
    }).start();
  }

  private async beginning(
    orgId: string,
    { cursor, from }: EventStreamQuery,
    request: FastifyRequest,
  ): Promise<Position> {
    const header = request.headers['last-event-id'];
    const cursorText = cursor ?? (typeof header === 'string' && header.trim() !== '' ? header.trim() : undefined);
    if (cursorText !== undefined) return this.feed.positionOf(orgId, cursorText);
    return from === 'earliest' ? this.feed.begin(orgId) : this.feed.head(orgId);
  }
}

interface ViewerParts {
  /** Gives who may read what, for one page of rows. */
  judge: () => (row: FeedRow) => Promise<boolean>;
  cursor: (position: Position) => string;
  onTrouble: (error: unknown) => void;
}

/** One reader of an organization's feed. */
class EventViewer {
  private readonly writing: Coalesced;

  constructor(
    private position: Position,
    private readonly feed: OrgFeed,
    private readonly sink: EventSink,
    private readonly parts: ViewerParts,
  ) {
    this.writing = new Coalesced(
      () => this.write(),
      (error) => {
        parts.onTrouble(error);
        sink.destroy(); // the reader comes back at its last place
      },
    );
  }

  start(): void {
    const more = this.feed.onMore(() => {
      if (this.sink.isOpen) this.writing.ask();
      else more.close();
    });
    this.writing.ask();
    this.feed.look();
  }

  private async write(): Promise<void> {
    while (this.sink.isOpen) {
      const rows = await this.feed.after(this.position);
      if (rows.length === 0) return;
      const isPublished = this.parts.judge();
      for (const { row, text } of rows) {
        if (!this.sink.isReady) await this.sink.drained();
        if (!this.sink.isOpen) return;
        if (await isPublished(row))
          this.sink.write(
            encodeFrame({
              id: this.parts.cursor(row.position),
              event: row.envelope.event_type,
              data: new EncodedJson(text),
            }),
          );
        this.position = row.position;
      }
    }
  }
}
