import { Injectable } from '@nestjs/common';
import type { AgentInTurn } from '@aos/kernel';
import { ActivePrincipals, type EnabledAgent } from '@aos/access/published';
import { actingPrincipal, type ToolContext } from '@aos/sessions/published';

/** Who calls a built-in action in a turn: the one place where an `AgentInTurn` is made. */
@Injectable()
export class TurnCallers {
  constructor(private readonly principals: ActivePrincipals) {}

  /** The turn's agent, which the caller has just found alive; null when it was disabled: it calls nothing any more. */
  agent({ orgId, agent }: ToolContext): Promise<EnabledAgent | null> {
    return this.principals.enabledAgent(orgId, agent.id);
  }

  /**
   * The agent with what it may do now, acting for the turn's principal (rules A32, A33); null when that one is disabled
   * or gone.
   */
  async of({ orgId, turn }: ToolContext, agent: EnabledAgent): Promise<AgentInTurn | null> {
    const [self, actsFor] = await Promise.all([agent.viewer(), actingPrincipal(this.principals, orgId, turn.input)]);
    if (!actsFor) return null;
    return { ...self, kind: 'agent', apiKeyId: null, roles: [], cap: null, requestId: turn.turn.id, ip: null, actsFor };
  }
}
