import { Controller, Get } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { AuditQueries } from './audit.queries.js';

@Controller()
export class AuditController {
  constructor(private readonly queries: AuditQueries) {}

  @Get('/v1/audit')
  list(@Who() who: Identity, @ContractQuery() query: QueryOf<'listAuditEntries'>): Promise<Reply<'listAuditEntries'>> {
    return this.queries.list(who, query);
  }
}
