import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { GetInteraction, ListInteractions, type InteractionFilter } from './interactions.queries.js';

@Controller()
export class InteractionsController {
  constructor(private readonly queries: QueryBus) {}

  @Get('/v1/interactions')
  list(@Who() who: Identity, @ContractQuery() filter: InteractionFilter): Promise<JsonObject> {
    return this.queries.execute(new ListInteractions(who, filter));
  }

  @Get('/v1/interactions/:interaction_id')
  get(@Who() who: Identity, @Param('interaction_id') interactionId: string): Promise<JsonObject> {
    return this.queries.execute(new GetInteraction(who, interactionId));
  }
}
