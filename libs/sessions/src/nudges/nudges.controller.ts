import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, RulesBody, Who } from '@aos/platform';
import { NudgeDto } from './nudges.dto.js';
import { CancelNudge, GetNudge, ListNudges, NudgeSession, type NudgeFilter } from './nudges.handlers.js';

@Controller()
export class NudgesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('/v1/sessions/:session_id/nudges')
  @HttpCode(202)
  nudge(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @RulesBody(NudgeDto) body: NudgeDto,
  ): Promise<JsonObject> {
    return this.commands.execute(new NudgeSession(who, sessionId, body));
  }

  @Get('/v1/sessions/:session_id/nudges')
  list(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @ContractQuery() filter: NudgeFilter,
  ): Promise<JsonObject> {
    return this.queries.execute(new ListNudges(who, sessionId, filter));
  }

  @Get('/v1/sessions/:session_id/nudges/:nudge_id')
  get(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @Param('nudge_id') nudgeId: string,
  ): Promise<JsonObject> {
    return this.queries.execute(new GetNudge(who, sessionId, nudgeId));
  }

  @Post('/v1/sessions/:session_id/nudges/:nudge_id/cancel')
  @HttpCode(200)
  cancel(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @Param('nudge_id') nudgeId: string,
  ): Promise<JsonObject> {
    return this.commands.execute(new CancelNudge(who, sessionId, nudgeId));
  }
}
