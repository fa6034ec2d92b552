import { Injectable } from '@nestjs/common';
import { ActivePrincipals } from '@aos/access/published';
import { AgentDirectory, type AgentRecord } from '@aos/definitions/published';
import { TurnFailure } from './turn-failure.js';

/** Agents whose turns may run now. */
@Injectable()
export class RunningAgents {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly principals: ActivePrincipals,
  ) {}

  /** Refuses with a `TurnFailure` when the agent is gone or disabled. */
  async agent(orgId: string, agentId: string): Promise<AgentRecord> {
    const agent = await this.agents.agent(orgId, agentId);
    if (!agent || agent.deleted) throw new TurnFailure('agent_unavailable', 'the agent is not there any more');
    if (!(await this.principals.isEnabledAgent(orgId, agentId)))
      throw new TurnFailure('agent_unavailable', 'the agent is disabled');
    return agent;
  }
}
