import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { GetAgentTools, type ToolsFilter } from './tools.queries.js';

@Controller()
export class ToolsController {
  constructor(private readonly queries: QueryBus) {}

  @Get('/v1/agents/:agent_id/tools')
  tools(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @ContractQuery() filter: ToolsFilter,
  ): Promise<JsonObject> {
    return this.queries.execute(new GetAgentTools(who, agentId, filter));
  }
}
