import { Injectable, Logger } from '@nestjs/common';
import { Clock, Refusal, StoreUnavailable, rfc3339, type JsonObject } from '@aos/kernel';
import { CommandSender, Decisions } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { RoutineTurns, type Block } from '@aos/sessions/published';
import { organizationIdentity } from '@aos/access/published';
import { occurrenceDecider } from '../occurrence.decider.js';
import type { OccurrenceRecord } from '../occurrence/occurrence.events.js';
import { occurrenceKind, type OccurrenceState } from '../occurrence/occurrence.state.js';
import type { RoutineRecord } from '../routine/routine.events.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { RunAs } from '../routine/run-as.js';
import { VerifyRoutine } from '../routines/routines.commands.js';
import { actingFor } from './acting-for.js';

/** Starts the turns of runs that wait for them; every step may be repeated. */
@Injectable()
export class OccurrenceStarts {
  private readonly log = new Logger('routines');

  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly runAs: RunAs,
    private readonly turns: RoutineTurns,
    private readonly agents: AgentDirectory,
    private readonly sender: CommandSender,
    private readonly clock: Clock,
  ) {}

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

  /** Whether a routine cannot go on as things are; the service that writes routines is asked to pause it then. */
  async isFaulty(routine: RoutineRecord): Promise<boolean> {
    if ((await this.directory.fault(routine)) === null) return false;
    await this.verify(routine.org_id, routine.id);
    return true;
  }

  /** Lets the routine's owner see whether it can go on. */
  private async verify(orgId: string, routineId: string): Promise<void> {
    const deliveryId = `verify-${routineId}`;
    const identity = organizationIdentity(orgId, deliveryId);
    await this.sender.send(new VerifyRoutine(identity, { routine_id: routineId }, deliveryId));
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
      return (await this.decisions.decide(occurrenceDecider.admitOccurrence, id, actingFor(occurrence), admitted))
        .state;
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
      await this.decisions.decide(occurrenceDecider.dropOccurrence, occurrence.id, actingFor(occurrence), dropped)
    ).state;
  }
}
