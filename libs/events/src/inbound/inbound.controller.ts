import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { ReceiveEmail, ReceiveProviderEvent, type InboundEmail, type InboundEvent } from './inbound.handlers.js';

/** The way in for mail relays and bridges of providers. */
@Controller()
export class InboundController {
  constructor(private readonly commands: CommandBus) {}

  @Post('/v1/inbound/email')
  @HttpCode(202)
  email(
    @Who() who: Identity,
    @Body() body: InboundEmail,
  ): Promise<{ email_id: string; agent_ids: string[]; deduped: boolean }> {
    return this.commands.execute(new ReceiveEmail(who, body));
  }

  @Post('/v1/inbound/events')
  @HttpCode(202)
  event(@Who() who: Identity, @Body() body: InboundEvent): Promise<{ event_id: string; deduped: boolean }> {
    return this.commands.execute(new ReceiveProviderEvent(who, body));
  }
}
