import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, RulesBody, Who } from '@aos/platform';
import { CreateSessionDto, UpdateSessionDto } from './lifecycle.dto.js';
import { CancelSession, ChangeSessionSettings, CreateSession, DeleteSession } from './lifecycle.handlers.js';
import type { SessionFilter } from './session-list.js';
import { SessionQueries } from './sessions.queries.js';

@Controller()
export class SessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly sessions: SessionQueries,
  ) {}

  @Post('/v1/sessions')
  @HttpCode(200)
  create(@Who() who: Identity, @RulesBody(CreateSessionDto) body: CreateSessionDto): Promise<Reply<'createSession'>> {
    return this.commands.execute(new CreateSession(who, { body }));
  }

  @Get('/v1/sessions')
  list(@Who() who: Identity, @ContractQuery() filter: SessionFilter): Promise<Reply<'listSessions'>> {
    return this.sessions.list(who, filter);
  }

  @Get('/v1/sessions/:session_id')
  get(@Who() who: Identity, @Param('session_id') sessionId: string): Promise<Reply<'getSession'>> {
    return this.sessions.get(who, sessionId);
  }

  @Patch('/v1/sessions/:session_id')
  update(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @RulesBody(UpdateSessionDto) body: UpdateSessionDto,
  ): Promise<Reply<'updateSession'>> {
    return this.commands.execute(new ChangeSessionSettings(who, { session_id: sessionId, body }));
  }

  @Delete('/v1/sessions/:session_id')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('session_id') sessionId: string): Promise<void> {
    return this.commands.execute(new DeleteSession(who, { session_id: sessionId }));
  }

  @Post('/v1/sessions/:session_id/cancel')
  @HttpCode(200)
  cancel(@Who() who: Identity, @Param('session_id') sessionId: string): Promise<Reply<'cancelSession'>> {
    return this.commands.execute(new CancelSession(who, { session_id: sessionId }));
  }
}
