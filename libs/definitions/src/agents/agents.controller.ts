import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { ModelProvider, type Identity, type JsonObject } from '@aos/kernel';
import { ContractQuery, Who, warn } from '@aos/platform';
import type { AgentPatch, NewAgent } from '../agent/agent.state.js';
import { AssignSkills, ChangeAgent, CreateAgent, DeleteAgent, ProvisionInbox } from './agents.handlers.js';
import { modelWarnings } from './model-warnings.js';
import { GetAgent, ListAgents, ListSkillAssignments, type AgentFilter } from './agents.queries.js';

@Controller()
export class AgentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly models: ModelProvider,
  ) {}

  /** 201 for a new agent, 200 for an adopted one (rule R9). */
  @Post('/v1/agents')
  async create(
    @Who() who: Identity,
    @Body() body: NewAgent,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JsonObject> {
    const { agent, created } = await this.commands.execute(new CreateAgent(who, body));
    reply.status(created ? 201 : 200);
    warn(reply, modelWarnings(this.models, agent));
    return agent;
  }

  @Get('/v1/agents')
  list(@Who() who: Identity, @ContractQuery() filter: AgentFilter): Promise<JsonObject> {
    return this.queries.execute(new ListAgents(who, filter));
  }

  @Get('/v1/agents/:agent_id')
  get(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<JsonObject> {
    return this.queries.execute(new GetAgent(who, agentId));
  }

  @Patch('/v1/agents/:agent_id')
  async change(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Body() body: AgentPatch,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JsonObject> {
    const agent = await this.commands.execute(new ChangeAgent(who, agentId, body));
    if (body.model !== undefined || body.model_route !== undefined) warn(reply, modelWarnings(this.models, agent));
    return agent;
  }

  @Delete('/v1/agents/:agent_id')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<void> {
    return this.commands.execute(new DeleteAgent(who, agentId));
  }

  @Get('/v1/agents/:agent_id/skill-assignments')
  assignments(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<JsonObject> {
    return this.queries.execute(new ListSkillAssignments(who, agentId));
  }

  @Put('/v1/agents/:agent_id/skill-assignments')
  assign(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Body() body: { skill_ids: string[] },
  ): Promise<JsonObject> {
    return this.commands.execute(new AssignSkills(who, agentId, body.skill_ids));
  }

  @Post('/v1/agents/:agent_id/inbox')
  @HttpCode(200)
  inbox(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<JsonObject> {
    return this.commands.execute(new ProvisionInbox(who, agentId));
  }
}
