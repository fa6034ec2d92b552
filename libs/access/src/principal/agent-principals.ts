import { Injectable } from '@nestjs/common';
import { looksLikeId } from '@aos/kernel';

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
}

/** Agents are principals with the agent's id (decision A11). Who owns agents registers how they are found; until then there are none. */
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

  /** True while an agent lives that is this principal, or that this principal owns. */
  async anyUses(orgId: string, principalId: string): Promise<boolean> {
    if (!this.directory) return false;
    return (await this.find(orgId, principalId)) !== null || this.directory.isOwnedBy(orgId, principalId);
  }
}
