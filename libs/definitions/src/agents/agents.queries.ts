import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { collectionOf, type Condition, type Identity, type JsonObject } from '@aos/kernel';
import type { AgentDefinition } from '../agent/agent.events.js';
import { DefinitionLists, type PageFilter } from '../definition/definition-lists.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { SkillDirectory } from '../skill/skill-directory.js';
import { visibleAgent } from './agents.handlers.js';
import { agentWire, agentsProjection } from '../agent/agent.projection.js';
import { assignmentsWire } from './assignments.js';

export interface AgentFilter extends PageFilter {
  name?: string;
  external_ref?: string;
  principal_id?: string;
  status?: 'active' | 'inactive';
}

export class ListAgents extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly filter: AgentFilter,
  ) {
    super();
  }
}

export class GetAgent extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly agentId: string,
  ) {
    super();
  }
}

export class ListSkillAssignments extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly agentId: string,
  ) {
    super();
  }
}

@QueryHandler(ListAgents)
export class ListAgentsHandler implements IQueryHandler<ListAgents> {
  constructor(private readonly lists: DefinitionLists) {}

  async execute({ who, filter }: ListAgents): Promise<JsonObject> {
    const where: Condition[] = [];
    if (filter.name !== undefined) where.push({ index: 'name', eq: filter.name });
    if (filter.external_ref !== undefined) where.push({ index: 'external_ref', eq: filter.external_ref });
    if (filter.status !== undefined) where.push({ index: 'status', eq: filter.status });
    // an agent is the principal of its own id
    if (filter.principal_id !== undefined) where.push({ index: 'id', eq: filter.principal_id });
    return this.lists.answer<AgentDefinition>(
      { list: 'agents', collection: collectionOf(agentsProjection), who, where, filter },
      (agent) => agentWire(agent, who),
    );
  }
}

@QueryHandler(GetAgent)
export class GetAgentHandler implements IQueryHandler<GetAgent> {
  constructor(private readonly streams: DefinitionStreams) {}

  async execute({ who, agentId }: GetAgent): Promise<JsonObject> {
    return agentWire(await visibleAgent(this.streams, who, agentId), who);
  }
}

@QueryHandler(ListSkillAssignments)
export class ListSkillAssignmentsHandler implements IQueryHandler<ListSkillAssignments> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly skills: SkillDirectory,
  ) {}

  async execute({ who, agentId }: ListSkillAssignments): Promise<JsonObject> {
    const agent = await visibleAgent(this.streams, who, agentId);
    return assignmentsWire(agent, await this.skills.skills(who.orgId, agent.wire.skill_ids), who);
  }
}
