import { Controller, Get, Param } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { CatalogQueries } from './catalog.queries.js';

@Controller()
export class CatalogController {
  constructor(private readonly queries: CatalogQueries) {}

  @Get('/v1/catalog/actions')
  actions(@Who() who: Identity): Promise<Reply<'listCatalogActions'>> {
    return this.queries.actions(who);
  }

  @Get('/v1/catalog/actions/:action_name')
  action(@Who() who: Identity, @Param('action_name') name: string): Promise<Reply<'getCatalogAction'>> {
    return this.queries.action(who, name);
  }

  @Get('/v1/catalog/models')
  models(): Reply<'listCatalogModels'> {
    return this.queries.models();
  }
}
