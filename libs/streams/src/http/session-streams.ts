import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock, Refusal, badRequest, notFound, type Identity, listAt } from '@aos/kernel';
import {
  Decisions,
  SseStreams,
  closingFrameHeaders,
  type SseConnection,
  type SseHandlers,
  type StreamEnd,
} from '@aos/platform';
import {
  InlineStreams,
  SessionCursors,
  SessionDirectory,
  TurnReader,
  parseSessionPart,
  sessionKind,
  type InlineStream,
} from '@aos/sessions/published';
import { encodeFrame, frame, type EncodedFrame } from '../frames/encoded.frames.js';
import { endFrame } from '../frames/v2.frames.js';
import { turnFrame } from '../frames/v1.frames.js';
import type { SessionFeed } from '../feed/session-feed.js';
import { SessionFeeds, type Watcher, type WatchOptions } from '../feed/session-feeds.js';
import { snapshotRowsDefault } from '../feed/stream.limits.js';
import { SnapshotPages } from '../transcript/snapshot-pages.js';
import { revisionOfSequence } from '../transcript/position.js';

interface Connecting {
  who: Identity;
  sessionId: string;
  request: FastifyRequest;
  reply: FastifyReply;
}

type Following = Pick<WatchOptions, 'protocol' | 'after' | 'bootstrap' | 'untilFinal'>;

/** Opens session streams: finds the reader's place, then hands the connection to the session's feed. */
@Injectable()
export class SessionStreams extends InlineStreams {
  constructor(
    private readonly feeds: SessionFeeds,
    private readonly directory: SessionDirectory,
    private readonly decisions: Decisions,
    private readonly turns: TurnReader,
    private readonly cursors: SessionCursors,
    private readonly pages: SnapshotPages,
    private readonly streams: SseStreams,
    private readonly clock: Clock,
  ) {
    super();
  }

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
      this.follow(connecting, feed, { protocol: 'v1', after });
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
        this.follow(connecting, feed, { protocol: 'v2', after: known });
        return;
      }
      const { from } = await this.pages.back(sessionId, feed.head, feed.head, snapshotRowsDefault);
      const after = from - 1;
      this.follow(connecting, feed, {
        protocol: 'v2',
        after,
        bootstrap: this.bootstrap(feed, after, await this.openInteractions(who, sessionId)),
      });
    });
  }

  /** The v1 stream of a turn that was just started or matched, until the turn is final (rules T26, T27). */
  override async open({ who, sessionId, turnId, request, reply }: InlineStream): Promise<void> {
    const ordinal = parseSessionPart(turnId, 'turn')?.ordinal ?? -1;
    await this.feeds.use(sessionId, async (feed) => {
      const { state } = await this.decisions.load(sessionKind, sessionId);
      const queuedAt = listAt(state.queuedAt, ordinal);
      if (queuedAt === undefined) throw notFound('turn');
      const turn = await this.turns.turn(sessionId, state, ordinal);
      // else it is what joins history and live
      const bootstrap = feed.head > queuedAt ? [encodeFrame(turnFrame(turn))] : [];
      this.follow(
        { who, sessionId, request, reply },
        feed,
        { protocol: 'v1', after: queuedAt, untilFinal: turnId, bootstrap },
        { 'x-svc-session-id': sessionId, 'x-svc-turn-id': turnId },
      );
    });
  }

  private follow(
    connecting: Connecting,
    feed: SessionFeed,
    following: Following,
    headers: Record<string, string> = {},
  ): void {
    const { who, sessionId, request, reply } = connecting;
    const reader = new Reader(this.feeds, sessionId, following.protocol);
    const connection = this.streams.start(request, reply, reader, {
      ...headers,
      ...closingFrameHeaders(request, reader.closingFrame()),
    });
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

  /** What is open but lies before the tail: told first, at the position right before it. */
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
    return [...state.interactions.values()];
  }
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
