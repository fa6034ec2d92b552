import { Injectable } from '@nestjs/common';
import type { Reply, Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { PrincipalReader } from '@aos/access/published';
import { agentKind, type AgentRecord } from '../agent/agent.state.js';
import { mayChange } from '../definition/custody.decide.js';
import { DefinitionStreams } from '../definition/definition-streams.js';

/** Members of agents: how many there are to all who see the agent, and which to those that manage it (rule TE10). */
@Injectable()
export class MemberQueries {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly principals: PrincipalReader,
  ) {}

  /** Refuses not_found. */
  async list(who: Identity, agentId: string): Promise<Reply<'listAgentMembers'>> {
    return this.wire(who, await this.streams.visible(agentKind, who, agentId));
  }

  /** A member whose principal is gone is counted and not listed. */
  async wire(who: Identity, agent: AgentRecord): Promise<Schema<'AgentMemberListResponse'>> {
    const count = agent.members.length;
    if (!mayChange(agent, who)) return { count };
    const items = await Promise.all(agent.members.map((id) => this.member(who, agent, id)));
    return { items: items.filter((item) => item !== null), count };
  }

  private async member(who: Identity, agent: AgentRecord, id: string): Promise<Schema<'AgentMember'> | null> {
    const found = await this.principals.findFor(who, id);
    if (!found) return null;
    const { at = agent.created_at, by } = agent.members_added?.[id] ?? {};
    const { kind, name } = found.principal;
    return { principal_id: id, kind, display_name: name, added_at: at, ...(by !== undefined && { added_by: by }) };
  }
}
