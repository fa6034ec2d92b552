import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, fits, type RecordedEvent } from '@aos/kernel';
import { Metrics, Reactor, Readiness, Settings } from '@aos/platform';
import { PublicEvents, Reaches, type SourceEvent } from '@aos/events/published';
import { RoutineTurns, isRunSessionKey, type TurnRecord } from '@aos/sessions/published';
import { occurrenceId } from '../occurrence/occurrence.state.js';
import { OccurrenceIntake, type Cause } from '../occurrences/occurrence-intake.js';
import { OpenRuns } from '../occurrences/open-runs.js';
import type { RoutineRecord } from '../routine/routine.events.js';
import { chainMax, matchesPerEventMax } from '../routine/routine.limits.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { RunAs } from '../routine/run-as.js';
import { listens } from '../routine/routine.state.js';
import { Causes } from './causes.js';
import { eventInput } from './event-input.wire.js';
import { ListeningRoutines, type Listening } from './listening-routines.js';

const takeoverMs = 5000;
const finals: ReadonlySet<string> = new Set(['TurnCompleted', 'TurnFailed', 'TurnCancelled']);

/**
 * Reads every public event in the order of the log, once in the fleet, and starts the routines that the event fits.
 * Ends runs with their turns.
 *
 * Promises: a routine runs at most once for an event, also after crashes and repeated reads: the run's id follows from
 * routine and event. It runs for every fitting event that was recorded while it was active, within the reach of its
 * owner, for a team's the organization's own principal (rule A34). Runaways are bounded: a routine never runs for
 * events that its own runs caused, directly or through other routines; a chain of routines has `chainMax` links; one
 * event starts `matchesPerEventMax` routines; and waiting runs and runs in an hour are bounded for runaways outside a
 * chain: runs over these bounds are recorded as skipped.
 * Does not promise: an order among the routines of one event.
 */
@Injectable()
export class RoutineEventsReactor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('routines');
  private readonly reactor: Reactor;

  constructor(
    store: EventStore,
    leases: Leases,
    clock: Clock,
    ids: Ids,
    @Inject(Settings) settings: Settings,
    readiness: Readiness,
    metrics: Metrics,
    private readonly events: PublicEvents,
    private readonly listening: ListeningRoutines,
    private readonly directory: RoutineDirectory,
    private readonly runAs: RunAs,
    private readonly reaches: Reaches,
    private readonly causes: Causes,
    private readonly runs: OpenRuns,
    private readonly intake: OccurrenceIntake,
    private readonly turns: RoutineTurns,
  ) {
    this.reactor = new Reactor(
      {
        name: 'routines',
        prefixes: [...events.prefixes, 'agent-', 'routine-'],
        leaseMs: Math.min(settings.leaseSeconds * 1000, takeoverMs),
        from: 'start',
        claimed: () => {
          this.listening.clear();
          return Promise.resolve();
        },
      },
      store,
      leases,
      clock,
      ids,
      (batch) => this.take(batch),
    );
    readiness.register({
      name: 'routines',
      check: () => Promise.resolve(this.reactor.failure === null ? null : 'stopped'),
    });
    metrics.observedGauge('routines_stopped', 'Whether routines stopped listening to events for good.', () =>
      this.reactor.failure === null ? 0 : 1,
    );
  }

  onApplicationBootstrap(): void {
    this.reactor.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reactor.close();
  }

  private async take(batch: readonly RecordedEvent[]): Promise<void> {
    for (const event of batch) if (this.isHeard(event)) await this.takeOne(event);
  }

  /** False for most events of most organizations, and told without waiting. */
  private isHeard({ stream, type, meta }: RecordedEvent): boolean {
    return (
      stream.startsWith('routine-') ||
      (stream.startsWith('session-') && finals.has(type)) ||
      !this.listening.hasNone(meta.org_id ?? '')
    );
  }

  private async takeOne(event: RecordedEvent): Promise<void> {
    const { stream, type, meta } = event;
    const orgId = meta.org_id ?? '';
    const [category = ''] = stream.split('-', 1);
    const id = stream.slice(category.length + 1);
    if (category === 'routine') return this.listening.changed(orgId, id);
    if (category === 'agent') return this.agentChanged(orgId, id);
    if (category === 'session' && finals.has(type))
      return this.turnEnded(orgId, event.data.turn as unknown as TurnRecord);
    const listening = await this.listening.of(orgId);
    if (listening.length === 0) return;
    for (const published of await this.events.of(event)) await this.match(published, event, listening);
  }

  /** An agent that is gone, or may not use a connection any more, stops the routines that rest on it. */
  private async agentChanged(orgId: string, agentId: string): Promise<void> {
    for (const { routine } of await this.listening.of(orgId)) {
      if (routine.agent_id === agentId && (await this.directory.fault(routine)) !== null)
        await this.intake.verify(orgId, routine.id);
    }
  }

  private async turnEnded(orgId: string, turn: TurnRecord): Promise<void> {
    if (turn.routine_name === undefined) return;
    const id = await this.turns.occurrenceOf(orgId, turn.id);
    if (id === null) return;
    const { session_id, id: turn_id, status, error_type, error_message, updated_at: at } = turn;
    await this.intake.finish(orgId, id, {
      session_id,
      turn_id,
      status: status === 'completed' || status === 'cancelled' ? status : 'failed',
      error_type: error_type ?? null,
      error_message: error_message ?? null,
      at,
    });
  }

  private async match(published: SourceEvent, recorded: RecordedEvent, listening: readonly Listening[]): Promise<void> {
    const fitting = listening.filter((one) => isFor(published, one));
    if (fitting.length === 0) return;
    const chain = await this.causes.of(published, recorded.meta);
    let started = 0;
    for (const { routine } of fitting) {
      if (chain.includes(routine.id) || !(await this.isPublishedTo(routine, published))) continue;
      if (started === matchesPerEventMax) {
        this.log.warn(
          `${String(published.envelope.meta.id)} fits more than ${matchesPerEventMax} routines: the youngest are passed over`,
        );
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
    if ((await this.directory.fault(routine)) !== null) return this.intake.verify(orgId, routineId);
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
