import { Controller, Get } from '@nestjs/common';
import type { Identity, JsonObject } from '@aos/kernel';
import { Who } from '@aos/platform';
import { EventCatalog } from './event-catalog.js';

@Controller()
export class EventCatalogController {
  constructor(private readonly catalog: EventCatalog) {}

  @Get('/v1/catalog/events')
  list(@Who() who: Identity): Promise<JsonObject> {
    return this.catalog.of(who.orgId);
  }
}
