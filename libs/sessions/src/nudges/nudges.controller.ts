import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, RulesBody, Who } from '@aos/platform';
import { NudgeDto } from './nudges.dto.js';
import { CancelNudge, NudgeSession } from './nudges.handlers.js';
import { NudgeQueries, type NudgeFilter } from './nudges.queries.js';

@Controller()
export class NudgesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly nudges: NudgeQueries,
  ) {}

  @Post('/v1/sessions/:session_id/nudges')
  @HttpCode(202)
  nudge(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @RulesBody(NudgeDto) body: NudgeDto,
  ): Promise<Reply<'nudgeSession'>> {
    return this.commands.execute(new NudgeSession(who, { session_id: sessionId, body }));
  }

  @Get('/v1/sessions/:session_id/nudges')
  list(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @ContractQuery() filter: NudgeFilter,
  ): Promise<Reply<'listSessionNudges'>> {
    return this.nudges.list(who, sessionId, filter);
  }

  @Get('/v1/sessions/:session_id/nudges/:nudge_id')
  get(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @Param('nudge_id') nudgeId: string,
  ): Promise<Reply<'getSessionNudge'>> {
    return this.nudges.get(who, sessionId, nudgeId);
  }

  @Post('/v1/sessions/:session_id/nudges/:nudge_id/cancel')
  @HttpCode(200)
  cancel(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @Param('nudge_id') nudgeId: string,
  ): Promise<Reply<'cancelNudge'>> {
    return this.commands.execute(new CancelNudge(who, { session_id: sessionId, nudge_id: nudgeId }));
  }
}
