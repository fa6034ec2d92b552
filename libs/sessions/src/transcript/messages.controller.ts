import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, RulesBody, Who } from '@aos/platform';
import { AppendMessages } from '../imports/imports.handlers.js';
import { ImportMessagesDto } from '../imports/imports.dto.js';
import { MessageQueries, type MessageFilter, type MessagePage } from './messages.queries.js';

@Controller()
export class MessagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly messages: MessageQueries,
  ) {}

  @Get('/v1/sessions/:session_id/messages')
  ofSession(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @ContractQuery() filter: MessageFilter,
  ): Promise<MessagePage> {
    return this.messages.ofSession(who, sessionId, filter);
  }

  @Post('/v1/sessions/:session_id/messages')
  @HttpCode(200)
  append(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @RulesBody(ImportMessagesDto) body: ImportMessagesDto,
  ): Promise<Reply<'appendSessionMessages'>> {
    return this.commands.execute(new AppendMessages(who, { session_id: sessionId, body }));
  }

  @Get('/v1/turns/:turn_id/messages')
  ofTurn(
    @Who() who: Identity,
    @Param('turn_id') turnId: string,
    @ContractQuery() filter: MessageFilter,
  ): Promise<MessagePage> {
    return this.messages.ofTurn(who, turnId, filter);
  }
}
