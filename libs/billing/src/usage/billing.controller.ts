import { Controller, Get } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { UsageQueries } from './usage.queries.js';

@Controller()
export class BillingController {
  constructor(private readonly queries: UsageQueries) {}

  @Get('/v1/billing/usage-events')
  list(
    @Who() who: Identity,
    @ContractQuery() filter: QueryOf<'listBillingUsageEvents'>,
  ): Promise<Reply<'listBillingUsageEvents'>> {
    return this.queries.list(who, filter);
  }
}
