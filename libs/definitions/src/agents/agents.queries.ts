import { Injectable } from '@nestjs/common';
import type { QueryOf, Schema } from '@aos/contract';
import type { Condition, Identity } from '@aos/kernel';
import { agentRecords, agentWire } from '../agent/agent.projection.js';
import { DefinitionLists, type WirePage } from '../definition/definition-lists.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { SkillDirectory } from '../skill/skill-directory.js';
import { visibleAgent } from './agents.handlers.js';
import { assignmentsWire } from './assignments.js';

@Injectable()
export class AgentQueries {
  constructor(
    private readonly lists: DefinitionLists,
    private readonly streams: DefinitionStreams,
    private readonly skills: SkillDirectory,
  ) {}

  list(who: Identity, filter: QueryOf<'listAgents'>): Promise<WirePage<Schema<'Agent'>>> {
    const where: Condition[] = [];
    if (filter.name !== undefined) where.push({ index: 'name', eq: filter.name });
    if (filter.external_ref !== undefined) where.push({ index: 'external_ref', eq: filter.external_ref });
    if (filter.status !== undefined) where.push({ index: 'status', eq: filter.status });
    // an agent is the principal of its own id
    if (filter.principal_id !== undefined) where.push({ index: 'id', eq: filter.principal_id });
    return this.lists.answer({ list: 'agents', collection: agentRecords, who, where, filter }, (agent) =>
      agentWire(agent, who),
    );
  }

  async get(who: Identity, agentId: string): Promise<Schema<'Agent'>> {
    return agentWire(await visibleAgent(this.streams, who, agentId), who);
  }

  async assignments(who: Identity, agentId: string): Promise<Schema<'SkillAssignmentListResponse'>> {
    const agent = await visibleAgent(this.streams, who, agentId);
    return assignmentsWire(agent, await this.skills.skills(who.orgId, agent.wire.skill_ids), who);
  }
}
