import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { ChangeMembers } from './members.handlers.js';
import { MemberQueries } from './members.queries.js';

@Controller()
export class MembersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: MemberQueries,
  ) {}

  @Get('/v1/agents/:agent_id/members')
  list(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<Reply<'listAgentMembers'>> {
    return this.queries.list(who, agentId);
  }

  @Put('/v1/agents/:agent_id/members')
  replace(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Body() { principal_ids: members }: RequestBody<'replaceAgentMembers'>,
  ): Promise<Reply<'replaceAgentMembers'>> {
    return this.commands.execute(new ChangeMembers(who, { agent_id: agentId, members }));
  }

  @Post('/v1/agents/:agent_id/members')
  @HttpCode(200)
  add(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Body() { principal_ids: add }: RequestBody<'addAgentMembers'>,
  ): Promise<Reply<'addAgentMembers'>> {
    return this.commands.execute(new ChangeMembers(who, { agent_id: agentId, members: { add, remove: [] } }));
  }

  @Delete('/v1/agents/:agent_id/members/:principal_id')
  @HttpCode(204)
  async remove(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('principal_id') principalId: string,
  ): Promise<void> {
    await this.commands.execute(
      new ChangeMembers(who, { agent_id: agentId, members: { add: [], remove: [principalId] } }),
    );
  }
}
