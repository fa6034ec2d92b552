import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { ReceiveMessage } from './messages.commands.js';

/** The way in for bridges of messaging providers. */
@Controller()
export class MessagesController {
  constructor(private readonly commands: CommandBus) {}

  @Post('/v1/inbound/messages')
  @HttpCode(202)
  receive(@Who() who: Identity, @Body() body: RequestBody<'receiveMessage'>): Promise<Reply<'receiveMessage'>> {
    return this.commands.execute(new ReceiveMessage(who, body));
  }
}
