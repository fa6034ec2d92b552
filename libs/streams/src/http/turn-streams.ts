import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { listAt, notFound } from '@aos/kernel';
import { Decisions, SseStreams, type ReservedSlot } from '@aos/platform';
import { InlineStreams, TurnReader, parseSessionPart, sessionKind, type InlineStream } from '@aos/sessions/published';
import { encodeFrame } from '../frames/encoded.frames.js';
import { startedFrame, turnFrame } from '../frames/v1.frames.js';
import { SessionFeeds } from '../feed/session-feeds.js';
import { SessionFollowers } from './session-followers.js';

/** Streams that begin as the answer to a started turn. */
@Injectable()
export class TurnStreams extends InlineStreams {
  constructor(
    private readonly feeds: SessionFeeds,
    private readonly decisions: Decisions,
    private readonly turns: TurnReader,
    private readonly followers: SessionFollowers,
    private readonly streams: SseStreams,
  ) {
    super();
  }

  override reserve(request: FastifyRequest): ReservedSlot {
    return this.streams.reserve(request);
  }

  /** The v1 stream of a turn that was just started or matched, until the turn is final (rules T26, T27). */
  override async open({ who, sessionId, turnId, isNew, request, reply, slot }: InlineStream): Promise<void> {
    const ordinal = parseSessionPart(turnId, 'turn')?.ordinal ?? -1;
    await this.feeds.use(sessionId, async (feed) => {
      const { state } = await this.decisions.load(sessionKind, sessionId, feed.head);
      const queuedAt = listAt(state.queuedAt, ordinal);
      if (queuedAt === undefined) throw notFound('turn');
      const turn = await this.turns.turn(sessionId, state, ordinal);
      // else it is what joins history and live
      const bootstrap = feed.head > queuedAt ? [encodeFrame(turnFrame(turn))] : [];
      // its signal was behind the reader before there was one: the append of the admission claims the turn (rule TP11)
      if (isNew && turn.status === 'running') bootstrap.push(encodeFrame(startedFrame(turn)));
      this.followers.follow(
        { who, sessionId, request, reply, slot },
        feed,
        { protocol: 'v1', after: queuedAt, untilFinal: turnId, bootstrap },
        { 'x-svc-session-id': sessionId, 'x-svc-turn-id': turnId },
      );
    });
  }
}
