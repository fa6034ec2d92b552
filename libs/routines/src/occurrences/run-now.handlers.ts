import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Ids, Refusal, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { occurrenceId } from '../occurrence/occurrence.state.js';
import { occurrenceWire } from '../occurrence/occurrence.wire.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { requireManaging } from '../routine/reach.decide.js';
import { OccurrenceIntake } from './occurrence-intake.js';
import { OpenRuns } from './open-runs.js';

export class RunRoutine extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly routineId: string,
  ) {
    super();
  }
}

/**
 * Runs a routine now, independent of its schedule and event; also a paused or completed one.
 *
 * Refuses  not_found; permission_denied; conflict {status, pause_reason?} for a cancelled one and for one that cannot
 *          go on; conflict {limit} on a full queue.
 */
@CommandHandler(RunRoutine)
export class RunRoutineHandler implements ICommandHandler<RunRoutine> {
  constructor(
    private readonly directory: RoutineDirectory,
    private readonly intake: OccurrenceIntake,
    private readonly runs: OpenRuns,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, routineId }: RunRoutine): Promise<JsonObject> {
    const routine = await this.directory.visible(who, routineId);
    requireManaging(routine, who);
    if (routine.status === 'cancelled')
      throw new Refusal('conflict', { status: routine.status }, 'the routine is cancelled');
    const fault = await this.directory.fault(routine);
    if (fault !== null)
      throw new Refusal(
        'conflict',
        { status: routine.status, pause_reason: fault },
        'the routine cannot run before this is repaired',
      );
    await this.runs.require(routine);
    const id = occurrenceId(who.orgId, routine.id, { manual: this.ids.ulid() });
    const state = await this.intake.take(routine, {
      id,
      trigger: 'manual',
      scheduledAt: rfc3339(this.clock.now()),
      triggeredBy: who.principalId,
    });
    return occurrenceWire(state);
  }
}
