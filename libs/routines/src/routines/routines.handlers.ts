import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, Ids, Refusal, invalidArgument, notFound, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, actorOf, type Decided } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { routineDecider } from '../routine.decider.js';
import type { RoutineEvent, RoutineRecord } from '../routine/routine.events.js';
import { nextDue } from '../routine/next-fire.js';
import { actingOf, actingProviders } from '../routine/acting.decide.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { RoutineSources } from '../routine/routine-sources.js';
import { restsOnOf } from '../routine/source.decide.js';
import type { RoutineState } from '../routine/routine.state.js';
import { runAsOf } from '../routine/run-as.decide.js';
import { NewRosters } from './new-rosters.js';
import { NewRoutineChecks } from './new-routine-checks.js';
import { ActOnRoutine, CreateRoutine, UpdateRoutine, VerifyRoutine, type RoutineAct } from './routines.commands.js';
import { nameFrom, ownerOf, type RoutineChange } from './routines.decide.js';
import { triggerOf } from './triggers.js';

/**
 * Makes a routine of an agent within the caller's reach.
 *
 * Refuses  unsupported_routine_kind; invalid_argument for an agent, session or principal that is not there for the
 *          caller, and as `triggerOf` and `actingOf`; conflict {limit}.
 */
@CommandHandler(CreateRoutine)
export class CreateRoutineHandler implements ICommandHandler<CreateRoutine> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly checks: NewRoutineChecks,
    private readonly rosters: NewRosters,
    private readonly sources: RoutineSources,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: body }: CreateRoutine): Promise<Reply<'createRoutine'>> {
    if (body.kind === 'notify') throw new Refusal('unsupported_routine_kind', {}, 'only `invoke` runs');
    const agent = await this.checks.agentFor(who, body.agent_id);
    if (body.session_id !== undefined) await this.checks.requireSession(who, body.session_id, agent);
    const nowMs = this.clock.now();
    const trigger = triggerOf(body, agent, nowMs);
    if (!trigger) throw invalidArgument('schedule', 'a schedule or an event sets it off');
    const owner = ownerOf(body.owner_kind, who);
    const now = rfc3339(nowMs);
    const runAs = runAsOf(owner, who);
    const acting = actingOf(body.act_as_user_providers ?? null, runAs, who);
    const routine: RoutineRecord = {
      id: `rtn_${this.ids.ulid()}`,
      org_id: who.orgId,
      agent_id: agent.id,
      origin_session_id: body.session_id ?? null,
      owner,
      managed_by: body.managed_by ?? (owner.kind === 'person' ? 'named' : 'team'),
      name: body.name?.trim() || nameFrom(body.instructions),
      instructions: body.instructions,
      ...trigger,
      ...acting,
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
    await this.checks.requireRoom(who.orgId);
    await this.decisions.decide(routineDecider.createRoutine, routine.id, actorOf(who), routine);
    return this.directory.view(who, routine);
  }
}

@CommandHandler(UpdateRoutine)
export class UpdateRoutineHandler implements ICommandHandler<UpdateRoutine> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly agents: AgentDirectory,
    private readonly sources: RoutineSources,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; permission_denied; bad_request and invalid_argument as `triggerOf`. */
  async execute({ who, input: { routine_id: routineId, body } }: UpdateRoutine): Promise<Reply<'updateRoutine'>> {
    const routine = await this.directory.visible(who, routineId);
    const nowMs = this.clock.now();
    const { schedule, event, ...plain } = body;
    const change: RoutineChange = { ...plain };
    if (plain.name !== undefined)
      change.name = plain.name.trim() || nameFrom(plain.instructions ?? routine.instructions);
    const agent = schedule || event ? await this.agents.agent(who.orgId, routine.agent_id) : null;
    const trigger = agent && triggerOf({ schedule, event }, agent, nowMs);
    if (trigger) change.trigger = trigger;
    const armed = { now: rfc3339(nowMs), next_fire_at: trigger && nextDue(trigger, nowMs) };
    const granting = await this.sources.granting({
      org_id: who.orgId,
      agent_id: routine.agent_id,
      event: trigger ? trigger.event : routine.event,
      personId: routine.owner.id ?? who.principalId,
      providers: body.act_as_user_providers ?? actingProviders(routine),
    });
    const { state } = await this.decisions.decide(routineDecider.changeRoutine, routineId, actorOf(who), {
      change,
      armed,
      caller: who,
      granting,
    });
    return this.directory.view(who, present(state));
  }
}

@CommandHandler(ActOnRoutine)
export class ActOnRoutineHandler implements ICommandHandler<ActOnRoutine> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly sources: RoutineSources,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; permission_denied. */
  async execute({ who, input: { routine_id: routineId, act } }: ActOnRoutine): Promise<Reply<'pauseRoutine'>> {
    const routine = await this.directory.visible(who, routineId);
    const { state } = await this.decided(who, routine, act);
    return this.directory.view(who, present(state));
  }

  private async decided(
    who: Identity,
    routine: RoutineRecord,
    act: RoutineAct,
  ): Promise<Decided<RoutineState, RoutineEvent>> {
    const nowMs = this.clock.now();
    const now = rfc3339(nowMs);
    const actor = actorOf(who);
    const { pauseRoutine, cancelRoutine, resumeRoutineNow } = routineDecider;
    if (act === 'pause') return this.decisions.decide(pauseRoutine, routine.id, actor, { caller: who, now });
    if (act === 'cancel') return this.decisions.decide(cancelRoutine, routine.id, actor, { caller: who, now });
    const fault = await this.directory.fault(routine);
    const granting = await this.sources.of(routine);
    const command = { caller: who, now, nextDue: (record: RoutineRecord) => nextDue(record, nowMs), fault, granting };
    return this.decisions.decide(resumeRoutineNow, routine.id, actor, command);
  }
}

@CommandHandler(VerifyRoutine)
export class VerifyRoutineHandler implements ICommandHandler<VerifyRoutine> {
  constructor(
    private readonly directory: RoutineDirectory,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /**
   * Pauses a routine that cannot go on: its agent or its owner is gone, or its source was revoked. A repeat changes
   * nothing.
   */
  async execute({ who, input }: VerifyRoutine): Promise<{ fault: string | null }> {
    const seen = await this.directory.find(who.orgId, input.routine_id);
    const reason = seen && (await this.directory.fault(seen));
    if (!seen || reason === null) return { fault: null };
    const now = rfc3339(this.clock.now());
    await this.decisions.decide(routineDecider.suspendRoutine, seen.id, actorOf(who), { reason, seen, now });
    return { fault: reason };
  }
}

function present({ routine }: RoutineState): RoutineRecord {
  if (!routine) throw notFound('routine');
  return routine;
}
