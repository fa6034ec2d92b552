import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { RecordedEvent } from '@aos/kernel';
import { Reactors, type Reactor } from '@aos/platform';
import { PublicEvents } from '@aos/events/published';
import { RoutineTurns, type TurnRecord } from '@aos/sessions/published';
import { OccurrenceIntake } from '../occurrences/occurrence-intake.js';
import { EventMatches } from './event-matches.js';
import { ListeningRoutines } from './listening-routines.js';
import { RestingRoutines } from './resting-routines.js';

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
  private readonly reactor: Reactor;

  constructor(
    reactors: Reactors,
    private readonly events: PublicEvents,
    private readonly listening: ListeningRoutines,
    private readonly resting: RestingRoutines,
    private readonly matches: EventMatches,
    private readonly intake: OccurrenceIntake,
    private readonly turns: RoutineTurns,
  ) {
    this.reactor = reactors.consume(
      {
        name: 'routines',
        prefixes: () => [...new Set([...events.prefixes, 'agent-', 'routine-', ...RestingRoutines.prefixes])],
        leaseMsMax: takeoverMs,
        from: 'start',
        claimed: () => {
          this.listening.clear();
          return Promise.resolve();
        },
        readiness: 'routines',
        stoppedGauge: { name: 'routines_stopped', help: 'Whether routines stopped listening to events for good.' },
      },
      (batch) => this.take(batch),
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
  private isHeard(event: RecordedEvent): boolean {
    const { stream, type, meta } = event;
    return (
      this.resting.isFollowed(event) ||
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
    if (category === 'routine') {
      await this.listening.changed(orgId, id);
      return this.resting.look(orgId, id);
    }
    if (category === 'agent') return this.resting.agentChanged(orgId, id);
    if (category === 'session' && finals.has(type))
      return this.turnEnded(orgId, event.data.turn as unknown as TurnRecord);
    if (this.resting.isFollowed(event)) await this.resting.follow(event);
    const listening = await this.listening.of(orgId);
    if (listening.length === 0) return;
    for (const published of await this.events.of(event)) await this.matches.match(published, event, listening);
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
}
