import { Injectable } from '@nestjs/common';
import { looksLikeId, type Identity } from '@aos/kernel';

/** An agent, as the context that owns agents describes it for its principal. */
export interface AgentAsPrincipal {
  agentId: string;
  name: string;
  description: string | null;
  createdAt: string;
  updatedAt: string;
  deleted: boolean;
}

export interface AgentDirectory {
  find(orgId: string, agentId: string): Promise<AgentAsPrincipal | null>;
  /** Whether a live agent has the principal as its owner. */
  isOwnedBy(orgId: string, principalId: string): Promise<boolean>;
  /** Whether the agent is within the caller's reach; without this function every agent of the organization is. */
  isVisible?(who: Identity, agentId: string): Promise<boolean>;
  /** Whether the caller may have turns with the agent; without this function with every agent of the organization. */
  reaches?(who: Identity, agentId: string): Promise<boolean>;
}

/**
 * Agents are principals with the agent's id (rule A11). The context that owns agents registers its directory; without
 * one there are no agents.
 */
@Injectable()
export class AgentPrincipals {
  private directory: AgentDirectory | null = null;

  register(directory: AgentDirectory): void {
    this.directory = directory;
  }

  async find(orgId: string, principalId: string): Promise<AgentAsPrincipal | null> {
    if (!this.directory || !looksLikeId('agent', principalId)) return null;
    return this.directory.find(orgId, principalId);
  }

  /** False for another person's private agent: its principal must look as if it did not exist (control S7). */
  async isVisible(who: Identity, agentId: string): Promise<boolean> {
    return (await this.directory?.isVisible?.(who, agentId)) ?? true;
  }

  /** False for an agent that is not there, and for one out of the caller's reach, administrators' too (rule A30). */
  async reaches(who: Identity, agentId: string): Promise<boolean> {
    const agent = await this.find(who.orgId, agentId);
    return agent !== null && !agent.deleted && ((await this.directory?.reaches?.(who, agentId)) ?? true);
  }

  /** True while a live agent is this principal, or is owned by it. */
  async anyUses(orgId: string, principalId: string): Promise<boolean> {
    if (!this.directory) return false;
    return (await this.find(orgId, principalId)) !== null || this.directory.isOwnedBy(orgId, principalId);
  }
}
