import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock, CommandGateway, Refusal, StoreUnavailable, rfc3339, type JsonObject } from '@aos/kernel';
import { CommandHandlers, Decisions, DueTimers, serviceActor, type Actor } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { RoutineTurns, type Block } from '@aos/sessions/published';
import type { OccurrenceRecord, OccurrenceTrigger } from '../occurrence/occurrence.events.js';
import { startHandler } from '../occurrence/occurrence.projection.js';
import { occurrenceId, occurrenceKind, type OccurrenceState } from '../occurrence/occurrence.state.js';
import type { RoutineRecord } from '../routine/routine.events.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { RunAs, organizationIdentity } from '../routine/run-as.js';
import {
  admitOccurrence,
  dropOccurrence,
  finishOccurrence,
  recordOccurrence,
  type TurnEnd,
} from './occurrences.decide.js';

/** The cause of a run. */
export interface Cause {
  id: string;
  trigger: OccurrenceTrigger;
  scheduledAt: string;
  triggeredBy?: string;
  /** The event, with the text that its turn reads. */
  event?: { id: string; type: string; input: string };
  chain?: string[];
  /** It is not begun, and why. */
  ended?: { status: 'skipped' | 'missed'; code: string; message: string };
}

/** Takes runs up and starts their turns; every step may be repeated, and a run that is met again is the same one. */
@Injectable()
export class OccurrenceIntake implements OnModuleInit {
  private readonly log = new Logger('routines');

  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly runAs: RunAs,
    private readonly turns: RoutineTurns,
    private readonly agents: AgentDirectory,
    private readonly gateway: CommandGateway,
    private readonly handlers: CommandHandlers,
    private readonly timers: DueTimers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timers.register(startHandler, async (details) => {
      await this.start(String(details.org_id), String(details.occurrence_id));
    });
    this.handlers.register('occurrences.take', ({ identity, payload }) => {
      if (identity.kind !== 'system') throw new Refusal('forbidden');
      return this.takeDue(identity.orgId, payload);
    });
  }

  /** Records a run and begins it, unless its cause says that it is not begun. */
  async take(routine: RoutineRecord, cause: Cause): Promise<OccurrenceState> {
    const occurrence = this.recordOf(routine, cause);
    const { state } = await this.decisions.run(occurrenceKind, cause.id, this.act(occurrence), (past) =>
      recordOccurrence(occurrence, past),
    );
    return state.status === 'pending' ? this.start(routine.org_id, cause.id) : state;
  }

  /**
   * Queues the turn of a run that waits for it; any other run is left as it is.
   *
   * A routine that was paused or cancelled meanwhile starts only runs that a caller asked for. A run that cannot start
   * is dropped with its reason.
   */
  async start(orgId: string, id: string): Promise<OccurrenceState> {
    const { state } = await this.decisions.load(occurrenceKind, id);
    const { occurrence, status } = state;
    if (occurrence?.org_id !== orgId || status !== 'pending') return state;
    const routine = await this.directory.find(orgId, occurrence.routine_id);
    if (!routine) return this.drop(occurrence, 'failed', 'routine_gone', 'the routine is gone');
    const isStopped =
      routine.status === 'cancelled' || (routine.status === 'paused' && occurrence.trigger !== 'manual');
    if (isStopped)
      return this.drop(
        occurrence,
        'skipped',
        `routine_${routine.status}`,
        `the routine was ${routine.status} before the run began`,
      );
    return this.begin(routine, occurrence);
  }

  /** Ends a run with its turn. */
  async finish(orgId: string, id: string, end: TurnEnd): Promise<void> {
    const { occurrence } = (await this.decisions.load(occurrenceKind, id)).state;
    if (occurrence?.org_id !== orgId) return;
    await this.decisions.run(occurrenceKind, id, this.act(occurrence), (state) => finishOccurrence(end, state));
  }

  /** Lets the routine's owner see whether it can go on. */
  async verify(orgId: string, routineId: string): Promise<void> {
    const deliveryId = `verify-${routineId}`;
    await this.gateway.send({
      name: 'routines.verify',
      deliveryId,
      identity: organizationIdentity(orgId, deliveryId),
      payload: { routine_id: routineId },
    });
  }

  private async begin(routine: RoutineRecord, occurrence: OccurrenceRecord): Promise<OccurrenceState> {
    const { org_id: orgId, id } = occurrence;
    const who = await this.runAs.identity({ ...routine, run_as: occurrence.run_as }, id);
    if (!who) return this.dropForGood(occurrence, 'owner_unavailable', 'its owner is gone');
    if (!who.permissions.has('svc.resource.use')) {
      return this.drop(
        occurrence,
        'failed',
        'permission_denied',
        'who it runs as, or the key of its last change, may not start turns',
      );
    }
    const metadata: JsonObject = {
      routine_id: routine.id,
      routine_occurrence_id: id,
      routine_trigger: occurrence.trigger,
    };
    if (occurrence.source_event_id !== null)
      Object.assign(metadata, { source_event_id: occurrence.source_event_id, event_type: occurrence.event_type });
    const event: Block[] | null =
      occurrence.input === null
        ? null
        : [{ type: 'reminder', name: 'routine-event', tier: 'contextual', content: occurrence.input }];
    try {
      const started = await this.turns.start(who, {
        occurrenceId: id,
        routineName: occurrence.routine_name,
        agentId: occurrence.agent_id,
        sessionId: occurrence.session_id,
        sessionKey: occurrence.routine_id,
        instructions: [{ type: 'text', text: occurrence.instructions }],
        event,
        metadata,
      });
      const admitted = { session_id: started.sessionId, turn_id: started.turnId, at: rfc3339(this.clock.now()) };
      return (
        await this.decisions.run(occurrenceKind, id, this.act(occurrence), (past) => admitOccurrence(admitted, past))
      ).state;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code !== 'not_found')
        return this.drop(occurrence, error.code === 'conflict' ? 'skipped' : 'failed', error.code, error.message);
      const agent = await this.agents.agent(orgId, occurrence.agent_id);
      if (agent && !agent.deleted && this.agents.canSee(agent, who))
        throw new StoreUnavailable(`${id}: its session went away meanwhile`, { cause: error });
      return this.dropForGood(occurrence, 'agent_unavailable', "its agent is gone, or out of its owner's reach");
    }
  }

  private async dropForGood(occurrence: OccurrenceRecord, code: string, message: string): Promise<OccurrenceState> {
    const state = await this.drop(occurrence, 'failed', code, message);
    await this.verify(occurrence.org_id, occurrence.routine_id);
    return state;
  }

  private async drop(
    occurrence: OccurrenceRecord,
    status: 'failed' | 'skipped',
    code: string,
    message: string,
  ): Promise<OccurrenceState> {
    this.log.log(`${occurrence.id} of ${occurrence.routine_id}: ${code}`);
    const dropped = { status, error_code: code, error_message: message, at: rfc3339(this.clock.now()) };
    return (
      await this.decisions.run(occurrenceKind, occurrence.id, this.act(occurrence), (state) =>
        dropOccurrence(dropped, state),
      )
    ).state;
  }

  /** A due time of a schedule: those passed over are recorded before it. */
  private async takeDue(
    orgId: string,
    { routine_id: routineId, due_at: dueAt, missed }: JsonObject,
  ): Promise<JsonObject> {
    const routine = await this.directory.find(orgId, String(routineId));
    if (!routine) return { occurrence_id: null };
    const ended = {
      status: 'missed' as const,
      code: 'missed',
      message: 'nobody was there when it was due; a later one ran',
    };
    for (const at of Array.isArray(missed) ? missed.map(String) : []) {
      await this.take(routine, {
        id: occurrenceId(orgId, routine.id, { due: at }),
        trigger: 'schedule',
        scheduledAt: at,
        ended,
      });
    }
    const id = occurrenceId(orgId, routine.id, { due: String(dueAt) });
    await this.take(routine, { id, trigger: 'schedule', scheduledAt: String(dueAt) });
    return { occurrence_id: id };
  }

  private recordOf(
    routine: RoutineRecord,
    { id, trigger, scheduledAt, triggeredBy, event, chain, ended }: Cause,
  ): OccurrenceRecord {
    return {
      id,
      org_id: routine.org_id,
      routine_id: routine.id,
      routine_name: routine.name,
      agent_id: routine.agent_id,
      owner_id: routine.owner.id,
      trigger,
      triggered_by: triggeredBy ?? null,
      scheduled_at: scheduledAt,
      intake_at: rfc3339(this.clock.now()),
      source_event_id: event?.id ?? null,
      event_type: event?.type ?? null,
      status: ended?.status ?? 'pending',
      error_code: ended?.code ?? null,
      error_message: ended?.message ?? null,
      instructions: routine.instructions,
      input: event?.input ?? null,
      session_id: routine.origin_session_id,
      run_as: runAsAt(routine),
      chain: chain ?? [],
    };
  }

  private act({ org_id: orgId, run_as, id }: OccurrenceRecord): Actor {
    return serviceActor(orgId, run_as.id, id, run_as.kind);
  }
}

function runAsAt({ run_as: { id, kind, permissions } }: RoutineRecord): OccurrenceRecord['run_as'] {
  return permissions ? { id, kind, permissions } : { id, kind };
}
