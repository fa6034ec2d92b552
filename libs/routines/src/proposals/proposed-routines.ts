import { Injectable } from '@nestjs/common';
import type { Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import type { ProposalRecord } from '../proposal/proposal.events.js';
import { routineDecider } from '../routine.decider.js';
import type { RoutineRecord } from '../routine/routine.events.js';

/** Makes the routines of approved proposals. */
@Injectable()
export class ProposedRoutines {
  constructor(private readonly decisions: Decisions) {}

  /**
   * Makes the routine that was written with the approval, unless it is there.
   *
   * Gives    the routine as it stands, and whether it was made now; null for a proposal that is not approved.
   */
  async finish(
    who: Identity,
    { routine: wanted }: ProposalRecord,
  ): Promise<{ routine: RoutineRecord; isNew: boolean } | null> {
    if (!wanted) return null;
    const { state, events } = await this.decisions.decide(
      routineDecider.createRoutine,
      wanted.id,
      actorOf(who),
      wanted,
    );
    return { routine: state.routine ?? wanted, isNew: events.length > 0 };
  }
}
