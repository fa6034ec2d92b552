import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  Clock,
  Ids,
  ReadStore,
  Refusal,
  invalidArgument,
  notFound,
  rfc3339,
  type Identity,
  type JsonObject,
  collectionOf,
} from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { PrincipalReader } from '@aos/access/published';
import { AgentDirectory, type AgentRecord } from '@aos/definitions/published';
import { SessionDirectory } from '@aos/sessions/published';
import type { RosterEntry, RoutineEvent, RoutineRecord, RoutineRelationship } from '../routine/routine.events.js';
import { rosterMax, routinesPerOrganizationMax } from '../routine/routine.limits.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { routinesProjection } from '../routine/routine.projection.js';
import { routineKind, type RoutineState } from '../routine/routine.state.js';
import { runAsOf } from '../routine/run-as.decide.js';
import {
  cancelRoutine,
  changeRoutine,
  createRoutine,
  nameFrom,
  ownerOf,
  pauseRoutine,
  resumeRoutine,
  type RoutineChange,
} from './routines.decide.js';
import type { CreateRoutineDto, UpdateRoutineDto } from './routines.dto.js';
import { nextDue, triggerOf } from './triggers.js';

export class CreateRoutine extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly body: CreateRoutineDto,
  ) {
    super();
  }
}

/**
 * Makes a routine of an agent within the caller's reach.
 *
 * Refuses  unsupported_routine_kind; invalid_argument for an agent, session or principal that is not there for the
 *          caller, and as `triggerOf`; conflict {limit}.
 */
@CommandHandler(CreateRoutine)
export class CreateRoutineHandler implements ICommandHandler<CreateRoutine> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly agents: AgentDirectory,
    private readonly sessions: SessionDirectory,
    private readonly principals: PrincipalReader,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, body }: CreateRoutine): Promise<JsonObject> {
    if (body.kind === 'notify') throw new Refusal('unsupported_routine_kind', {}, 'only `invoke` runs');
    const agent = await this.agentFor(who, body.agent_id);
    if (body.session_id !== undefined) await this.requireSession(who, body.session_id, agent);
    const nowMs = this.clock.now();
    const trigger = triggerOf(body, agent, nowMs);
    if (!trigger) throw invalidArgument('schedule', 'a schedule or an event sets it off');
    const owner = ownerOf(body.owner_kind, who);
    const now = rfc3339(nowMs);
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
      status: 'active',
      pause_reason: null,
      armed_at: now,
      next_fire_at: nextDue(trigger, nowMs),
      last_fire_at: null,
      fired_count: 0,
      completed_at: null,
      per_occurrence_ceiling_milli: body.per_occurrence_ceiling_milli,
      daily_ceiling_milli: body.daily_ceiling_milli,
      roster: await this.roster(who, body, owner, now),
      run_as: runAsOf(owner, who),
      created_by: who.principalId,
      created_at: now,
      updated_at: now,
    };
    await this.requireRoom(who.orgId);
    await this.decisions.run(routineKind, routine.id, actorOf(who), (state) => createRoutine(routine, state));
    return this.directory.view(who, routine);
  }

  private async agentFor(who: Identity, agentId: string): Promise<AgentRecord> {
    const agent = await this.agents.agent(who.orgId, agentId);
    if (!agent || agent.deleted || !this.agents.canSee(agent, who))
      throw invalidArgument('agent_id', 'no such agent', { reason: 'unknown_agent' });
    return agent;
  }

  private async requireSession(who: Identity, sessionId: string, agent: AgentRecord): Promise<void> {
    try {
      const { state } = await this.sessions.visible(who, sessionId, this.clock.now());
      if (state.opening?.agent_id === agent.id) return;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    }
    throw invalidArgument('session_id', 'no such session of the agent', { reason: 'unknown_session' });
  }

  /** About as many as there are: two that are made at once may both get the last place. */
  private async requireRoom(orgId: string): Promise<void> {
    const query = {
      collection: collectionOf(routinesProjection),
      scope: [orgId],
      where: [{ index: 'standing', eq: 'yes' }],
    };
    if ((await this.readStore.count(query, routinesPerOrganizationMax)) < routinesPerOrganizationMax) return;
    throw new Refusal(
      'conflict',
      { limit: routinesPerOrganizationMax },
      'the organization has as many routines as it may',
    );
  }

  /** The roster that a body names. A person who owns the routine is responsible when the body names no other. */
  private async roster(
    who: Identity,
    body: CreateRoutineDto,
    owner: RoutineRecord['owner'],
    now: string,
  ): Promise<RosterEntry[]> {
    const responsible = body.responsible_principal_ids ?? (owner.id === null ? [] : [owner.id]);
    const named = [...new Set(responsible)].map((id): [RoutineRelationship, string, string] => [
      'responsible',
      id,
      'responsible_principal_ids',
    ]);
    for (const id of new Set(body.follower_principal_ids)) named.push(['follower', id, 'follower_principal_ids']);
    if (named.length > rosterMax)
      throw invalidArgument('responsible_principal_ids', `a roster has at most ${rosterMax} entries`, {
        limit: rosterMax,
      });
    return Promise.all(
      named.map(async ([relationship, id, argument]): Promise<RosterEntry> => {
        const found = await this.principals.findFor(who, id);
        if (!found)
          throw invalidArgument(argument, 'no such principal', { reason: 'unknown_principal', principal_id: id });
        return {
          principal_id: id,
          relationship,
          ...(relationship === 'follower' && { level: 'all_results' as const }),
          kind: found.principal.kind,
          added_by: who.principalId,
          added_at: now,
        };
      }),
    );
  }
}

