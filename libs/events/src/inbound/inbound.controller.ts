import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { ReceiveEmail, ReceiveProviderEvent } from './inbound.commands.js';

/** The way in for mail relays and bridges of providers. */
@Controller()
export class InboundController {
  constructor(private readonly commands: CommandBus) {}

  @Post('/v1/inbound/email')
  @HttpCode(202)
  email(@Who() who: Identity, @Body() body: RequestBody<'receiveEmail'>): Promise<Reply<'receiveEmail'>> {
    return this.commands.execute(new ReceiveEmail(who, body));
  }

  @Post('/v1/inbound/events')
  @HttpCode(202)
  event(
    @Who() who: Identity,
    @Body() body: RequestBody<'receiveProviderEvent'>,
  ): Promise<Reply<'receiveProviderEvent'>> {
    return this.commands.execute(new ReceiveProviderEvent(who, body));
  }
}
