import { Injectable, Logger } from '@nestjs/common';
import { fits, type RecordedEvent } from '@aos/kernel';
import { Reaches, type SourceEvent } from '@aos/events/published';
import { isRunSessionKey } from '@aos/sessions/published';
import { occurrenceId } from '../occurrence/occurrence.state.js';
import { OccurrenceIntake, type Cause } from '../occurrences/occurrence-intake.js';
import { OccurrenceStarts } from '../occurrences/occurrence-starts.js';
import { OpenRuns } from '../occurrences/open-runs.js';
import type { RoutineRecord } from '../routine/routine.events.js';
import { chainMax, matchesPerEventMax } from '../routine/routine.limits.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { RunAs } from '../routine/run-as.js';
import { listens } from '../routine/routine.state.js';
import { Causes } from './causes.js';
import { eventInput } from './event-input.wire.js';
import type { Listening } from './listening-routines.js';

/** Which routines an event sets off, and their runs. */
@Injectable()
export class EventMatches {
  private readonly log = new Logger('routines');

  constructor(
    private readonly directory: RoutineDirectory,
    private readonly runAs: RunAs,
    private readonly reaches: Reaches,
    private readonly causes: Causes,
    private readonly runs: OpenRuns,
    private readonly intake: OccurrenceIntake,
    private readonly starts: OccurrenceStarts,
  ) {}

  /** Starts a run of each routine that the event fits. */
  async match(published: SourceEvent, recorded: RecordedEvent, listening: readonly Listening[]): Promise<void> {
    const fitting = listening.filter((one) => isFor(published, one));
    if (fitting.length === 0) return;
    const chain = await this.causes.of(published, recorded.meta);
    let started = 0;
    for (const { routine } of fitting) {
      if (chain.includes(routine.id) || !(await this.isPublishedTo(routine, published))) continue;
      if (started === matchesPerEventMax) {
        const { id } = published.envelope.meta;
        this.log.warn(`${String(id)} fits more than ${matchesPerEventMax} routines: the youngest are passed over`);
        return;
      }
      started += 1;
      await this.begin(routine.id, published, chain);
    }
  }

  private async isPublishedTo(routine: RoutineRecord, published: SourceEvent): Promise<boolean> {
    const who = await this.runAs.listener(routine, routine.id);
    return who !== null && who.permissions.has('svc.resource.view') && this.reaches.of(who).includes(published.reach);
  }

  private async begin(routineId: string, published: SourceEvent, chain: readonly string[]): Promise<void> {
    const { orgId, envelope, receivedAt } = published;
    const routine = await this.directory.find(orgId, routineId);
    if (!routine || !listens(routine)) return;
    if (await this.starts.isFaulty(routine)) return;
    const eventId = String(envelope.meta.id);
    const cause: Cause = {
      id: occurrenceId(orgId, routineId, { event: eventId }),
      trigger: 'event',
      scheduledAt: receivedAt,
      chain: [...chain],
      event: { id: eventId, type: envelope.event_type, input: eventInput(envelope) },
    };
    const refused =
      chain.length >= chainMax
        ? { code: 'chain_too_long', message: `${chainMax} routines set each other off` }
        : await this.runs.refusal(routine);
    await this.intake.take(routine, refused ? { ...cause, ended: { status: 'skipped', ...refused } } : cause);
  }
}

/** Whether an event is one that a routine listens to, since it does; what is said in its own session is not. */
function isFor({ envelope, receivedAt }: SourceEvent, { routine, trigger, holds }: Listening): boolean {
  const { event_type, source_kind, event, meta } = envelope;
  if (!fits(event_type, trigger.event_type) || receivedAt < routine.armed_at) return false;
  if (trigger.integration_id !== undefined && meta.integration_id !== trigger.integration_id) return false;
  if (source_kind === 'session' && isRunSessionKey(event.session_key, routine.id)) return false;
  return holds({ event, meta });
}
