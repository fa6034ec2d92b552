import { Injectable } from '@nestjs/common';
import { looksLikeId, type Identity } from '@aos/kernel';

/** What the owner of agents tells about one. */
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
  /** Whether the agent is within the caller's reach; absent: every agent of the organization is. */
  isVisible?(who: Identity, agentId: string): Promise<boolean>;
}

/**
 * Agents are principals with the agent's id (rule A11). Who owns agents registers how they are found; until then there
 * are none.
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

  /** False for a private agent of somebody else: its principal must look as if it were not there (S7). */
  async isVisible(who: Identity, agentId: string): Promise<boolean> {
    return (await this.directory?.isVisible?.(who, agentId)) ?? true;
  }

  /** True while an agent lives that is this principal, or that this principal owns. */
  async anyUses(orgId: string, principalId: string): Promise<boolean> {
    if (!this.directory) return false;
    return (await this.find(orgId, principalId)) !== null || this.directory.isOwnedBy(orgId, principalId);
  }
}
