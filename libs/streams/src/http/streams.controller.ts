import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, JsonText, Who } from '@aos/platform';
import { TranscriptQueries, TurnLiveQueries, type SnapshotRange } from '../transcript/transcript.queries.js';
import { SessionStreams } from './session-streams.js';

/** Session streams of both protocols and their snapshots. */
@Controller()
export class StreamsController {
  constructor(
    private readonly transcripts: TranscriptQueries,
    private readonly turns: TurnLiveQueries,
    private readonly streams: SessionStreams,
  ) {}

  @Get('/v1/sessions/:session_id/transcript')
  @JsonText()
  transcript(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @ContractQuery() range: SnapshotRange,
  ): Promise<string> {
    return this.transcripts.get(who, sessionId, range);
  }

  @Get('/v1/sessions/:session_id/transcript/stream')
  async streamV2(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @ContractQuery('cursor') cursor: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.streams.openV2({ who, sessionId, request, reply }, cursor);
  }

  @Get('/v1/sessions/:session_id/stream')
  async streamV1(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @ContractQuery('after_sequence') afterSequence: number | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.streams.openV1({ who, sessionId, request, reply }, afterSequence);
  }

  @Get('/v1/sessions/:session_id/turns/:turn_id/live')
  live(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @Param('turn_id') turnId: string,
  ): Promise<Reply<'getSessionTurnLive'>> {
    return this.turns.get(who, sessionId, turnId);
  }
}
