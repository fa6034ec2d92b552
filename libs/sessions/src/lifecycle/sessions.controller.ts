import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, RulesBody, Who, warn } from '@aos/platform';
import { ModelWarningQueries } from '@aos/definitions/published';
import { CreateSessionDto, UpdateSessionDto } from './lifecycle.dto.js';
import { CancelSession, ChangeSessionSettings, CreateSession, DeleteSession } from './lifecycle.handlers.js';
import type { SessionFilter } from './session-list.js';
import { SessionQueries } from './sessions.queries.js';

@Controller()
export class SessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly sessions: SessionQueries,
    private readonly warnings: ModelWarningQueries,
  ) {}

  @Post('/v1/sessions')
  @HttpCode(200)
  async create(
    @Who() who: Identity,
    @RulesBody(CreateSessionDto) body: CreateSessionDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'createSession'>> {
    const created = await this.commands.execute(new CreateSession(who, { body }));
    warn(reply, this.warnings.ofPolicy(body.compaction_policy));
    return created;
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
  async update(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @RulesBody(UpdateSessionDto) body: UpdateSessionDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'updateSession'>> {
    const changed = await this.commands.execute(new ChangeSessionSettings(who, { session_id: sessionId, body }));
    warn(reply, this.warnings.ofPolicy(body.compaction_policy));
    return changed;
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
