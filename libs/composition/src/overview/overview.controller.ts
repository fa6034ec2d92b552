import { Controller, Get } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { OverviewQueries } from './overview.queries.js';

@Controller()
export class OverviewController {
  constructor(private readonly queries: OverviewQueries) {}

  @Get('/v1/overview')
  overview(@Who() who: Identity): Promise<Reply<'getOverview'>> {
    return this.queries.overview(who);
  }
}
