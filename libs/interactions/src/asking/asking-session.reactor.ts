import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, hash32, type RecordedEvent } from '@aos/kernel';
import { Decisions, Reactor, Settings, serviceActor } from '@aos/platform';
import { SessionOutcomes } from '@aos/sessions/published';
import type { InteractionEvent } from '../interaction/interaction.events.js';
import { interactionWire } from '../interaction/interaction.wire.js';
import { interactionKind, type InteractionState } from '../interaction/interaction.state.js';
import { outcomeRow } from './outcome-row.wire.js';

const terminal: ReadonlySet<string> = new Set(['InteractionCompleted', 'InteractionCancelled', 'InteractionExpired']);
const page = 512;

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
    private readonly decisions: Decisions,
    private readonly outcomes: SessionOutcomes,
  ) {
    const spec = {
      name: 'interactionoutcomes',
      prefixes: ['interaction-'],
      leaseMs: settings.leaseSeconds * 1000,
      from: 'start' as const,
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
      const state = await this.stateAt(stream.slice('interaction-'.length), revision);
      await this.tellOne(state, revision, terminal.has(type));
    }
  }

  private async tellOne(state: InteractionState, revision: number, isTerminal: boolean): Promise<void> {
    const { opening } = state;
    if (opening?.consumer.kind !== 'agent_tool') return;
    const {
      agent_tool: { session_id: sessionId },
      principal,
    } = opening.consumer;
    const actor = serviceActor(opening.org_id, principal.id, opening.id, principal.kind);
    const wire = interactionWire(state, null);
    await this.outcomes.mirror(actor, sessionId, wire, deliveryId(opening.id, `mirror ${revision}`));
    if (!isTerminal) return;
    const { content, metadata } = outcomeRow(state);
    await this.outcomes.apply(actor, sessionId, {
      interaction_id: opening.id,
      delivery_id: deliveryId(opening.id, 'outcome'),
      content,
      metadata,
    });
  }

  /** As it was right after that event. */
  private async stateAt(id: string, revision: number): Promise<InteractionState> {
    let state = interactionKind.initial();
    for (let from = 0; from <= revision; from += page) {
      for (const event of await this.decisions.read<InteractionEvent>(interactionKind, id, {
        from,
        limit: Math.min(page, revision - from + 1),
      })) {
        state = interactionKind.evolve(state, event, event.revision);
      }
    }
    return state;
  }
}

function deliveryId(interactionId: string, step: string): string {
  return `dlv_${hash32(`${interactionId}\n${step}`)}`;
}
