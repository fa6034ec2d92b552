import { Controller, Get, Param } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { InteractionQueries, type InteractionFilter } from './interactions.queries.js';

@Controller()
export class InteractionsController {
  constructor(private readonly interactions: InteractionQueries) {}

  @Get('/v1/interactions')
  list(@Who() who: Identity, @ContractQuery() filter: InteractionFilter): Promise<Reply<'listInteractions'>> {
    return this.interactions.list(who, filter);
  }

  @Get('/v1/interactions/:interaction_id')
  get(@Who() who: Identity, @Param('interaction_id') interactionId: string): Promise<Reply<'getInteraction'>> {
    return this.interactions.get(who, interactionId);
  }
}
