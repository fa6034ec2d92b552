import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock, badRequest, type Identity } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { SessionCursors, SessionDirectory } from '@aos/sessions/published';
import { encodeFrame, frame, type EncodedFrame } from '../frames/encoded.frames.js';
import { turnFrame } from '../frames/v1.frames.js';
import type { SessionFeed } from '../feed/session-feed.js';
import { SessionFeeds } from '../feed/session-feeds.js';
import { snapshotRowsDefault } from '../feed/stream.limits.js';
import { SnapshotPages } from '../transcript/snapshot-pages.js';
import { revisionOfSequence } from '../transcript/position.js';
import { SessionFollowers, type Connecting } from './session-followers.js';

/** Opens session streams: finds the reader's place, then hands the connection to the session's feed. */
@Injectable()
export class SessionStreams {
  constructor(
    private readonly feeds: SessionFeeds,
    private readonly directory: SessionDirectory,
    private readonly decisions: Decisions,
    private readonly cursors: SessionCursors,
    private readonly pages: SnapshotPages,
    private readonly followers: SessionFollowers,
    private readonly clock: Clock,
  ) {}

  /**
   * The v1 stream from a position (rules F3, F4, F5, F6).
   *
   * Refuses  not_found; bad_request for a position that is no number; rate_limit_exceeded beyond the stream caps.
   */
  async openV1(connecting: Connecting, afterSequence: number | undefined): Promise<void> {
    const { who, sessionId } = connecting;
    const sequence = Math.max(afterSequence ?? 0, headerSequence(connecting.request));
    const { state, revision } = await this.directory.visible(who, sessionId, this.clock.now());
    const after = await revisionOfSequence(this.decisions, sessionId, state, revision, sequence);
    await this.feeds.use(sessionId, (feed) => {
      this.followers.follow(connecting, feed, { protocol: 'v1', after });
    });
  }

  /** The v2 stream; the query's cursor wins over the header's (rules F13, F14). */
  async openV2(connecting: Connecting, cursor: string | undefined): Promise<void> {
    const { who, sessionId } = connecting;
    await this.directory.visible(who, sessionId, this.clock.now());
    const position = cursor ?? headerText(connecting.request);
    const known = position === undefined ? null : this.cursors.open(who.orgId, sessionId, position);
    await this.feeds.use(sessionId, async (feed) => {
      if (known !== null) {
        this.followers.follow(connecting, feed, { protocol: 'v2', after: known });
        return;
      }
      const { from } = await this.pages.back(sessionId, feed.head, feed.head, snapshotRowsDefault);
      const after = from - 1;
      this.followers.follow(connecting, feed, {
        protocol: 'v2',
        after,
        bootstrap: this.bootstrap(feed, after, await this.openInteractions(who, sessionId)),
      });
    });
  }

  /** What is open but lies before the tail: sent first, at the position right before it. */
  private bootstrap(feed: SessionFeed, after: number, interactions: Parameters<typeof frame>[1][]): EncodedFrame[] {
    const { orgId, sessionId } = feed.names;
    const id = this.cursors.seal(orgId, sessionId, after);
    return [
      ...feed.openTurns().map((turn) => encodeFrame(turnFrame(turn), id)),
      ...interactions.map((interaction) => encodeFrame(frame('interaction.upsert', interaction), id)),
    ];
  }

  private async openInteractions(who: Identity, sessionId: string): Promise<Parameters<typeof frame>[1][]> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    return this.decisions.whole(who.orgId, [...state.interactions.values()]);
  }
}

function headerText(request: FastifyRequest): string | undefined {
  const value = request.headers['last-event-id'];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The header's position; 0 without one (rule F4). */
function headerSequence(request: FastifyRequest): number {
  const text = headerText(request);
  if (text === undefined) return 0;
  if (!/^\d{1,15}$/.test(text)) throw badRequest([{ path: 'header.Last-Event-ID', message: 'must be a sequence' }]);
  return Number(text);
}
