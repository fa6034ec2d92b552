import { Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { RulesBody, Who } from '@aos/platform';
import { OpenInteraction } from './opening.commands.js';
import { CreateInteractionDto } from './opening.dto.js';

@Controller()
export class OpeningController {
  constructor(private readonly commands: CommandBus) {}

  @Post('/v1/interactions')
  @HttpCode(201)
  create(
    @Who() who: Identity,
    @RulesBody(CreateInteractionDto) body: CreateInteractionDto,
  ): Promise<Reply<'createInteraction'>> {
    return this.commands.execute(new OpenInteraction(who, { body }));
  }
}
