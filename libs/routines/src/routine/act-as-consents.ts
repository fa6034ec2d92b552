import { Injectable } from '@nestjs/common';
import { Decisions } from '@aos/platform';
import { occurrenceKind } from '../occurrence/occurrence.state.js';
import { actingProviders } from './acting.decide.js';
import { routineKind } from './routine.state.js';

/** Whether the runs of a routine may use the accounts of the person that they run as, read fresh (rule TE24). */
@Injectable()
export class ActAsConsents {
  constructor(private readonly decisions: Decisions) {}

  /** Takes the run of a turn, and the principal that the turn acts for. */
  async covers(
    orgId: string,
    { occurrenceId, personId, provider }: { occurrenceId: string; personId: string; provider: string },
  ): Promise<boolean> {
    const { occurrence } = (await this.decisions.load(occurrenceKind, occurrenceId)).state;
    if (occurrence?.org_id !== orgId || occurrence.run_as.id !== personId) return false;
    const { routine } = (await this.decisions.load(routineKind, occurrence.routine_id)).state;
    return routine?.org_id === orgId && routine.run_as.id === personId && actingProviders(routine).includes(provider);
  }
}
