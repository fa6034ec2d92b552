import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, RulesBody, Who, wantsStream } from '@aos/platform';
import { InlineStreams } from './inline-streams.js';
import { InvokeDto, StartTurnDto } from './turns.dto.js';
import { CancelTurn, InvokeAgent, StartSessionTurn } from './turns.handlers.js';
import { TurnQueries, type TurnFilter, type TurnsFilter } from './turns.queries.js';

/**
 * Starting turns, reading them, cancelling them. With `Accept: text/event-stream` a start answers with the session's
 * stream (rule T26).
 */
@Controller()
export class TurnsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly turns: TurnQueries,
    private readonly streams: InlineStreams,
  ) {}

  @Post('/v1/agents/invoke')
  @HttpCode(202)
  async invoke(
    @Who() who: Identity,
    @RulesBody(InvokeDto) body: InvokeDto,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer(who, new InvokeAgent(who, { body, isFollowed: isFollowed(request) }), request, reply);
  }

  @Post('/v1/sessions/:session_id/turns')
  @HttpCode(202)
  async start(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @RulesBody(StartTurnDto) body: StartTurnDto,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const command = new StartSessionTurn(who, { session_id: sessionId, body, isFollowed: isFollowed(request) });
    await this.answer(who, command, request, reply);
  }

  @Get('/v1/sessions/:session_id/turns')
  list(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @ContractQuery() filter: TurnFilter,
  ): Promise<Reply<'listSessionTurns'>> {
    return this.turns.list(who, sessionId, filter);
  }

  @Get('/v1/turns')
  listAll(@Who() who: Identity, @ContractQuery() filter: TurnsFilter): Promise<Reply<'listTurns'>> {
    return this.turns.listAll(who, filter);
  }

  @Get('/v1/sessions/:session_id/turns/:turn_id')
  get(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @Param('turn_id') turnId: string,
  ): Promise<Reply<'getSessionTurn'>> {
    return this.turns.get(who, sessionId, turnId);
  }

  @Post('/v1/sessions/:session_id/turns/:turn_id/cancel')
  @HttpCode(200)
  cancel(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @Param('turn_id') turnId: string,
  ): Promise<Reply<'cancelTurn'>> {
    return this.commands.execute(new CancelTurn(who, { session_id: sessionId, turn_id: turnId }));
  }

  /** A stream that cannot open is refused before the turn is started. */
  private async answer(
    who: Identity,
    command: InvokeAgent | StartSessionTurn,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (!isFollowed(request)) {
      const start = await this.commands.execute(command);
      await reply.code(202).send(await start.acknowledge());
      return;
    }
    const slot = this.streams.reserve(request);
    try {
      const { sessionId, turnId, deduped } = await this.commands.execute(command);
      await this.streams.open({ who, sessionId, turnId, isNew: !deduped, request, reply, slot });
    } finally {
      slot.leave();
    }
  }
}

/** Whether the answer is the session's stream. */
function isFollowed(request: FastifyRequest): boolean {
  return wantsStream(request.headers.accept);
}
