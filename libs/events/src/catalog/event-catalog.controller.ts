import { Controller, Get } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { EventCatalogQueries } from './event-catalog.queries.js';

@Controller()
export class EventCatalogController {
  constructor(private readonly queries: EventCatalogQueries) {}

  @Get('/v1/catalog/events')
  list(@Who() who: Identity): Promise<Reply<'listCatalogEvents'>> {
    return this.queries.list(who.orgId);
  }
}
