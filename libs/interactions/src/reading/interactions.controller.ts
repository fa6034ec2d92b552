import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, RulesBody, Who } from '@aos/platform';
import { CancelDto, RespondDto, ReviewDto } from '../answering/answering.dto.js';
import { InteractionAnswers } from '../answering/interaction-answers.js';
import { CreateInteractionDto } from '../opening/opening.dto.js';
import { InteractionOpenings } from '../opening/interaction-openings.js';
import { GetInteraction, ListInteractions, type InteractionFilter } from './interactions.queries.js';

@Controller()
export class InteractionsController {
  constructor(
    private readonly openings: InteractionOpenings,
    private readonly answers: InteractionAnswers,
    private readonly queries: QueryBus,
  ) {}

  @Post('/v1/interactions')
  @HttpCode(201)
  create(@Who() who: Identity, @RulesBody(CreateInteractionDto) body: CreateInteractionDto): Promise<JsonObject> {
    return this.openings.open(who, body, { deliveryId: null, ownTurn: false });
  }

  @Get('/v1/interactions')
  list(@Who() who: Identity, @ContractQuery() filter: InteractionFilter): Promise<JsonObject> {
    return this.queries.execute(new ListInteractions(who, filter));
  }

  @Get('/v1/interactions/:interaction_id')
  get(@Who() who: Identity, @Param('interaction_id') interactionId: string): Promise<JsonObject> {
    return this.queries.execute(new GetInteraction(who, interactionId));
  }

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
