import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { agentKind } from '../agent/agent.state.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { SkillDirectory } from '../skill/skill-directory.js';
import { assignmentsWire } from './assignments.js';

@Injectable()
export class AgentQueries {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly skills: SkillDirectory,
  ) {}

  async assignments(who: Identity, agentId: string): Promise<Schema<'SkillAssignmentListResponse'>> {
    const agent = await this.streams.visible(agentKind, who, agentId);
    return assignmentsWire(agent, await this.skills.skills(who.orgId, agent.wire.skill_ids), who);
  }
}
