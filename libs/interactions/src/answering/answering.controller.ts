import { Body, Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { CancelInteraction, HideInteraction, RespondToInteraction, ReviewInteraction } from './answering.commands.js';

@Controller()
export class AnsweringController {
  constructor(private readonly commands: CommandBus) {}

  @Delete('/v1/interactions/:interaction_id')
  @HttpCode(204)
  hide(@Who() who: Identity, @Param('interaction_id') interaction_id: string): Promise<void> {
    return this.commands.execute(new HideInteraction(who, { interaction_id }));
  }

  @Post('/v1/interactions/:interaction_id/respond')
  @HttpCode(200)
  respond(
    @Who() who: Identity,
    @Param('interaction_id') interaction_id: string,
    @Body() body: RequestBody<'respondToInteraction'>,
  ): Promise<Reply<'respondToInteraction'>> {
    return this.commands.execute(new RespondToInteraction(who, { interaction_id, body }));
  }

  @Post('/v1/interactions/:interaction_id/review')
  @HttpCode(200)
  review(
    @Who() who: Identity,
    @Param('interaction_id') interaction_id: string,
    @Body() body: RequestBody<'reviewInteraction'>,
  ): Promise<Reply<'reviewInteraction'>> {
    return this.commands.execute(new ReviewInteraction(who, { interaction_id, body }));
  }

  /** The body is optional. */
  @Post('/v1/interactions/:interaction_id/cancel')
  @HttpCode(200)
  cancel(
    @Who() who: Identity,
    @Param('interaction_id') interaction_id: string,
    @Body() body: RequestBody<'cancelInteraction'> | undefined,
  ): Promise<Reply<'cancelInteraction'>> {
    return this.commands.execute(new CancelInteraction(who, { interaction_id, reason: body?.reason }));
  }
}
