import { Injectable } from '@nestjs/common';
import { Clock, rfc3339 } from '@aos/kernel';
import { Decisions, type Actor } from '@aos/platform';
import { ActivePrincipals } from '@aos/access/published';
import { AgentDirectory } from '@aos/definitions/published';
import { sessionDecider } from '../session.decider.js';
import { standingOf } from '../reading/session-targets.js';
import { timeoutSecondsDefault } from '../session/session.limits.js';
import type { OutcomeRecord } from '../session/session.events.js';
import { sessionKind } from '../session/session.state.js';
import { TurnQueue } from '../running/turn-queue.js';
import { outcomePrincipal } from '../turn/turn-principal.js';

/** The way outcomes of interactions reach the session that asked: once for each delivery id. */
@Injectable()
export class SessionOutcomes {
  constructor(
    private readonly decisions: Decisions,
    private readonly agents: AgentDirectory,
    private readonly turnQueue: TurnQueue,
    private readonly clock: Clock,
    private readonly principals: ActivePrincipals,
  ) {}

  /** The outcome as the row that the session's model reads. */
  async apply(
    actor: Actor,
    sessionId: string,
    outcome: Omit<OutcomeRecord, 'principal_id' | 'principal_kind' | 'principal_permissions'>,
  ): Promise<void> {
    const {
      state: { opening },
    } = await this.decisions.load(sessionKind, sessionId);
    if (opening?.org_id !== actor.orgId) return;
    const agent = await this.agents.agent(actor.orgId, opening.agent_id);
    const command = {
      outcome: { ...outcome, ...outcomePrincipal(opening) },
      now: rfc3339(this.clock.now()),
      timeoutSeconds: agent?.wire.timeout_seconds || timeoutSecondsDefault,
      agentActive: agent !== null && !agent.deleted && (await standingOf(this.principals, agent)) === 'active',
    };
    const decided = await this.decisions.decide(sessionDecider.applyOutcome, sessionId, actor, command);
    if (decided.events.length > 0) this.turnQueue.next(actor.orgId, sessionId, decided.state);
  }
}
