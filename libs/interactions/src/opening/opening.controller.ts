import { Controller, HttpCode, Post } from '@nestjs/common';
import type { Identity, JsonObject } from '@aos/kernel';
import { RulesBody, Who } from '@aos/platform';
import { InteractionOpenings } from './interaction-openings.js';
import { CreateInteractionDto } from './opening.dto.js';

@Controller()
export class OpeningController {
  constructor(private readonly openings: InteractionOpenings) {}

  @Post('/v1/interactions')
  @HttpCode(201)
  create(@Who() who: Identity, @RulesBody(CreateInteractionDto) body: CreateInteractionDto): Promise<JsonObject> {
    return this.openings.open(who, body, { deliveryId: null, ownTurn: false });
  }
}
