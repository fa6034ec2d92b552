import { Injectable } from '@nestjs/common';
import { Clock, Refusal, invalidArgument, rfc3339, type Identity } from '@aos/kernel';
import { nextDue } from '../routine/next-fire.js';
import type { RoutineRecord } from '../routine/routine.events.js';
import { actingOf } from '../routine/acting.decide.js';
import { RoutineSources } from '../routine/routine-sources.js';
import { runAsOf } from '../routine/run-as.decide.js';
import { restsOnOf } from '../routine/source.decide.js';
import { NewRosters } from './new-rosters.js';
import { NewRoutineChecks } from './new-routine-checks.js';
import type { CreateRoutineDto } from './routines.dto.js';
import { nameFrom } from './routines.decide.js';
import { triggerOf } from './triggers.js';

/** Records of new routines, from bodies. */
@Injectable()
export class NewRoutines {
  constructor(
    private readonly checks: NewRoutineChecks,
    private readonly rosters: NewRosters,
    private readonly sources: RoutineSources,
    private readonly clock: Clock,
  ) {}

  /**
   * The record that a body asks for, of an agent within the caller's reach.
   *
   * Refuses  unsupported_routine_kind; invalid_argument for an agent, session or principal that is not there for the
   *          caller, and as `triggerOf` and `actingOf`.
   */
  async record(
    who: Identity,
    body: CreateRoutineDto,
    { id, owner }: Pick<RoutineRecord, 'id' | 'owner'>,
  ): Promise<RoutineRecord> {
    if (body.kind === 'notify') throw new Refusal('unsupported_routine_kind', {}, 'only `invoke` runs');
    const agent = await this.checks.agentFor(who, body.agent_id);
    if (body.session_id !== undefined) await this.checks.requireSession(who, body.session_id, agent);
    const nowMs = this.clock.now();
    const trigger = triggerOf(body, agent, nowMs);
    if (!trigger) throw invalidArgument('schedule', 'a schedule or an event sets it off');
    const now = rfc3339(nowMs);
    const runAs = runAsOf(owner, who);
    const routine: RoutineRecord = {
      id,
      org_id: who.orgId,
      agent_id: agent.id,
      origin_session_id: body.session_id ?? null,
      owner,
      managed_by: body.managed_by ?? (owner.kind === 'person' ? 'named' : 'team'),
      name: body.name?.trim() || nameFrom(body.instructions),
      instructions: body.instructions,
      ...trigger,
      ...actingOf(body.act_as_user_providers ?? null, runAs, who),
      status: 'active',
      pause_reason: null,
      armed_at: now,
      next_fire_at: nextDue(trigger, nowMs),
      last_fire_at: null,
      fired_count: 0,
      completed_at: null,
      per_occurrence_ceiling_milli: body.per_occurrence_ceiling_milli,
      daily_ceiling_milli: body.daily_ceiling_milli,
      roster: await this.rosters.of(who, body, owner, now),
      run_as: runAs,
      created_by: who.principalId,
      created_at: now,
      updated_at: now,
    };
    routine.rests_on = restsOnOf(routine, await this.sources.of(routine));
    return routine;
  }
}
