import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, RulesBody, Who } from '@aos/platform';
import { AppendMessages } from '../imports/imports.handlers.js';
import { ImportMessagesDto } from '../imports/imports.dto.js';
import { ListMessages, ListTurnMessages, type MessageFilter } from './messages.queries.js';

@Controller()
export class MessagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('/v1/sessions/:session_id/messages')
  ofSession(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @ContractQuery() filter: MessageFilter,
  ): Promise<JsonObject> {
    return this.queries.execute(new ListMessages(who, sessionId, filter));
  }

  @Post('/v1/sessions/:session_id/messages')
  @HttpCode(200)
  append(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @RulesBody(ImportMessagesDto) body: ImportMessagesDto,
  ): Promise<JsonObject> {
    return this.commands.execute(new AppendMessages(who, sessionId, body));
  }

  @Get('/v1/turns/:turn_id/messages')
  ofTurn(
    @Who() who: Identity,
    @Param('turn_id') turnId: string,
    @ContractQuery() filter: MessageFilter,
  ): Promise<JsonObject> {
    return this.queries.execute(new ListTurnMessages(who, turnId, filter));
  }
}
