import { Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import type { Identity, JsonObject } from '@aos/kernel';
import { RulesBody, Who } from '@aos/platform';
import { CancelDto, RespondDto, ReviewDto } from './answering.dto.js';
import { InteractionAnswers } from './interaction-answers.js';

@Controller()
export class AnsweringController {
  constructor(private readonly answers: InteractionAnswers) {}

  @Delete('/v1/interactions/:interaction_id')
  @HttpCode(204)
  hide(@Who() who: Identity, @Param('interaction_id') interactionId: string): Promise<void> {
    return this.answers.hide(who, interactionId);
  }

  @Post('/v1/interactions/:interaction_id/respond')
  @HttpCode(200)
  respond(
    @Who() who: Identity,
    @Param('interaction_id') interactionId: string,
    @RulesBody(RespondDto) body: RespondDto,
  ): Promise<JsonObject> {
    return this.answers.respond(who, interactionId, body);
  }

  @Post('/v1/interactions/:interaction_id/review')
  @HttpCode(200)
  review(
    @Who() who: Identity,
    @Param('interaction_id') interactionId: string,
    @RulesBody(ReviewDto) body: ReviewDto,
  ): Promise<JsonObject> {
    return this.answers.review(who, interactionId, body.action, body.comment ?? null);
  }

  @Post('/v1/interactions/:interaction_id/cancel')
  @HttpCode(200)
  cancel(
    @Who() who: Identity,
    @Param('interaction_id') interactionId: string,
    @RulesBody(CancelDto) body: CancelDto,
  ): Promise<JsonObject> {
    return this.answers.cancel(who, interactionId, body.reason ?? null);
  }
}
