import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { Who } from '@aos/platform';
import { GetCatalogAction, ListCatalogActions, ListCatalogModels } from './catalog.queries.js';

@Controller()
export class CatalogController {
  constructor(private readonly queries: QueryBus) {}

  @Get('/v1/catalog/actions')
  actions(@Who() who: Identity): Promise<JsonObject> {
    return this.queries.execute(new ListCatalogActions(who));
  }

  @Get('/v1/catalog/actions/:action_name')
  action(@Who() who: Identity, @Param('action_name') name: string): Promise<JsonObject> {
    return this.queries.execute(new GetCatalogAction(who, name));
  }

  @Get('/v1/catalog/models')
  models(): Promise<JsonObject> {
    return this.queries.execute(new ListCatalogModels());
  }
}
