import { Injectable } from '@nestjs/common';
import { Decisions, type Actor } from '@aos/platform';
import { sessionDecider } from '../session.decider.js';
import type { InteractionWire } from './outcomes.decide.js';

/** Copies interactions into the session that asked; needs nothing of turns, so that their tools can use it. */
@Injectable()
export class InteractionMirror {
  constructor(private readonly decisions: Decisions) {}

  /** A change of an interaction, whole, before its outcome. Once for each delivery id. */
  async put(actor: Actor, sessionId: string, interaction: InteractionWire, deliveryId: string): Promise<void> {
    const command = { orgId: actor.orgId, interaction, deliveryId };
    await this.decisions.decide(sessionDecider.mirrorInteraction, sessionId, actor, command);
  }
}
