import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Schema } from '@aos/contract';
import { Clock, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { sessionDecider } from '../session.decider.js';
import { SessionDirectory } from '../reading/session-directory.js';
import type { SessionState } from '../session/session.state.js';
import { postureFor } from '../session/session.wire.js';
import { ChangeSessionCustody } from './custody.commands.js';

@CommandHandler(ChangeSessionCustody)
export class ChangeSessionCustodyHandler implements ICommandHandler<ChangeSessionCustody> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; what `changeSessionCustody` refuses. */
  async execute({ who, input: { session_id: id, change, judge_only: isJudgedOnly } }: ChangeSessionCustody) {
    const now = this.clock.now();
    const command = { ...change, caller: who, now: rfc3339(now) };
    const seen = await this.directory.visible(who, id, now);
    if (isJudgedOnly) {
      sessionDecider.changeSessionCustody.decide(command, seen.state, seen.revision);
      return custodyWire(seen.state, who);
    }
    const { state } = await this.decisions.decide(sessionDecider.changeSessionCustody, id, actorOf(who), command);
    return custodyWire(state, who);
  }
}

/** Owner and audience as the caller sees them after a change. */
function custodyWire(state: SessionState, who: Identity): Schema<'ResourceOwnershipState'> {
  const { owner, visibility, agent_id: agentId } = presentOpening(state);
  return {
    owner: { ...owner },
    visibility,
    container: { kind: 'agent', id: agentId },
    posture: postureFor(state, who),
  };
}

function presentOpening({ opening }: SessionState) {
  if (!opening) throw new Error('session was never opened');
  return opening;
}
