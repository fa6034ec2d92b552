import { Injectable } from '@nestjs/common';
import type { AgentInTurn } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { ActivePrincipals, type EnabledAgent } from '@aos/access/published';
import { ActAsConsents } from '@aos/routines/published';
import { actingPrincipal, sessionKind, type SessionEvent, type ToolContext } from '@aos/sessions/published';

const readPage = 512;
const delivered: ReadonlySet<string> = new Set(['NudgeDelivered']);

/** Who calls a built-in action in a turn: the one place where an `AgentInTurn` is made. */
@Injectable()
export class TurnCallers {
  constructor(
    private readonly principals: ActivePrincipals,
    private readonly decisions: Decisions,
    private readonly consents: ActAsConsents,
  ) {}

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

  /**
   * The person whose accounts at a provider the turn may use (rule TE24): who sent its input; in a routine's turn the
   * person that it runs as, who named the provider; until the turn absorbed a nudge of another sender. Null for every
   * other turn, an outcome's too, and for a person who is disabled or gone.
   */
  async person(context: ToolContext, provider: string): Promise<string | null> {
    const {
      orgId,
      sessionId,
      turn: { turn, input },
    } = context;
    if (input.origin !== 'input' && input.origin !== 'nudge' && input.origin !== 'routine') return null;
    const acting = await actingPrincipal(this.principals, orgId, input);
    if (acting?.kind !== 'human') return null;
    const { principalId: personId } = acting;
    if (input.origin === 'routine') {
      const { occurrence_id: occurrenceId = '' } = input;
      if (!(await this.consents.covers(orgId, { occurrenceId, personId, provider }))) return null;
    }
    return (await this.hasNudgeOfAnother(sessionId, turn.id, input)) ? null : personId;
  }

  private async hasNudgeOfAnother(
    sessionId: string,
    turnId: string,
    { resume_revision: before, principal_id: sender }: ToolContext['turn']['input'],
  ): Promise<boolean> {
    for (let from = before + 1; ;) {
      const range = { from, limit: readPage, types: delivered };
      const { events, last } = await this.decisions.scan<SessionEvent>(sessionKind, sessionId, range);
      for (const { type, data } of events)
        if (type === 'NudgeDelivered' && data.nudge.turn.id === turnId && data.nudge.sender_principal_id !== sender)
          return true;
      if (last === null) return false;
      from = last + 1;
    }
  }
}
