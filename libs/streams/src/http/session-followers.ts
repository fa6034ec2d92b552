import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock, Refusal, type Identity } from '@aos/kernel';
import {
  SseStreams,
  closingFrameHeaders,
  type SseConnection,
  type SseHandlers,
  type StreamEnd,
  type ReservedSlot,
} from '@aos/platform';
import { SessionDirectory } from '@aos/sessions/published';
import { encodeFrame } from '../frames/encoded.frames.js';
import { endFrame } from '../frames/v2.frames.js';
import type { SessionFeed } from '../feed/session-feed.js';
import { SessionFeeds, type Watcher, type WatchOptions } from '../feed/session-feeds.js';

/** A connection that is to become a stream. */
export interface Connecting {
  who: Identity;
  sessionId: string;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Its slot, if that was reserved. */
  slot?: ReservedSlot;
}

export type Following = Pick<WatchOptions, 'protocol' | 'after' | 'bootstrap' | 'untilFinal'>;

/** Hands a connection to its session's feed, for as long as its caller may read the session. */
@Injectable()
export class SessionFollowers {
  constructor(
    private readonly feeds: SessionFeeds,
    private readonly directory: SessionDirectory,
    private readonly streams: SseStreams,
    private readonly clock: Clock,
  ) {}

  /** Only inside `SessionFeeds.use`. */
  follow(connecting: Connecting, feed: SessionFeed, following: Following, headers: Record<string, string> = {}): void {
    const { who, sessionId, request, reply, slot } = connecting;
    const reader = new Reader(this.feeds, sessionId, following.protocol);
    const allHeaders = { ...headers, ...closingFrameHeaders(request, reader.closingFrame()) };
    const connection = this.streams.start(request, reply, reader, allHeaders, slot);
    reader.watcher = this.feeds.view(feed, { ...following, sink: connection, who, mayRead: this.mayRead });
    if (!connection.isOpen) reader.closed();
  }

  /** One for all readers. */
  private readonly mayRead = async (who: Identity, sessionId: string): Promise<boolean> => {
    try {
      await this.directory.visible(who, sessionId, this.clock.now());
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  };
}

/** What a connection keeps while it follows its session: nothing of how it was opened. */
class Reader implements SseHandlers {
  watcher: Watcher | null = null;

  constructor(
    private readonly feeds: SessionFeeds,
    private readonly sessionId: string,
    private readonly protocol: 'v1' | 'v2',
  ) {}

  closed(): void {
    if (this.watcher) this.feeds.leave(this.watcher);
  }

  ending(reason: StreamEnd, connection: SseConnection): void {
    const last = this.closingFrame();
    if (last !== '' && reason !== 'revoked') connection.write(last);
  }

  /** The last frame when our side ends it; v1 just ends (rule F10). */
  closingFrame(): Buffer | '' {
    return this.protocol === 'v2' ? encodeFrame(endFrame(this.sessionId, 'rotate')).bytes : '';
  }
}
