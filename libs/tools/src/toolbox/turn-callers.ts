import { Injectable } from '@nestjs/common';
import type { AgentInTurn } from '@aos/kernel';
import { ActivePrincipals } from '@aos/access/published';
import { actingPrincipal, type ToolContext } from '@aos/sessions/published';

/** Who calls a built-in action in a turn: the one place where an `AgentInTurn` is made. */
@Injectable()
export class TurnCallers {
  constructor(private readonly principals: ActivePrincipals) {}

  /**
   * The agent with what it may do now, acting for the turn's principal (rules A32, A33); null when either of them is
   * disabled or gone.
   */
  async of({ orgId, agent, turn }: ToolContext): Promise<AgentInTurn | null> {
    const [self, actsFor] = await Promise.all([
      this.principals.find(orgId, agent.id),
      actingPrincipal(this.principals, orgId, turn.input),
    ]);
    if (!self || !actsFor) return null;
    return { ...self, kind: 'agent', apiKeyId: null, roles: [], cap: null, requestId: turn.turn.id, ip: null, actsFor };
  }

  /** False for an agent that was disabled: it calls nothing any more. */
  mayAct({ orgId, agent }: ToolContext): Promise<boolean> {
    return this.principals.isActive(orgId, agent.id);
  }
}
