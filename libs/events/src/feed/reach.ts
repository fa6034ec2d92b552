import { Injectable } from '@nestjs/common';
import type { Identity, Reach } from '@aos/kernel';
import { AgentDirectory } from '@aos/definitions/published';

/** Who is told of which event (decision E7). */
@Injectable()
export class Reaches {
  constructor(private readonly agents: AgentDirectory) {}

  /** A look at what one caller may see; agents are read once for the time it is used, so use it for one page. */
  of(who: Identity): ReachOf {
    return new ReachOf(who, this.agents);
  }
}

export class ReachOf {
  private readonly seen = new Map<string, Promise<boolean>>();

  constructor(private readonly who: Identity, private readonly agents: AgentDirectory) {}

  async includes(reach: Reach): Promise<boolean> {
    if (reach.principal_ids?.includes(this.who.principalId)) return true;
    if (!this.isTold(reach)) return false;
    return reach.agent_id ? this.seesAgent(reach.agent_id) : true;
  }

  private isTold({ visibility, owner_id }: Reach): boolean {
    const { principalId, permissions } = this.who;
    return visibility !== 'private' || owner_id === principalId || permissions.has('svc.org.admin');
  }

  private seesAgent(agentId: string): Promise<boolean> {
    const known = this.seen.get(agentId);
    if (known) return known;
    const looked = this.agents.agent(this.who.orgId, agentId).then((agent) => agent === null || this.agents.canSee(agent, this.who));
    this.seen.set(agentId, looked);
    return looked;
  }
}
