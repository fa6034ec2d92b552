import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Schema } from '@aos/contract';
import { Clock, notFound, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { ActivePrincipals } from '@aos/access/published';
import { postureFor } from '@aos/definitions/published';
import { routineDecider } from '../routine.decider.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import type { RoutineRecord } from '../routine/routine.events.js';
import { visibilityOf } from './custody.decide.js';
import { ChangeRoutineCustody } from './custody.commands.js';

@CommandHandler(ChangeRoutineCustody)
export class ChangeRoutineCustodyHandler implements ICommandHandler<ChangeRoutineCustody> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly principals: ActivePrincipals,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; what `changeRoutineOwner` refuses. */
  async execute({ who, input: { routine_id: id, wanted } }: ChangeRoutineCustody) {
    const routine = await this.directory.find(who.orgId, id);
    if (!routine) throw notFound('routine');
    const ownerIsGone = await this.principals.isOwnerGone(who.orgId, routine.owner);
    // the agent of a person who is gone may be out of reach until it is handed on too
    if (!ownerIsGone && !(await this.directory.sees(who, routine))) throw notFound('routine');
    const command = { wanted, ownerIsGone, caller: who, now: rfc3339(this.clock.now()) };
    const { state } = await this.decisions.decide(routineDecider.changeRoutineOwner, id, actorOf(who), command);
    if (!state.routine) throw notFound('routine');
    return custodyWire(state.routine, who);
  }
}

function custodyWire(routine: RoutineRecord, who: Identity): Schema<'ResourceOwnershipState'> {
  const { id, org_id, owner } = routine;
  const visibility = visibilityOf(owner);
  return {
    owner: { ...owner },
    visibility,
    container: null,
    posture: postureFor({ id, org_id, owner, visibility, members: [] }, who),
  };
}
