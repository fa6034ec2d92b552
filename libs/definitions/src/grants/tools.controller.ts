import { Controller, Get, Param } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { ToolQueries } from './tools.queries.js';

@Controller()
export class ToolsController {
  constructor(private readonly queries: ToolQueries) {}

  @Get('/v1/agents/:agent_id/tools')
  tools(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @ContractQuery() filter: QueryOf<'getAgentTools'>,
  ): Promise<Reply<'getAgentTools'>> {
    return this.queries.ofAgent(who, agentId, filter);
  }
}
