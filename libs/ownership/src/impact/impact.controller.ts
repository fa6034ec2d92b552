import { Controller, Get, Param } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { ImpactQueries } from './impact.queries.js';

@Controller()
export class ImpactController {
  constructor(private readonly impact: ImpactQueries) {}

  @Get('/v1/agents/:agent_id/visibility-impact')
  preview(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @ContractQuery() query: QueryOf<'previewAgentVisibilityChange'>,
  ): Promise<Reply<'previewAgentVisibilityChange'>> {
    return this.impact.preview(who, agentId, query);
  }
}
