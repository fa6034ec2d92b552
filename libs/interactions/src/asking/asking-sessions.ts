import { Injectable } from '@nestjs/common';
import { hash32 } from '@aos/kernel';
import { Decisions, serviceActor, type Actor } from '@aos/platform';
import { InteractionMirror } from '@aos/sessions/published';
import type { InteractionEvent } from '../interaction/interaction.events.js';
import { interactionWire } from '../interaction/interaction.wire.js';
import { interactionKind, type InteractionState } from '../interaction/interaction.state.js';

const page = 512;

/** An interaction after one of its events, and the session that asked it. */
export interface MirroredChange {
  actor: Actor;
  sessionId: string;
  state: InteractionState;
}

/** Shows sessions the changes of what they asked. */
@Injectable()
export class AskingSessions {
  constructor(
    private readonly decisions: Decisions,
    private readonly interactions: InteractionMirror,
  ) {}

  /**
   * Copies an interaction as it was right after one of its events into the session that asked, once: the call that
   * opens it does so before it ends, and the reactor does so when it reads the event.
   *
   * Gives    null for an interaction that no turn asked.
   */
  async mirror(id: string, revision: number): Promise<MirroredChange | null> {
    const state = await this.stateAt(id, revision);
    const { opening } = state;
    if (opening?.consumer.kind !== 'agent_tool') return null;
    const {
      agent_tool: { session_id: sessionId },
      principal,
    } = opening.consumer;
    const actor = serviceActor(opening.org_id, principal.id, id, principal.kind);
    await this.interactions.put(actor, sessionId, interactionWire(state, null), deliveryId(id, `mirror ${revision}`));
    return { actor, sessionId, state };
  }

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

/** The same at each attempt of a step. */
export function deliveryId(interactionId: string, step: string): string {
  return `dlv_${hash32(`${interactionId}\n${step}`)}`;
}
