import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, rfc3339 } from '@aos/kernel';
import { Decisions, DueTimers } from '@aos/platform';
import { occurrenceDecider } from '../occurrence.decider.js';
import type { OccurrenceRecord, OccurrenceTrigger } from '../occurrence/occurrence.events.js';
import { startHandler } from '../occurrence/occurrence.projection.js';
import { occurrenceKind, type OccurrenceState } from '../occurrence/occurrence.state.js';
import type { RoutineRecord } from '../routine/routine.events.js';
import { actingFor } from './acting-for.js';
import { OccurrenceStarts } from './occurrence-starts.js';
import type { TurnEnd } from './occurrences.decide.js';

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

/** Takes runs up and has their turns started; a run that is met again is the same one. */
@Injectable()
export class OccurrenceIntake implements OnModuleInit {
  constructor(
    private readonly decisions: Decisions,
    private readonly starts: OccurrenceStarts,
    private readonly timers: DueTimers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timers.register(startHandler, async (details) => {
      await this.starts.start(String(details.org_id), String(details.occurrence_id));
    });
  }

  /** Records a run and begins it, unless its cause says that it is not begun. */
  async take(routine: RoutineRecord, cause: Cause): Promise<OccurrenceState> {
    const occurrence = this.recordOf(routine, cause);
    const { state } = await this.decisions.decide(
      occurrenceDecider.recordOccurrence,
      cause.id,
      actingFor(occurrence),
      occurrence,
    );
    return state.status === 'pending' ? this.starts.start(routine.org_id, cause.id) : state;
  }

  /** Ends a run with its turn. */
  async finish(orgId: string, id: string, end: TurnEnd): Promise<void> {
    const { occurrence } = (await this.decisions.load(occurrenceKind, id)).state;
    if (occurrence?.org_id !== orgId) return;
    await this.decisions.decide(occurrenceDecider.finishOccurrence, id, actingFor(occurrence), end);
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
}

function runAsAt({ run_as: { id, kind, permissions } }: RoutineRecord): OccurrenceRecord['run_as'] {
  return permissions ? { id, kind, permissions } : { id, kind };
}
