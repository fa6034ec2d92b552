import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadStore, type Identity } from '@aos/kernel';
import { AgentPrincipals, type AgentAsPrincipal } from '@aos/access/published';
import { AgentDirectory } from './agent-directory.js';
import { agentRecords } from './agent.projection.js';

/** Tells the access context of agents, which are principals of their own ids (rule A11). */
@Injectable()
export class AgentsAsPrincipals implements OnModuleInit {
  constructor(
    private readonly principals: AgentPrincipals,
    private readonly agents: AgentDirectory,
    private readonly readStore: ReadStore,
  ) {}

  onModuleInit(): void {
    this.principals.register(this);
  }

  async find(orgId: string, agentId: string): Promise<AgentAsPrincipal | null> {
    const agent = await this.agents.agent(orgId, agentId);
    if (!agent) return null;
    const { wire, created_at: createdAt, updated_at: updatedAt, deleted } = agent;
    return { agentId, name: wire.name, description: wire.description ?? null, createdAt, updatedAt, deleted };
  }

  /**
   * A caller within reach of the agent sees its principal; administrators see all, to judge roles and state (rule A30).
   */
  async isVisible(who: Identity, agentId: string): Promise<boolean> {
    return who.permissions.has('svc.org.admin') || this.reaches(who, agentId);
  }

  async reaches(who: Identity, agentId: string): Promise<boolean> {
    const agent = await this.agents.agent(who.orgId, agentId);
    return agent !== null && this.agents.canSee(agent, who);
  }

  async isOwnedBy(orgId: string, principalId: string): Promise<boolean> {
    const owned = { scope: [orgId], where: [{ index: 'owner', eq: principalId }] };
    return (await agentRecords.count(this.readStore, owned, 1)) > 0;
  }
}
