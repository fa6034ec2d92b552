import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { FastifyReply } from 'fastify';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who, warn } from '@aos/platform';
import { agentResource } from '../resources/agent-resource.js';
import { ChangeDefinition, DeleteDefinition } from '../resources/definitions.commands.js';
import { DefinitionQueries } from '../resources/definitions.queries.js';
import { AssignSkills, ChangeAgentAudience, CreateAgent, ProvisionInbox } from './agents.handlers.js';
import { ModelWarningQueries } from './model-warnings.queries.js';
import { AgentQueries } from './agents.queries.js';

@Controller()
export class AgentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: DefinitionQueries,
    private readonly agents: AgentQueries,
    private readonly warnings: ModelWarningQueries,
  ) {}

  /** 201 for a new agent, 200 for an adopted one (rule R9). */
  @Post('/v1/agents')
  async create(
    @Who() who: Identity,
    @Body() body: RequestBody<'createAgent'>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'createAgent'>> {
    const { agent, created } = await this.commands.execute(new CreateAgent(who, { body }));
    reply.status(created ? 201 : 200);
    warn(reply, [...this.warnings.ofAgent(agent), ...this.warnings.ofPolicy(agent.compaction_policy)]);
    return agent;
  }

  @Get('/v1/agents')
  list(@Who() who: Identity, @ContractQuery() filter: QueryOf<'listAgents'>): Promise<Reply<'listAgents'>> {
    return this.queries.list(agentResource, who, filter);
  }

  @Get('/v1/agents/:agent_id')
  get(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<Reply<'getAgent'>> {
    return this.queries.get(agentResource, who, agentId);
  }

  @Patch('/v1/agents/:agent_id')
  async change(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Body() body: RequestBody<'updateAgent'>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'updateAgent'>> {
    const { affected_resource_dispositions: dispositions = [], stranded_disposition: stranded } = body;
    const agent = await (dispositions.length > 0 || stranded === 'delete'
      ? this.commands.execute(new ChangeAgentAudience(who, { agent_id: agentId, body }))
      : this.commands.execute(new ChangeDefinition(who, { resource: agentResource, ref: agentId, body })));
    const names = body.model !== undefined || body.model_route !== undefined;
    warn(reply, [...(names ? this.warnings.ofAgent(agent) : []), ...this.warnings.ofPolicy(body.compaction_policy)]);
    return agent;
  }

  @Delete('/v1/agents/:agent_id')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<void> {
    return this.commands.execute(new DeleteDefinition(who, { resource: agentResource, ref: agentId }));
  }

  @Get('/v1/agents/:agent_id/skill-assignments')
  assignments(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<Reply<'listAgentSkillAssignments'>> {
    return this.agents.assignments(who, agentId);
  }

  @Put('/v1/agents/:agent_id/skill-assignments')
  assign(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Body() { skill_ids }: RequestBody<'replaceAgentSkillAssignments'>,
  ): Promise<Reply<'replaceAgentSkillAssignments'>> {
    return this.commands.execute(new AssignSkills(who, { agent_id: agentId, skill_ids }));
  }

  @Post('/v1/agents/:agent_id/inbox')
  @HttpCode(200)
  inbox(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<Reply<'provisionAgentInbox'>> {
    return this.commands.execute(new ProvisionInbox(who, { agent_id: agentId }));
  }
}
