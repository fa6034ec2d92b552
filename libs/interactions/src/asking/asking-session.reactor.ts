import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, type RecordedEvent } from '@aos/kernel';
import { Reactor, Settings } from '@aos/platform';
import { SessionOutcomes } from '@aos/sessions/published';
import { AskingSessions, deliveryId } from './asking-sessions.js';
import { outcomeRow } from './outcome-row.wire.js';

/**
 * Events that may be given again: each is at most two deliveries, and a session knows its newest 256 again
 * (`InteractionsState.applied`). More of one session at once would count twice.
 */
const batchMax = 64;
const terminal: ReadonlySet<string> = new Set(['InteractionCompleted', 'InteractionCancelled', 'InteractionExpired']);

/**
 * Tells the asking session of every change of its interactions, then of their outcome.
 *
 * Each step carries a delivery id that follows from interaction and revision: after a crash between any two it is taken
 * again and counts once.
 */
@Injectable()
export class AskingSessionReactor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly reactor: Reactor;

  constructor(
    store: EventStore,
    leases: Leases,
    clock: Clock,
    ids: Ids,
    @Inject(Settings) settings: Settings,
    private readonly asking: AskingSessions,
    private readonly outcomes: SessionOutcomes,
  ) {
    const spec = {
      name: 'interactionoutcomes',
      prefixes: ['interaction-'],
      leaseMs: settings.leaseSeconds * 1000,
      from: 'start' as const,
      batchMax,
      saveEveryMs: 0,
    };
    this.reactor = new Reactor(spec, { store, leases, clock, ids }, (events) => this.tell(events));
  }

  onApplicationBootstrap(): void {
    this.reactor.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reactor.close();
  }

  /** In the order of the log; public for specs of crashes. */
  async tell(events: readonly RecordedEvent[]): Promise<void> {
    for (const { stream, revision, type } of events) {
      if (type.startsWith('Callback') || type === 'InteractionHidden') continue;
      await this.tellOne(stream.slice('interaction-'.length), revision, terminal.has(type));
    }
  }

  private async tellOne(id: string, revision: number, isTerminal: boolean): Promise<void> {
    const mirrored = await this.asking.mirror(id, revision);
    if (!mirrored || !isTerminal) return;
    const { actor, sessionId, state } = mirrored;
    const { content, metadata } = outcomeRow(state);
    await this.outcomes.apply(actor, sessionId, {
      interaction_id: id,
      delivery_id: deliveryId(id, 'outcome'),
      content,
      metadata,
    });
  }
}
