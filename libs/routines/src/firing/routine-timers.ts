import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, rfc3339 } from '@aos/kernel';
import { CommandSender, Decisions, DueTimers, serviceActor } from '@aos/platform';
import { systemPrincipalId, organizationIdentity } from '@aos/access/published';
import { occurrenceId } from '../occurrence/occurrence.state.js';
import { firingHandler } from '../routine/routine.projection.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { dueNow, nextFire, timetableOf } from '../routine/next-fire.js';
import { TakeOccurrence } from '../occurrences/occurrences.commands.js';
import { routineDecider } from '../routine.decider.js';

/**
 * Fires routines at their due times: the run is recorded first, under an id that follows from routine and due time,
 * then the timer moves on. A crash between the two, or two processes that poll, therefore record the same run once; a
 * run that was recorded before a crash is counted before a later one is taken up.
 *
 * After a downtime the newest due time runs, late; those before it are recorded as missed (see `dueNow`).
 */
@Injectable()
export class RoutineTimers implements OnModuleInit {
  constructor(
    private readonly timers: DueTimers,
    private readonly directory: RoutineDirectory,
    private readonly decisions: Decisions,
    private readonly sender: CommandSender,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timers.register(firingHandler, (details) => this.fire(String(details.org_id), String(details.routine_id)));
  }

  /** Fires what is due now, if anything is; can be called at any time. */
  async fire(orgId: string, routineId: string): Promise<void> {
    const nowMs = this.clock.now();
    const routine = await this.directory.find(orgId, routineId);
    const timetable = routine && timetableOf(routine);
    if (
      routine?.status !== 'active' ||
      !timetable ||
      routine.next_fire_at === null ||
      Date.parse(routine.next_fire_at) > nowMs
    )
      return;
    const { dueMs, missedMs, nextMs } = dueNow(timetable, Date.parse(routine.next_fire_at), nowMs);
    const dueAt = rfc3339(dueMs);
    const deliveryId = occurrenceId(orgId, routineId, { due: dueAt });
    const due = { routine_id: routineId, due_at: dueAt, missed: missedMs.map(rfc3339) };
    const taken = await this.sender.send(new TakeOccurrence(organizationIdentity(orgId, deliveryId), due, deliveryId));
    const ranAt = taken.due_at ?? dueAt;
    const standsMs = ranAt === dueAt ? nextMs : nextFire(timetable, Date.parse(ranAt));
    const firing = {
      standing: routine.next_fire_at,
      armedAt: routine.armed_at,
      dueAt: ranAt,
      nextAt: standsMs === null ? null : rfc3339(standsMs),
      now: rfc3339(nowMs),
    };
    const actor = serviceActor(orgId, systemPrincipalId(orgId), deliveryId);
    await this.decisions.decide(routineDecider.fireRoutine, routineId, actor, firing);
  }
}
