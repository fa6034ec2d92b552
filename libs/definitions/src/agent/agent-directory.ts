import { Injectable } from '@nestjs/common';
import type { Identity, Viewer } from '@aos/kernel';
import { agentKind, type AgentRecord as StoredAgent } from './agent.state.js';
import { canSee } from '../definition/custody.decide.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { Claims } from '../names/claims.js';

/** An agent as other contexts see it: the whole record, and whether it is deleted. */
export interface AgentRecord extends StoredAgent {
  deleted: boolean;
}

/** Agents, read fresh from their streams. */
@Injectable()
export class AgentDirectory {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly claims: Claims,
  ) {}

  /** The newest record, deleted ones too; null when the id is unknown or of another organization. */
  async agent(orgId: string, agentId: string): Promise<AgentRecord | null> {
    const latest = await this.streams.latest(agentKind, orgId, agentId);
    return latest ? published(latest.record) : null;
  }

  /** The live agent of this name, exact and case-sensitive; null when there is none. */
  async agentByName(orgId: string, name: string): Promise<AgentRecord | null> {
    const latest = await this.claims.named(agentKind, orgId, name);
    return latest ? published(latest.record) : null;
  }

  /**
   * The live agent that has this inbox address; null for any other address. The only look-up without an organization:
   * mail names none, and the address identifies the agent.
   */
  async addressed(address: string): Promise<AgentRecord | null> {
    const [agentId = ''] = address.toLowerCase().split('@');
    const orgId = await this.streams.organizationOf(agentKind, agentId);
    const agent = orgId === null ? null : await this.agent(orgId, agentId);
    return agent && !agent.deleted && agent.wire.email_address === address.toLowerCase() ? agent : null;
  }

  /**
   * Whether an agent is within a caller's reach (rule A28): its audience, its owner, its members, an administrator for
   * what the team owns (rule A30).
   */
  canSee(agent: StoredAgent, who: Viewer & Pick<Identity, 'actsFor'>): boolean {
    return canSee(agent, who);
  }
}

function published(record: StoredAgent): AgentRecord {
  return { ...record, deleted: record.deleted_at !== null };
}
