import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { ListMessages, ListTurnMessages, type MessageFilter } from './messages.queries.js';

@Controller()
export class MessagesController {
  constructor(private readonly queries: QueryBus) {}

  @Get('/v1/sessions/:session_id/messages')
  ofSession(@Who() who: Identity, @Param('session_id') sessionId: string, @ContractQuery() filter: MessageFilter): Promise<JsonObject> {
    return this.queries.execute(new ListMessages(who, sessionId, filter));
  }

  @Get('/v1/turns/:turn_id/messages')
  ofTurn(@Who() who: Identity, @Param('turn_id') turnId: string, @ContractQuery() filter: MessageFilter): Promise<JsonObject> {
    return this.queries.execute(new ListTurnMessages(who, turnId, filter));
  }
}