export class UpdateRoutine extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly routineId: string,
    readonly body: UpdateRoutineDto,
  ) {
    super();
  }
}

/** The changes of status that a caller may ask for. */
export type RoutineAct = 'pause' | 'resume' | 'cancel';

export class ActOnRoutine extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly routineId: string,
    readonly what: RoutineAct,
  ) {
    super();
  }
}

@CommandHandler(UpdateRoutine)
export class UpdateRoutineHandler implements ICommandHandler<UpdateRoutine> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly agents: AgentDirectory,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; permission_denied; bad_request and invalid_argument as `triggerOf`. */
  async execute({ who, routineId, body }: UpdateRoutine): Promise<JsonObject> {
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
    const { state } = await this.decisions.run(routineKind, routineId, actorOf(who), (past) =>
      changeRoutine({ change, armed, caller: who }, past),
    );
    return this.directory.view(who, present(state));
  }
}

@CommandHandler(ActOnRoutine)
export class ActOnRoutineHandler implements ICommandHandler<ActOnRoutine> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; permission_denied. */
  async execute({ who, routineId, what }: ActOnRoutine): Promise<JsonObject> {
    const routine = await this.directory.visible(who, routineId);
    const decide = await this.decision(who, routine, what);
    const { state } = await this.decisions.run(routineKind, routineId, actorOf(who), decide);
    return this.directory.view(who, present(state));
  }

  private async decision(
    who: Identity,
    routine: RoutineRecord,
    what: RoutineAct,
  ): Promise<(state: RoutineState) => RoutineEvent[]> {
    const nowMs = this.clock.now();
    const now = rfc3339(nowMs);
    if (what === 'pause') return (state) => pauseRoutine({ caller: who, now }, state);
    if (what === 'cancel') return (state) => cancelRoutine({ caller: who, now }, state);
    const fault = await this.directory.fault(routine);
    return (state) =>
      resumeRoutine(
        { caller: who, armed: { now, next_fire_at: state.routine && nextDue(state.routine, nowMs) }, fault },
        state,
      );
  }
}

function present({ routine }: RoutineState): RoutineRecord {
  if (!routine) throw notFound('routine');
  return routine;
}
