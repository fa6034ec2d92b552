import { Injectable } from '@nestjs/common';
import { Clock, Ids, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, serviceActor } from '@aos/platform';
import { interactionDecider } from '../interaction.decider.js';
import { isOpen } from '../interaction/interaction.state.js';
import { InteractionDirectory, type WholeInteraction } from '../reading/interaction-directory.js';

/** Ends interactions whose time is up: by their timer, and before a late change is judged (rules I19, I26). */
@Injectable()
export class InteractionExpiry {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: InteractionDirectory,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** The interaction if the caller may see it, expired first if its time is up. Refuses not_found. */
  async current(who: Identity, interactionId: string): Promise<WholeInteraction> {
    const state = await this.directory.visible(who, interactionId);
    const { expires_at: expiresAt } = state.opening;
    if (!isOpen(state.status) || expiresAt === null || Date.parse(expiresAt) > this.clock.now()) return state;
    await this.expireNow(who.orgId, interactionId);
    return this.directory.visible(who, interactionId);
  }

  /** Expires it if its time is up; can be called at any time. */
  async expireNow(orgId: string, interactionId: string): Promise<void> {
    const nowMs = this.clock.now();
    const command = { now: rfc3339(nowMs), nowMs, callbackId: `dlv_${this.ids.ulid()}` };
    const actor = serviceActor(orgId, 'timer', `expiry-${interactionId}`);
    await this.decisions.decide(interactionDecider.expire, interactionId, actor, command);
  }
}
