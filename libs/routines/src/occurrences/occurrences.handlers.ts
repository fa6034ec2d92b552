import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, Ids, Refusal, rfc3339 } from '@aos/kernel';
import { occurrenceId } from '../occurrence/occurrence.state.js';
import { occurrenceWire } from '../occurrence/occurrence.wire.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { requireManaging } from '../routine/reach.decide.js';
import { OccurrenceIntake } from './occurrence-intake.js';
import { RunRoutine, TakeOccurrence } from './occurrences.commands.js';
import { OpenRuns } from './open-runs.js';

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

  async execute({ who, input }: RunRoutine): Promise<Reply<'runRoutineNow'>> {
    const routine = await this.directory.visible(who, input.routine_id);
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

@CommandHandler(TakeOccurrence)
export class TakeOccurrenceHandler implements ICommandHandler<TakeOccurrence> {
  constructor(
    private readonly directory: RoutineDirectory,
    private readonly intake: OccurrenceIntake,
  ) {}

  /**
   * Takes up the run of a due time; the times that were passed over are recorded before it. One of them that did run is
   * the reply, and nothing later is taken up: the timer has to count it first.
   */
  async execute({ who, input }: TakeOccurrence): Promise<{ occurrence_id: string | null; due_at?: string }> {
    const routine = await this.directory.find(who.orgId, input.routine_id);
    if (!routine) return { occurrence_id: null };
    const ended = {
      status: 'missed' as const,
      code: 'missed',
      message: 'nobody was there when it was due; a later one ran',
    };
    for (const at of input.missed ?? []) {
      const id = occurrenceId(who.orgId, routine.id, { due: at });
      const { status } = await this.intake.take(routine, { id, trigger: 'schedule', scheduledAt: at, ended });
      if (status !== ended.status) return { occurrence_id: id, due_at: at };
    }
    const id = occurrenceId(who.orgId, routine.id, { due: input.due_at });
    await this.intake.take(routine, { id, trigger: 'schedule', scheduledAt: input.due_at });
    return { occurrence_id: id, due_at: input.due_at };
  }
}
